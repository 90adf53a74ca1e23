import type { SpeakerEvidence } from '../core/speaker-evidence.js';
import type { SourceInput } from '../media/source.js';
import type { AnalysisTasks } from '../pipeline/analysis/analysis-tasks.js';
import type { TranscribeQuestion } from '../pipeline/analysis/caller-transcription.js';
import type { EngineOptions } from '../pipeline/engine-options.js';
import { toWorkerSource } from '../pipeline/worker-source.js';
import type { Connection } from '../rpc/connect.js';
import type { AnalysisState } from '../schema/analysis-state.js';
import { isReframeError } from '../schema/error.js';
import type { AnalysisResult, PartialResult, PartName } from '../schema/result.js';
import { parseSpokenWords, type TranscribeSpeech } from '../schema/spoken-words.js';
import type { AnalyseOptions, RangeOptions } from './options.js';

/** What is computed where nothing is named: what a plan is made of. */
export const plannedParts: readonly PartName[] = [
  'scene_detection',
  'face_tracking_yolov8',
  'active_speaker',
  'content',
];

export type AnalyseCall = {
  readonly source: SourceInput;
  readonly engine: EngineOptions;
  readonly transcriber?: TranscribeSpeech | undefined;
  /** The analysis worker; another one after the last was closed. */
  readonly worker: () => Connection<AnalysisTasks>;
};

/** Analyses in the worker; when its GPU is lost, again on WASM in a new worker, and the diagnostics say so. */
export async function callAnalyse(
  { source, engine, transcriber, worker }: AnalyseCall,
  options: AnalyseOptions,
): Promise<AnalysisResult> {
  const { signal, onProgress, onPartial, onSave, onEvidence, resume, ...asked } = options;
  const { want = plannedParts, have = {}, language, identities = false, ...range } = asked;
  checkRange(range);
  if (identities && (!want.includes('face_tracking_yolov8') || have.face_tracking_yolov8))
    throw new TypeError('identities needs face_tracking_yolov8 in want, and not in have.');
  let saved = resume;
  const attempt = (device: EngineOptions['device']) => {
    const { plain, callbacks } = toWorkerSource(source);
    const task = {
      source: plain,
      engine: { ...engine, device },
      want,
      have,
      partial: onPartial !== undefined,
      save: onSave !== undefined,
      evidence: onEvidence !== undefined,
      transcriber: transcriber !== undefined,
      ...(language !== undefined && { language }),
      identities,
      ...range,
      ...(saved && { resume: saved }),
    };
    const partial = async (found: PartialResult) => {
      await onPartial?.(found);
      return {};
    };
    const save = async (state: AnalysisState) => {
      saved = state;
      await onSave?.(state);
      return {};
    };
    const evidence = async (found: SpeakerEvidence) => {
      await onEvidence?.(found);
      return {};
    };
    const transcribe = async ({ samples, language }: TranscribeQuestion) => {
      const call = { signal: signal ?? new AbortController().signal, language };
      return { value: parseSpokenWords(await transcriber!(samples, call)) };
    };
    return worker().call('analyse', task, {
      signal,
      onProgress,
      callbacks: { ...callbacks, partial, save, evidence, transcribe },
    });
  };
  try {
    return await attempt(engine.device);
  } catch (error) {
    // The worker owns the lost device; a new worker without a GPU goes on from what was saved, else from the start.
    if (!isReframeError(error) || error.code !== 'device_lost' || engine.device === 'wasm') throw error;
    worker().close();
    const result = await attempt('wasm');
    const fallbacks = [...result.diagnostics.fallbacks, `The analysis began again on WASM: ${error.message}`];
    return { ...result, diagnostics: { ...result.diagnostics, fallbacks } };
  }
}

function checkRange({ startSec, endSec }: RangeOptions): void {
  if (startSec !== undefined && !(startSec >= 0)) throw new RangeError('startSec must be a number ≥ 0');
  if (endSec !== undefined && !(endSec > (startSec ?? 0)))
    throw new RangeError('endSec must be greater than startSec');
}
