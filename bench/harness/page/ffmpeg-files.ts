import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import threadedWasmUrl from '@ffmpeg/core-mt/wasm?url';
import threadedWorker from '@ffmpeg/core-mt/worker?raw';
import threadedCoreUrl from '@ffmpeg/core-mt?url';
import type { FfmpegUrls } from '../../../src/media/ffmpeg/ffmpeg-urls.js';

const absolute = (url: string) => new URL(url, location.href).href;

/** The single-threaded core, which the library uses. */
export const ffmpegSingle: FfmpegUrls = { coreUrl: absolute(coreUrl), wasmUrl: absolute(wasmUrl) };

/** The multi-threaded core. Its worker is a classic script, which the development server would serve as a module. */
export const ffmpegThreaded: FfmpegUrls = {
  coreUrl: absolute(threadedCoreUrl),
  wasmUrl: absolute(threadedWasmUrl),
  workerUrl: URL.createObjectURL(new Blob([threadedWorker], { type: 'text/javascript' })),
};
