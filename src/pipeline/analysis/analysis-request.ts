import type { SpeakerEvidence } from '../../core/speaker-evidence.js';
import type { FaceDetector } from '../../inference/face-detector.js';
import type { FaceEmbedder } from '../../inference/face-embedder.js';
import type { SpeakerModel } from '../../inference/lr-asd.js';
import type { SceneCutModel } from '../../inference/scene-cuts.js';
import type { SpeechDetector, SpeechState } from '../../inference/silero.js';
import type { TranscriptionModel } from '../../inference/transcription-model.js';
import type { VoiceEmbedder } from '../../inference/voice-embedder.js';
import type { ReadRange } from '../../media/media.js';
import type { Sampler } from '../../sampling/sampler.js';
import type { AnalysisState } from '../../schema/analysis-state.js';
import type { AnalysisParts, PartName } from '../../schema/result.js';
import type { TimeRange } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';

/** What an analysis works with; each model is asked for only if a wanted part needs it. */
export type AnalysisTools = {
  readonly sampler: Sampler;
  readonly faces: () => Promise<FaceDetector>;
  readonly speaker: () => Promise<SpeakerModel>;
  /** @param saved - What the detector goes on from. */
  readonly speech: (saved?: SpeechState) => Promise<SpeechDetector>;
  /** Resolves to undefined where the network that tells voices apart could not be loaded. */
  readonly voice: () => Promise<VoiceEmbedder | undefined>;
  readonly words: () => Promise<TranscriptionModel>;
  /** Tells people apart by their faces. */
  readonly people: () => Promise<FaceEmbedder>;
  /** Resolves to undefined where the model-free analyser is to decide. */
  readonly sceneCuts: () => Promise<SceneCutModel | undefined>;
  readonly stopwatch: Stopwatch;
};

export type AnalysisRequest = ReadRange & {
  readonly want: readonly PartName[];
  /** Parts of the same source and range; not computed again. */
  readonly have: AnalysisParts;
  readonly faceLongSide?: number;
  /** Whether to say which faces are one person, where faces are looked for. Default false. */
  readonly identities?: boolean;
  /** Told after each frame how far the analysis is. */
  readonly onTime?: (timeSec: number) => void;
  /**
   * Told about once a second what is known by then; `range` ends with the last frame that is settled. The
   * analysis goes on when the returned promise settles.
   */
  readonly onPartial?: (partial: Analysis) => Promise<void>;
  /**
   * Told every ten seconds (`saveStepSec`) of media what is needed to go on from there. The analysis goes on
   * when the returned promise settles.
   */
  readonly onSave?: (state: AnalysisState) => Promise<void>;
  /**
   * Told at the end, before the result, by what evidence it was decided who speaks; not called where nobody
   * listened.
   */
  readonly onEvidence?: (evidence: SpeakerEvidence) => Promise<void>;
  /** A state that `onSave` was told; used if it fits. */
  readonly resume?: AnalysisState;
};

export type Analysis = {
  readonly parts: AnalysisParts;
  readonly range: { readonly firstFrame: number; readonly frameCount: number };
  /** When a voice is heard; absent unless the speaker part was computed. */
  readonly speech?: readonly TimeRange[];
};
