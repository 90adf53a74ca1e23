import type { WordSpan } from '../src/captions/index.js';
import {
  type CaptionStyle,
  type Clip,
  type Diagnostics,
  defaultCaptionStyle,
  type MediaFacts,
  type Override,
  type PartialResult,
  type Plan,
  type PlanRequest,
  type Progress,
  type ReframerOptions,
  type TimeRange,
} from '../src/index.js';
import type { Casting, Correction, PreviewStats } from '../src/preview/index.js';

/** A video that is open. */
export type Source = {
  readonly name: string;
  /** Tells one video from another, whatever its file is called. */
  readonly key: string;
  readonly input: Blob | string;
  /** What the `<video>` element plays. */
  readonly playUrl: string;
  readonly facts: MediaFacts;
  readonly reader: { readonly backend: string; readonly reason: string };
};

export const aspects = ['9:16', '4:5', '1:1', '16:9'] as const;
export type Aspect = (typeof aspects)[number];

/** Everything that a person decides about a video; one step of undo is one of these. */
export type Edit = Look & {
  readonly corrections: readonly Correction[];
  readonly aspect: Aspect;
  /** Who is who; everybody is a guest until somebody says otherwise. */
  readonly castings: readonly Casting[];
  /** Words that somebody corrected, by when they are said (`keyOfWord`). */
  readonly words: Readonly<Record<string, string>>;
  /** Names of speakers, by what the analysis calls them. */
  readonly speakers: Readonly<Record<string, string>>;
  /** Whether what is said is drawn into the picture, and what that looks like. */
  readonly captionsShown: boolean;
  readonly captionStyle: CaptionStyle;
  /** What an advisor answered, as overrides of this analysis. */
  readonly advice: readonly Override[];
  /** Stretches of the source that clips do without, in order. */
  readonly leftOut: readonly TimeRange[];
};

/** What holds for the whole clip, in the planner's own words. */
export type Look = Readonly<
  Pick<
    PlanRequest,
    | 'camera'
    | 'layout'
    | 'pace'
    | 'background'
    | 'backgroundColour'
    | 'gapRatio'
    | 'cornerRadiusRatio'
    | 'punchIn'
    | 'cutOffsetSec'
  >
>;

export const firstEdit: Edit = {
  corrections: [],
  aspect: '9:16',
  camera: 'lock',
  layout: 'auto',
  pace: 'standard',
  background: 'blur',
  backgroundColour: '#000000',
  gapRatio: 0,
  cornerRadiusRatio: 0,
  punchIn: false,
  cutOffsetSec: 0,
  castings: [],
  words: {},
  speakers: {},
  captionsShown: false,
  captionStyle: defaultCaptionStyle,
  advice: [],
  leftOut: [],
};

export type Analysis = {
  readonly status: 'none' | 'running' | 'paused' | 'done' | 'stopped' | 'failed';
  readonly progress?: Progress;
  /** What is known by now: all of it once the status is `done`. */
  readonly known?: PartialResult;
  readonly diagnostics?: Diagnostics;
  /** Seconds from the choice of the video to the first reframed picture. */
  readonly firstPictureSec?: number;
};

/** A video that this browser remembers. */
export type SavedVideo = { readonly key: string; readonly name: string; readonly corrections: number };

export type ExportSettings = {
  /** Shapes that were ticked by hand; until then the one that is shown. */
  readonly aspects?: readonly Aspect[];
  /** Pixels along the shorter side. */
  readonly shortSide: 540 | 720 | 1080;
  readonly quality: 'small' | 'good' | 'best';
  /** `file`: asked for in the system's dialogue; `browser`: kept in the browser's storage and offered for saving. */
  readonly target: 'file' | 'browser';
  /** Whether clips get what is said as a text track, where it is known. */
  readonly captions: boolean;
};

export type ExportJob = {
  readonly status: 'running' | 'done';
  readonly progress?: Progress;
  /** Which clip of how many, from 1. */
  readonly at: number;
  readonly of: number;
  readonly clips: readonly ExportedClip[];
};

export type ExportedClip = {
  readonly aspect: Aspect;
  readonly fileName: string;
  /** Absent where the clip went to a file of the person's choice. */
  readonly url?: string;
  readonly seconds: number;
  readonly diagnostics: Clip['diagnostics'];
};

/** Who is asked about difficult scenes, and what may be sent there. Nothing of it outlasts the tab. */
export type AdvisorSettings = {
  readonly kind: 'none' | 'server' | 'browser';
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
  readonly allowWords: boolean;
  readonly allowPictures: boolean;
};

export type EngineChoice = Required<Pick<ReframerOptions, 'device' | 'decoder' | 'threads'>>;

/** A face that was clicked and waits for what to do with it. */
export type PickedFace = { readonly faceId: number; readonly timeSec: number };

export type State = {
  readonly opening: boolean;
  readonly source?: Source | undefined;
  readonly analysis: Analysis;
  readonly edit: Edit;
  readonly undo: readonly Edit[];
  readonly redo: readonly Edit[];
  /** A correction that is being made: shown, not yet decided. */
  readonly draft?: Correction | undefined;
  readonly plan?: Plan | undefined;
  /** Rank of the scene under the playhead. */
  readonly scene: number;
  readonly playing: boolean;
  /** The playhead has reached what is not analysed yet, and waits. */
  readonly waiting: boolean;
  readonly playable: boolean;
  readonly picked?: PickedFace | undefined;
  /** Pictures of scenes by their first frame. */
  readonly thumbnails: ReadonlyMap<number, string>;
  readonly exportSettings: ExportSettings;
  readonly exporting?: ExportJob | undefined;
  /** Somebody looks at the quality report. */
  readonly reportOpen: boolean;
  readonly engine: EngineChoice;
  readonly advisor: AdvisorSettings;
  readonly advising: boolean;
  /** What was asked last and what became of it, as sentences. */
  readonly adviceNotes: readonly string[];
  readonly previewStats?: PreviewStats | undefined;
  /** Somebody wants to know what is said. */
  readonly wantsWords: boolean;
  /** Whether the recogniser lies beside the page; absent until the page has looked. */
  readonly wordsHere?: boolean;
  /** Somebody wants people to be known again after cuts, and whether the network for it lies beside the page. */
  readonly wantsPeople: boolean;
  readonly peopleHere?: boolean;
  /** Words that alone are exported, by their ranks; and where the selection began. */
  readonly selected?: WordSpan | undefined;
  readonly selectedFrom?: number | undefined;
  /** What is being written over: a word by its rank, or the speaker of the sentence that begins with it. */
  readonly writing?: { readonly kind: 'word' | 'speaker'; readonly rank: number } | undefined;
  readonly saved: readonly SavedVideo[];
  /** Everything that a visit without a network needs is kept. */
  readonly offline: boolean;
  /** What went wrong and what to do next, as sentences. */
  readonly failure?: string | undefined;
  /** The same in the library's words, for reports. */
  readonly failureDetail?: string | undefined;
  /** What has just happened, for those who listen instead of look. */
  readonly news: string;
  readonly theme: 'system' | 'light' | 'dark';
};

export const firstState = (): State => ({
  opening: false,
  analysis: { status: 'none' },
  edit: firstEdit,
  undo: [],
  redo: [],
  scene: 0,
  playing: false,
  waiting: false,
  playable: true,
  thumbnails: new Map(),
  exportSettings: {
    shortSide: 1080,
    quality: 'good',
    target: 'showSaveFilePicker' in window ? 'file' : 'browser',
    captions: true,
  },
  engine: {
    device: 'auto',
    decoder: 'auto',
    threads: crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1,
  },
  advisor: { kind: 'none', baseUrl: '', model: '', apiKey: '', allowWords: false, allowPictures: false },
  advising: false,
  adviceNotes: [],
  saved: [],
  wantsWords: localStorage.getItem('words') === 'on',
  wantsPeople: localStorage.getItem('people') === 'on',
  offline: false,
  reportOpen: false,
  news: '',
  theme: 'system',
});
