import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { iou } from '../../../src/core/box.js';
import { bundledUrl } from '../../../src/inference/bundled.js';
import type { FaceDetector } from '../../../src/inference/face-detector.js';
import { openSession } from '../../../src/inference/session.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import { readPng } from '../../fixtures/read-png.js';

const shared = new URL('../../../../shared/', import.meta.url);
let detector: FaceDetector;
beforeAll(async () => {
  const bytes = new Uint8Array(readFileSync(bundledUrl('edge-face')!));
  detector = createYolov8Face(
    await openSession(bytes, 'edge-face', { device: 'wasm', threads: 1 }),
    'edge-face',
  );
});
afterAll(() => detector.close());

const sure = (found: Awaited<ReturnType<FaceDetector['detect']>>) =>
  found.filter(({ confidence }) => confidence >= 0.45);

test.each([
  [96, 64],
  [320, 192],
])('sees no face in %d×%d pixels of grey and of stripes', async (width, height) => {
  for (const value of [() => 0.45, (i: number) => ((i >> 3) % 2 === 0 ? 0.2 : 0.8)]) {
    const data = Float32Array.from({ length: 3 * width * height }, (_, i) => value(i));
    const found = await detector.detect(
      { kind: 'cpu', dims: [1, 3, height, width], data },
      { width, height },
    );
    expect(sure(found)).toEqual([]);
  }
});

test.skipIf(!existsSync(shared))(
  'finds the one face of a still, and its eyes, nose and mouth about where they are (needs ../shared)',
  { timeout: 60_000 },
  async () => {
    const read = (path: string) => readFileSync(new URL(path, shared));
    const reference = JSON.parse(read('golden/face_stills.json').toString())['face_2.jpg'];
    const { box, kpts } = reference.models['yolov8n-face.w8'].faces[0];
    const { rgb, width, height } = readPng(new Uint8Array(read('golden/face_2_letterbox640.png')));
    const plane = width * height;
    const data = new Float32Array(3 * plane);
    rgb.forEach((value, i) => {
      data[(i % 3) * plane + Math.floor(i / 3)] = value / 255;
    });
    // The picture that the square was made of.
    const display = { width: 1080, height: 1440 };
    const found = sure(await detector.detect({ kind: 'cpu', dims: [1, 3, height, width], data }, display));
    expect(found).toHaveLength(1);
    const [left, top, right, bottom] = box;
    expect(iou(found[0]!, { x: left, y: top, width: right - left, height: bottom - top })).toBeGreaterThan(
      0.75,
    );
    found[0]!.landmarks!.forEach(({ x, y }, k) => {
      expect(Math.hypot(x - kpts[k][0], y - kpts[k][1])).toBeLessThan(0.2 * found[0]!.width);
    });
  },
);
