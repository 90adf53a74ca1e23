import { listModels } from '../../inference/manifest.js';
import type { WeightsProgress } from '../../inference/weights.js';
import type { AnalysisParts, PartName } from '../../schema/result.js';
import type { ModelOptions } from '../engine-options.js';
import { defaultFaceDetector, defaultShotDetector, defaultSpeakerModel, peopleModel } from './engine.js';
import { voiceModel, wordsModels } from './words-files.js';

/** What decides which models an analysis loads. */
export type ModelNeeds = {
  readonly want: readonly PartName[];
  readonly have: AnalysisParts;
  readonly hasSound: boolean;
  /** Whether the caller writes down what is said. Default false. */
  readonly hasTranscriber?: boolean;
  /** Whether people are told apart. Default false. */
  readonly hasIdentities?: boolean;
};

/** Ids of the models that an analysis uses. */
export function modelsOf(
  options: ModelOptions,
  { want, have, hasSound, hasTranscriber, hasIdentities }: ModelNeeds,
): string[] {
  const needs = (part: PartName) => want.includes(part) && !have[part];
  const shots = options.shotDetector ?? defaultShotDetector;
  const speaker = options.speaker ?? defaultSpeakerModel;
  const decidesSpeakers = !have.active_speaker && (needs('active_speaker') || needs('diarization'));
  const needsSpeakers = decidesSpeakers && hasSound;
  const needsVoices = needsSpeakers || (needs('diarization') && hasSound);
  const needsWords = needs('transcription') && hasSound;
  const needsFaces = needs('face_tracking_yolov8') || (decidesSpeakers && !have.face_tracking_yolov8);
  return [
    // Shots are looked for whatever is wanted: tracks end with them.
    ...(have.scene_detection || shots === 'model-free' ? [] : [shots]),
    ...(needsFaces ? [options.faceDetector ?? defaultFaceDetector] : []),
    ...(needsFaces && hasIdentities ? [peopleModel] : []),
    ...(needsSpeakers ? [`${speaker}-visual`, `${speaker}-audio`, `${speaker}-backend`] : []),
    ...(needsVoices || needsWords ? ['silero-vad'] : []),
    ...(needsVoices ? [voiceModel] : []),
    ...(needsWords && !hasTranscriber ? Object.values(wordsModels) : []),
  ];
}

/**
 * Adds up how far the files of an analysis are.
 *
 * @param report - Told the share of their bytes that have come, 0–1.
 */
export function createModelProgress(
  options: ModelOptions,
  needs: ModelNeeds,
  report: (ratio: number) => void,
): (progress: WeightsProgress) => void {
  const used = modelsOf(options, needs);
  // A model that no manifest lists is refused where it is loaded.
  const entries = listModels(options.manifest).models.filter(({ id }) => used.includes(id));
  const sizes = new Map(entries.map(({ id, bytes }) => [id, bytes]));
  const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, value) => total + value, 0);
  const received = new Map<string, number>();
  return ({ id, receivedBytes, totalBytes }) => {
    const size = sizes.get(id);
    if (!size) return;
    received.set(id, (size * receivedBytes) / totalBytes);
    report(sum(received.values()) / sum(sizes.values()));
  };
}
