import { beforeAll, expect, test } from 'vitest';
import { createReframer, type Reframer, type ReframerOptions } from '../../src/index.js';
import { bundledIds } from '../../src/inference/bundled.js';
import { modelsOf } from '../../src/pipeline/analysis/model-progress.js';
import type { PartName } from '../../src/schema/result.js';
import { createPlanes, type Planes } from '../fixtures/draw.js';
import { encodeClip } from '../fixtures/encode-clip.js';
import { drawTalkingHeads, talkingRateHz, talkingSound, talkingTruth } from '../fixtures/talking-heads.js';

/** One second to each side of the sample's cut: two people, then the one who speaks. */
const frameCount = 2 * talkingRateHz;
const [cut] = talkingTruth().cuts as [number];
const from = cut - talkingRateHz;

let clip: Blob;
beforeAll(async () => {
  const { samples, rateHz } = talkingSound();
  const first = Math.round((from / talkingRateHz) * rateHz);
  clip = await encodeClip(
    {
      frames: quartered(drawTalkingHeads(from, from + frameCount)),
      timesSec: Array.from({ length: frameCount }, (_, i) => i / talkingRateHz),
      sound: { samples: samples.slice(first, first + 2 * rateHz), rateHz },
    },
    { audioCodec: 'opus' },
  );
});

/** A whole job with the models of the package. */
async function reframe(options: ReframerOptions): ReturnType<Reframer['reframe']> {
  // A small input for faces: on the software adapter one look takes seconds.
  const reframer = createReframer({ ...options, models: { cache: false, faceLongSide: 192 } });
  try {
    return await reframer.reframe(clip, { plan: { outputHeight: 320 } });
  } finally {
    reframer.close();
  }
}

test.each([
  {
    device: 'webgpu',
    ran: { kind: 'webgpu', reason: expect.stringMatching(/^asked for/) },
    // The others are small or recurrent, and stay on the CPU.
    onGpu: ['edge-face', 'edge-speaker-visual'],
  },
  {
    device: 'auto',
    ran: { kind: 'wasm', reason: 'the only WebGPU adapter is a software one, which is slower than WASM' },
    onGpu: [],
  },
] as const)('a whole job with the device $device', { timeout: 600_000 }, async ({ device, ran, onGpu }) => {
  const { result, clip: portrait } = await reframe({ device });
  const { scene_detection, face_tracking_yolov8, active_speaker } = result.parts;
  const { diagnostics } = result;
  expect(diagnostics).toMatchObject({ device: ran, fallbacks: [] });
  const used = new Map(diagnostics.models!.map(model => [model.id, model.device]));
  const want = Object.keys(result.parts) as PartName[];
  expect([...used.keys()].sort()).toEqual(modelsOf({}, { want, have: {}, hasSound: true }).sort());
  expect(bundledIds).toEqual(expect.arrayContaining([...used.keys()]));
  expect([...used.keys()].filter(id => used.get(id) === 'webgpu').sort()).toEqual(onGpu);
  expect(scene_detection!.scenes.map(scene => scene.start_frame)).toEqual([0, talkingRateHz]);
  expect(face_tracking_yolov8!.tracks).toHaveLength(3);
  expect(active_speaker!.tracks.some(track => track.speaking_fraction > 0.5)).toBe(true);
  expect(portrait.file!.size).toBeGreaterThan(0);
  expect(portrait.diagnostics.fallbacks).toEqual([]);
});

test('a runtime that is not there is unavailable, whatever the models are', async () => {
  const elsewhere = { device: 'wasm', ortWasmUrl: '/nobody-put-it-here.wasm' } as const;
  await expect(reframe(elsewhere)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/ONNX Runtime does not run on wasm here/),
  });
});

/** Frames with a quarter of the width and height. */
function* quartered(frames: Iterable<Planes>): Generator<Planes> {
  for (const { width, height, data } of frames) {
    const small = createPlanes({ width: width / 4, height: height / 4 });
    let [read, written] = [0, 0];
    for (const step of [1, 2, 2]) {
      const [columns, rows] = [width / step, height / step];
      for (let y = 0; y < rows; y += 4)
        for (let x = 0; x < columns; x += 4) {
          let sum = 0;
          for (let i = 0; i < 16; i++) sum += data[read + (y + (i >> 2)) * columns + x + (i & 3)]!;
          small.data[written++] = sum / 16;
        }
      read += columns * rows;
    }
    yield small;
  }
}
