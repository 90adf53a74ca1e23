/** Where one model came from and what runs it. */
export type ModelUse = {
  /** Id of the model in the manifest. */
  readonly id: string;
  /** `caller`, `bundled`, `download` or `cache`. */
  readonly from: string;
  /** What runs the model: the GPU, or the CPU by WebAssembly. */
  readonly device: 'webgpu' | 'wasm';
  /** Size of the model's file in bytes. */
  readonly sizeBytes: number;
};

/** Wall-clock time of one stage, from start to answer. Stages run side by side, so they add up to more than the whole. */
export type StageTime = { readonly seconds: number; readonly count: number };

/** What ran where, why, and for how long. Never compared: two equal analyses differ here. */
export type Diagnostics = {
  /** The reader of the source and why it was chosen. */
  readonly media?: { readonly backend: string; readonly reason: string };
  /** The device that runs the networks and why. */
  readonly device?: { readonly kind: 'webgpu' | 'wasm'; readonly reason: string; readonly threads: number };
  /** What reads pixels for models, or draws output frames. */
  readonly pixels?: 'webgpu' | 'cpu';
  /** The networks in use; only for an analysis. */
  readonly models?: readonly ModelUse[];
  /** Seconds per stage, by the stage's name. */
  readonly stages: Readonly<Record<string, StageTime>>;
  /** Wall-clock seconds of the whole call. */
  readonly seconds: number;
  /** Seconds of media that the call covered. */
  readonly mediaSec: number;
  /**
   * Where an analysis that went on from a saved state, or a render from closed chunks, began to read frames,
   * in seconds of the source. What the call before had read from here on was read twice. Absent where the
   * present call began at the start.
   */
  readonly resumedFromSec?: number;
  /** Chunks of a resumable render: how many showed what earlier renders had encoded, and how many were encoded. */
  readonly chunks?: { readonly reused: number; readonly encoded: number };
  /** Each fallback taken, as a sentence. */
  readonly fallbacks: readonly string[];
  /** Sound and picture of a rendered clip. */
  readonly output?: {
    /** How the picture was encoded, for a person to read. */
    readonly video: string;
    /** How the sound was encoded or copied, for a person to read. */
    readonly audio: string;
    /** Size of the clip's file in bytes. */
    readonly sizeBytes: number;
    /** Frames of picture in the clip. */
    readonly frames: number;
  };
};
