/**
 * Where the ffmpeg.wasm core lies. The core is GPL and 32 MB, so nobody gets it unasked: the application
 * installs the core and says where the bundler put its files. Absolute or relative to the page.
 */
export type FfmpegUrls = {
  /** `ffmpeg-core.js` of `@ffmpeg/core`, from `dist/esm`. */
  readonly coreUrl: string;
  /** `ffmpeg-core.wasm` beside it. */
  readonly wasmUrl: string;
  /** The worker of `@ffmpeg/ffmpeg`, only where the bundler does not find it by itself. */
  readonly classWorkerUrl?: string;
  /** `ffmpeg-core.worker.js` of `@ffmpeg/core-mt`: the other two URLs are then of core-mt. Needs cross-origin isolation. */
  readonly workerUrl?: string;
};

/** What to do where a file needs ffmpeg.wasm and there is none. */
export const ffmpegHint =
  'Install the fallback reader (npm install @ffmpeg/core) and pass its files as the option ffmpeg: { coreUrl, wasmUrl }.';
