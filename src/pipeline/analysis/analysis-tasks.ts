import type { SpeakerEvidence } from '../../core/speaker-evidence.js';
import type { TranscriptionModel } from '../../inference/transcription-model.js';
import type { WeightsProgress } from '../../inference/weights.js';
import type { Media, MediaChoice, MediaFacts } from '../../media/media.js';
import { openMedia } from '../../media/source.js';
import type { Task, TaskContext } from '../../rpc/protocol.js';
import type { AnalysisState } from '../../schema/analysis-state.js';
import type { Diagnostics } from '../../schema/diagnostics.js';
import { ReframeError } from '../../schema/error.js';
import {
  type AnalysisParts,
  type AnalysisResult,
  type PartName,
  resultVersion,
} from '../../schema/result.js';
import type { EngineOptions } from '../engine-options.js';
import { createProgressMeter } from '../stages.js';
import { createStopwatch } from '../stopwatch.js';
import { whileWanted } from '../while-wanted.js';
import { fromWorkerSource, type WorkerSource } from '../worker-source.js';
import { analyse } from './analyse.js';
import type { Analysis } from './analysis-request.js';
import { callerTranscription } from './caller-transcription.js';
import { type Engine, type OpenEngine, openEngine } from './engine.js';
import { createModelProgress } from './model-progress.js';
import { takeSnapshots } from './snapshots.js';

/** What every task on a source is given. */
export type SourceTask = { readonly source: WorkerSource; readonly engine: EngineOptions };

/** What is in a source, and which reader tells. */
export type ProbeResult = { readonly facts: MediaFacts; readonly choice: MediaChoice };

export type AnalyseTask = SourceTask & {
  readonly want: readonly PartName[];
  readonly have: AnalysisParts;
  readonly startSec?: number;
  readonly endSec?: number;
  /** Whether to ask `partial` with a `PartialResult` from time to time. */
  readonly partial?: boolean;
  /** Whether to ask `save` with an `AnalysisState` from time to time. */
  readonly save?: boolean;
  /** Whether to ask `evidence` with a `SpeakerEvidence` at the end. */
  readonly evidence?: boolean;
  /** A state to go on from, if it fits. */
  readonly resume?: AnalysisState;
  /** Whether to ask `transcribe` with a `TranscribeQuestion` for each piece of speech. */
  readonly transcriber?: boolean;
  /** BCP 47 tag of what is said. */
  readonly language?: string;
  /** Whether to say which faces are one person. */
  readonly identities?: boolean;
};

export type SnapshotTask = SourceTask & { readonly timesSec: readonly number[]; readonly heightPx: number };

/** What the analysis worker offers. */
export type AnalysisTasks = {
  readonly probe: Task<SourceTask, ProbeResult>;
  readonly analyse: Task<AnalyseTask, AnalysisResult>;
  readonly snapshots: Task<SnapshotTask, ImageBitmap[]>;
};

/**
 * Tasks that share one engine: models are loaded once for the life of the worker.
 *
 * @param spawnInference - Starts a worker beside the analysis worker: one that looks for faces on the CPU, one that writes down words.
 */
export function createAnalysisTasks(spawnInference: OpenEngine['spawnInference']): AnalysisTasks {
  let engine: Promise<Engine> | undefined;
  // The engine outlives the call that opened it; later calls load models too.
  let reportModels: (progress: WeightsProgress) => void = () => {};
  const useEngine = (options: EngineOptions, onModels: (progress: WeightsProgress) => void) => {
    reportModels = onModels;
    engine ??= openEngine({
      options,
      spawnInference,
      onModelProgress: progress => reportModels(progress),
    });
    engine.catch(() => (engine = undefined));
    return engine;
  };

  return {
    async probe({ source, engine: options }, context) {
      await using media = await openSource(source, options, context);
      return { facts: media.facts, choice: media.choice };
    },

    async analyse(task, context) {
      const { source, engine: options, want, have, startSec, endSec, partial, save, evidence, resume } = task;
      const { transcriber, language, identities } = task;
      const stopwatch = createStopwatch();
      const meter = createProgressMeter(['models', 'probe', 'analyse'], context.onProgress);
      await using media = await openSource(source, options, context);
      meter.report('probe', 1);
      const hasSound = media.facts.audio !== undefined;
      const isAsked = { hasTranscriber: transcriber === true, hasIdentities: identities === true };
      const needs = { want, have, hasSound, ...isAsked };
      const onModels = createModelProgress(options.models, needs, ratio => meter.report('models', ratio));
      const opened = await useEngine(options, onModels);
      const from = Math.max(startSec ?? 0, media.facts.startSec);
      const to = Math.min(endSec ?? Number.POSITIVE_INFINITY, media.facts.durationSec);
      const { width, height } = media.facts.display;
      const tell = (found: Analysis) =>
        whileWanted(context.ask<void>('partial', { ...found, size: { width, height } }), context.signal);
      const show = (found: SpeakerEvidence) =>
        whileWanted(context.ask<void>('evidence', found), context.signal);
      const keep = (state: AnalysisState) => whileWanted(context.ask<void>('save', state), context.signal);
      const { parts, range, speech, resumedFromSec, refusal } = await Promise.race([
        opened.lost,
        analyse(
          media,
          {
            sampler: opened.sampler,
            faces: () => whileWanted(opened.faces(), context.signal),
            speaker: () => whileWanted(opened.speaker(), context.signal),
            speech: saved => whileWanted(opened.speech(saved), context.signal),
            voice: () => whileWanted(opened.voice(), context.signal),
            words: async () =>
              transcriber
                ? callerTranscription(context.ask, language ?? 'und')
                : understanding(await whileWanted(opened.words(), context.signal), language),
            people: () => whileWanted(opened.people(), context.signal),
            sceneCuts: () => whileWanted(opened.sceneCuts(), context.signal),
            stopwatch,
          },
          {
            want,
            have,
            signal: context.signal,
            startSec: from,
            ...(endSec !== undefined && { endSec }),
            ...(options.models.faceLongSide && { faceLongSide: options.models.faceLongSide }),
            ...(partial && { onPartial: tell }),
            ...(save && { onSave: keep }),
            ...(evidence && { onEvidence: show }),
            ...(resume && { resume }),
            ...(identities && { identities }),
            onTime: timeSec => meter.report('analyse', (timeSec - from) / (to - from), timeSec - from),
          },
        ),
      ]);
      meter.done(to - from);
      const diagnostics: Diagnostics = {
        media: media.choice,
        device: opened.device,
        pixels: opened.sampler.kind,
        models: opened.models,
        stages: stopwatch.stages,
        seconds: stopwatch.seconds,
        mediaSec: to - from,
        ...(resumedFromSec !== undefined && { resumedFromSec }),
        fallbacks: [
          ...opened.fallbacks,
          ...(refusal ? [refusal] : []),
          ...(identities && resumedFromSec !== undefined ? [lookedAgain(resumedFromSec)] : []),
        ],
      };
      return {
        version: resultVersion,
        parts,
        range,
        size: { width, height },
        ...(speech && { speech }),
        diagnostics,
      };
    },

    async snapshots({ source, engine: options, timesSec, heightPx }, context) {
      await using media = await openSource(source, options, context);
      // Awaited here: a promise that is merely returned would be settled after the source is closed.
      return await takeSnapshots(media, { timesSec, heightPx, signal: context.signal });
    },
  };
}

const lookedAgain = (fromSec: number) =>
  `Frames were read again from ${fromSec.toFixed(1)} s on, because a saved state does not say what faces look like.`;

/** Opens a source as something that `await using` closes. */
export async function openSource(
  source: WorkerSource,
  options: EngineOptions,
  { ask, signal }: TaskContext,
): Promise<Media & AsyncDisposable> {
  const media = await openMedia(fromWorkerSource(source, ask), {
    decoder: options.decoder,
    ...(options.ffmpeg && { ffmpeg: options.ffmpeg }),
    signal,
  });
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() });
}

/**
 * The model, if it knows the language that is asked for.
 *
 * @throws ReframeError `model_unavailable` where it knows another one.
 */
function understanding(model: TranscriptionModel, language = model.language): TranscriptionModel {
  const primary = (tag: string) => tag.split('-')[0]!.toLowerCase();
  if (primary(language) === primary(model.language)) return model;
  throw new ReframeError(
    'model_unavailable',
    `"${model.name}" understands ${model.language}, not ${language}. Give \`models.words\` of a recogniser that does, or a \`transcriber\`.`,
  );
}
