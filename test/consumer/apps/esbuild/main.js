import { createReframer } from 'edge-reframe';
import { countShotsByFfmpeg, runJob } from '../job.js';

// esbuild emits no workers: the package's dist/standalone lies beside the app.
const options = {
  assetBaseUrl: './edge-reframe',
  ffmpeg: { coreUrl: './ffmpeg-core/ffmpeg-core.js', wasmUrl: './ffmpeg-core/ffmpeg-core.wasm' },
};
globalThis.runJob = where => runJob(createReframer, options, where);
globalThis.countShotsByFfmpeg = where => countShotsByFfmpeg(createReframer, options, where);
