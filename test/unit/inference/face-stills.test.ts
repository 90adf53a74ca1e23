import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { iou } from '../../../src/core/box.js';
import type { FaceDetector } from '../../../src/inference/face-detector.js';
import { openSession } from '../../../src/inference/session.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import { createYunet } from '../../../src/inference/yunet.js';
import { readPng } from '../../fixtures/read-png.js';

const shared = new URL('../../../../shared/', import.meta.url);
const read = (path: string) => new Uint8Array(readFileSync(new URL(path, shared)));
/** The picture that this square was made of. */
const display = { width: 1080, height: 1440 };

type Still = { box: [number, number, number, number]; conf: number; kpts: [number, number, number][] };

async function detectStill(detector: FaceDetector) {
  const { rgb, width, height } = readPng(read('golden/face_2_letterbox640.png'));
  const { channelOrder, scale } = detector.inputSpec(display);
  const data = new Float32Array(rgb.length);
  const plane = width * height;
  for (let i = 0; i < rgb.length; i++) {
    const channel = channelOrder === 'rgb' ? i % 3 : 2 - (i % 3);
    data[channel * plane + Math.floor(i / 3)] = rgb[i]! * scale;
  }
  const found = await detector.detect({ kind: 'cpu', dims: [1, 3, height, width], data }, display);
  return found.filter(({ confidence }) => confidence >= 0.45);
}

describe.skipIf(!existsSync(shared))('face models on a still (needs ../shared)', () => {
  const golden = () => JSON.parse(readFileSync(new URL('golden/face_stills.json', shared), 'utf8'));
  const open = (file: string) =>
    openSession(read(`models/${file}.onnx`), file, { device: 'wasm', threads: 1 });
  const toBox = ([left, top, right, bottom]: Still['box']) => ({
    x: left,
    y: top,
    width: right - left,
    height: bottom - top,
  });

  test.each([
    ['yolov8n-face-dist.w8', 'yolov8n-face.w8'],
    ['yolov8n-face.w8', 'yolov8n-face.w8'],
    ['yolov8-lite-t-face', 'yolov8-lite-t-face'],
    ['yolov8-lite-t-face-dist.w16', 'yolov8-lite-t-face.w16'],
  ])('%s gives the reference face', { timeout: 60_000 }, async (file, reference) => {
    const faces: Still[] = golden()['face_2.jpg'].models[reference].faces;
    const detector = createYolov8Face(await open(file), file);
    const found = await detectStill(detector);
    await detector.close();
    expect(found).toHaveLength(faces.length);
    expect(iou(found[0]!, toBox(faces[0]!.box))).toBeGreaterThan(0.98);
    expect(found[0]!.confidence).toBeCloseTo(faces[0]!.conf, 2);
    found[0]!.landmarks!.forEach((point, k) => {
      const [x, y] = faces[0]!.kpts[k]!;
      expect(Math.hypot(point.x - x, point.y - y)).toBeLessThan(0.02 * found[0]!.width);
    });
  });

  test('yunet_n_dynamic sees the same face', { timeout: 60_000 }, async () => {
    const detector = createYunet(await open('yunet_n_dynamic'), 'yunet');
    const found = await detectStill(detector);
    await detector.close();
    expect(found).toHaveLength(1);
    expect(
      iou(found[0]!, toBox(golden()['face_2.jpg'].models['yolov8n-face.w8'].faces[0].box)),
    ).toBeGreaterThan(0.85);
  });
});
