import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { createReframer } from 'edge-reframe';
import { countShotsByFfmpeg, runJob } from '../job.js';

globalThis.runJob = where => runJob(createReframer, {}, where);
globalThis.countShotsByFfmpeg = where =>
  countShotsByFfmpeg(createReframer, { ffmpeg: { coreUrl, wasmUrl } }, where);
