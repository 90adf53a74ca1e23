import type { CaptionParts } from '../captions/burn/caption-stretches.js';
import type { SpeakerEvidence } from '../core/speaker-evidence.js';
import type { EngineOptions } from '../pipeline/engine-options.js';
import type { CaptionTrack, RenderReport, RenderSettings } from '../pipeline/rendering/render-tasks.js';
import type { Advisor } from '../schema/advisor.js';
import type { AnalysisState } from '../schema/analysis-state.js';
import type { CallOptions } from '../schema/call-options.js';
import type { CaptionStyle } from '../schema/caption-style.js';
import type { PlanRequest } from '../schema/plan.js';
import type { AnalysisParts, AnalysisResult, PartialResult, PartName } from '../schema/result.js';
import type { TranscribeSpeech } from '../schema/spoken-words.js';
import type { TimeRange } from '../schema/time.js';
import type { WorkerUrls } from '../spawn.js';

/** How a reframer works; every field has a default, and nothing is fetched from another origin unless named here. */
export type ReframerOptions = Partial<EngineOptions> & {
  /** Folder that holds `workers/` of the package's `dist/standalone`, for pages without a bundler. */
  readonly assetBaseUrl?: string | URL;
  /** Writes down what is said in the place of a recogniser of this library's. */
  readonly transcriber?: TranscribeSpeech;
  /** Single worker scripts, where a bundler or a policy puts them elsewhere. */
  readonly workerUrls?: WorkerUrls;
};

/** The stretch of the source that a call is about. */
export type RangeOptions = {
  /** Start of the range in seconds; default the start of the source. */
  readonly startSec?: number;
  /** End of the range in seconds; default the end of the source. */
  readonly endSec?: number;
};

/** What an analysis is asked for. */
export type AnalyseOptions = CallOptions &
  RangeOptions & {
    /** Parts to compute; default all but `diarization` and `transcription`, whose files do not ship. */
    readonly want?: readonly PartName[];
    /** Parts of the same source that exist already; they are reused and not computed again. */
    readonly have?: AnalysisParts;
    /**
     * Told about once a second what is known so far, which `plan` takes: a preview can begin long before the result.
     * The analysis goes on when the answer settles, so a promise that waits is a pause.
     */
    readonly onPartial?: (partial: PartialResult) => void | Promise<void>;
    /**
     * Told about every ten seconds of media with all that is needed to go on from there; the analysis waits
     * until the answer settles. When the answer rejects, so does the analysis.
     */
    readonly onSave?: (state: AnalysisState) => void | Promise<void>;
    /**
     * Told once, at the end, by what evidence it was decided who speaks: scores, agreement of lips and sound,
     * and timbre, for measurements and for deciding otherwise. Not called where the source has no sound.
     */
    readonly onEvidence?: (evidence: SpeakerEvidence) => void | Promise<void>;
    /**
     * Language of what is said, as BCP 47 tag, for the part `transcription`: a recogniser of one language refuses others
     * with `model_unavailable`, a `transcriber` is told. Default the recogniser's.
     */
    readonly language?: string;
    /**
     * Whether faces of one person get one `person_id`, over cuts, with a `person_confidence`. Needs the file that
     * `npm run models -- --add identities` makes, and faces that are looked for in this call: not those of `have`.
     * Descriptors of faces stay in memory until the call ends: no result and no state holds any, so a call with `resume`
     * reads the frames again in which faces were looked at. Previews name no people. Default false.
     */
    readonly identities?: boolean;
    /**
     * Goes on from a state that `onSave` was told. A state that does not fit (another version, range, source,
     * list of parts or model) is not used, and `diagnostics.fallbacks` says why.
     */
    readonly resume?: AnalysisState;
  };

/** How a clip is written, and where it goes. */
export type RenderOptions = CallOptions &
  Partial<RenderSettings> & {
    /**
     * Where the clip goes: a file of the browser's private storage (default; the answer's `file`), a stream that the
     * caller opened (chunks `{ type: 'write', data, position }`, as `createWritable()` of a file takes them), or memory.
     */
    readonly target?: 'storage' | 'memory' | WritableStream;
    /** Name of the file in the browser's private storage. */
    readonly fileName?: string;
    /**
     * Keeps what is encoded in closed stretches beside the clip until that is complete, so that the same
     * render (the same source, plan and settings under the same `fileName`) goes on where an earlier one was
     * aborted or killed. Needs the target `storage` and a `fileName`, and up to twice the clip's bytes.
     * `discardChunks` gives up what an aborted render left. `keep` leaves the stretches beside the finished clip
     * too, so that a corrected plan encodes only those that show something else. Default false.
     */
    readonly resumable?: boolean | 'keep';
    /**
     * What the clip shows of the plan's stretch of the source, in order, without overlaps: pieces of different places make one
     * clip. Picture and sound are cut between the same two frames, at most 50 ms away (elsewhere only where one picture stands
     * for longer), and the sound is faded for 15 ms on each side of a cut. Captions stay on the source's clock. Default
     * all of it.
     */
    readonly keep?: readonly TimeRange[];
    /** Captions that become a text track (WebVTT) of the clip, which players may show; the picture stays as it is. */
    readonly captionTrack?: CaptionTrack;
    /** Captions that are drawn into the picture, for players and apps that show no text tracks. */
    readonly burnCaptions?: BurnCaptions;
  };

/** Captions that are drawn into the picture. Each is drawn when the source's frame of its time is shown. */
export type BurnCaptions = CaptionTrack & {
  /**
   * Parts of the source's analysis that say what captions must not cover: faces, and lettering that the picture has
   * already. Without them captions stand where the style wants them.
   */
  readonly parts?: CaptionParts;
  /** What captions look like; fields that are absent are those of `defaultCaptionStyle`. */
  readonly style?: Partial<CaptionStyle>;
};

/** A finished clip. `file` is absent when the clip went to the caller's stream. */
export type Clip = RenderReport & { readonly file?: Blob };

/** What `reframe` takes: the options of its analysis, its plan and its render. */
export type ReframeOptions = Omit<AnalyseOptions, 'want' | 'have' | 'onSave' | 'onEvidence' | 'resume'> &
  Omit<RenderOptions, 'captionTrack' | 'burnCaptions' | 'keep'> & {
    /**
     * What the clip shows of the range, as for `render`, or what says so once the analysis is known, for example
     * `({ parts }) => removeSilences(parts.transcription, …)`. Captions leave out words that are not kept.
     */
    readonly keep?: readonly TimeRange[] | ((result: AnalysisResult) => readonly TimeRange[]);
    readonly plan?: Partial<PlanRequest>;
    /** Asked about the difficult scenes of the plan, as by `advise`, with pictures of this source. Default none. */
    readonly advisor?: Advisor;
    /** Parts to compute beside those that the clip needs. */
    readonly also?: readonly FurtherPart[];
    /** Writes what is said into the clip as a text track, for which the part `transcription` is computed. Default false. */
    readonly captionTrack?: boolean;
    /**
     * Draws what is said into the picture, in this style or the default one, for which the part `transcription` is
     * computed. Default false.
     */
    readonly burnCaptions?: boolean | Partial<CaptionStyle>;
  };

/** Parts that only whoever asks for them gets. */
export type FurtherPart = 'transcription' | 'diarization';
