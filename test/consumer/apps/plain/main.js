import { countShotsByFfmpeg, runJob } from './job.js';

// The test writes where the library lies into the page's address.
const libraryOrigin = new URLSearchParams(location.search).get('library');
const { createReframer } = await import(`${libraryOrigin}/edge-reframe/src/index.js`);
const ffmpeg = {
  coreUrl: `${libraryOrigin}/ffmpeg-core/ffmpeg-core.js`,
  wasmUrl: `${libraryOrigin}/ffmpeg-core/ffmpeg-core.wasm`,
};
globalThis.runJob = where => runJob(createReframer, {}, where);
globalThis.countShotsByFfmpeg = where => countShotsByFfmpeg(createReframer, { ffmpeg }, where);
