import { describe, expect, test } from 'vitest';
import { toContent } from '../../../../src/core/content/content.js';
import type { Look } from '../../../../src/core/content/look.js';
import { createTurnedFolder } from '../../../../src/core/content/turned-heads.js';
import type { Detection } from '../../../../src/core/detection.js';
import type { FaceTrack } from '../../../../src/core/tracks.js';
import { lookSize, looksAt, over, type Paint, plain, scene } from '../../../fixtures/drawn-looks.js';

const source = { width: 1920, height: 1080 };
/** Middle of a head, in pixels of looks, which sways. */
const headAt = (timeSec: number) => ({ x: 190 + 25 * Math.sin(0.8 * timeSec), y: 90 });
/** An oval with hair on it, which turns from its front to its back between two moments, before a still wall. */
const head =
  (turnSec: number, goneSec = 1e9): Paint =>
  (x, y, timeSec) => {
    const at = headAt(timeSec);
    const [dx, dy] = [(x - at.x) / 16, (y - at.y) / 21];
    const ground = 120 + 25 * Math.sin(x / 19) * Math.cos(y / 13);
    if (timeSec >= goneSec) return ground;
    if (Math.abs(x - at.x) < 34 && y > at.y + 21) return 60 + (x % 9 < 4 ? 12 : 0);
    if (dx * dx + dy * dy > 1) return ground;
    const turn = Math.min(1, Math.max(0, (timeSec - turnSec) / 0.8));
    const front =
      dy < -0.45 ? 45 : 190 - (Math.abs(dy) < 0.2 && Math.abs(Math.abs(dx) - 0.4) < 0.15 ? 110 : 0);
    return (1 - turn) * front + turn * 50;
  };
const faceAt = (timeSec: number): Detection => {
  const at = headAt(timeSec);
  return { x: (at.x - 14) * 5, y: (at.y - 16) * 5, width: 140, height: 165, confidence: 0.9 };
};
type Seen = { readonly looks: readonly Look[]; readonly isFace: (timeSec: number) => boolean };
const run = ({ looks, isFace }: Seen) => {
  const folder = createTurnedFolder(source);
  for (const look of looks) folder.push(look, isFace(look.timeSec) ? [faceAt(look.timeSec)] : []);
  return folder.runs();
};

describe('a head that turns away', () => {
  test('is followed until its face is found again', () => {
    const isFace = (t: number) => t < 2 || t > 5.1;
    const [turned, ...others] = run({ looks: looksAt(head(1.8), 7), isFace });
    expect(others).toEqual([]);
    expect(turned!.last.timeSec).toBeCloseTo(1.8);
    expect(turned!.boxes.at(-1)!.timeSec).toBeCloseTo(5);
    for (const { x, y, width, height, timeSec } of turned!.boxes) {
      const truth = faceAt(timeSec);
      expect(Math.abs(x + width / 2 - truth.x - truth.width / 2)).toBeLessThan(0.35 * truth.width);
      expect(Math.abs(y + height / 2 - truth.y - truth.height / 2)).toBeLessThan(0.35 * truth.height);
    }
  });

  test('is followed for five seconds at most', () => {
    const [turned] = run({ looks: looksAt(head(1.8), 10), isFace: t => t < 2 });
    const { last, boxes } = turned!;
    expect(boxes.at(-1)!.timeSec - last.timeSec).toBeGreaterThan(4.7);
    expect(boxes.at(-1)!.timeSec - last.timeSec).toBeLessThanOrEqual(5.001);
  });

  test('is given up at a cut', () => {
    const looks = looksAt(head(1.8), 6, { cutsSec: [3] });
    expect(run({ looks, isFace: t => t < 2 })[0]!.boxes.at(-1)!.timeSec).toBeLessThan(3);
  });

  test('is given up when it leaves', () => {
    const boxes = run({ looks: looksAt(head(1e9, 3), 7), isFace: t => t < 2 })[0]!.boxes;
    expect(boxes.at(-1)!.timeSec).toBeLessThan(3.5);
  });

  test('is not followed where there is nothing to see', () => {
    expect(
      run({
        looks: looksAt(over(scene, plain(90), { x: 100, y: 0, width: 200, height: 216 }), 4),
        isFace: t => t < 2,
      }),
    ).toEqual([]);
  });

  test('goes on from a saved state, to the number', () => {
    const looks = looksAt(head(1.8), 6);
    const isFace = (t: number) => t < 2;
    const whole = run({ looks, isFace });
    const before = createTurnedFolder(source);
    for (const look of looks.slice(0, 13))
      before.push(look, isFace(look.timeSec) ? [faceAt(look.timeSec)] : []);
    const after = createTurnedFolder(source, JSON.parse(JSON.stringify(before.save())));
    for (const look of looks.slice(13)) after.push(look, []);
    expect(after.runs()).toEqual(whole);
  });
});

describe('the part', () => {
  const shots = [{ startFrame: 0, endFrame: 150, startSec: 0, endSec: 6 }];
  const turned = run({ looks: looksAt(head(1.8), 6), isFace: t => t < 2 });
  const evidence = { size: lookSize, bars: [], read: [], attention: [], gazes: [], turned };
  const clock = { frameRateHz: 25, totalFrames: 150, ...source };
  const trackOf = (frames: readonly number[]): FaceTrack => ({
    faceId: 7,
    boxes: frames.map(frameNumber => ({
      frameNumber,
      timeSec: frameNumber / 25,
      ...faceAt(frameNumber / 25),
    })),
  });
  const upTo = (end: number) => Array.from({ length: end }, (_, frame) => frame);

  test('names the face whose head it is, and leaves out frames in which the face is there', () => {
    const faces = [trackOf([...upTo(50), ...upTo(150).slice(100)])];
    const [shot] = toContent(evidence, shots, faces, clock).shots;
    expect(shot!.turned.map(({ face_id }) => face_id)).toEqual([7]);
    const frames = shot!.turned[0]!.boxes.map(({ frame_number }) => frame_number);
    expect(frames.length).toBeGreaterThan(6);
    expect(frames.every(frame => frame >= 50 && frame < 100)).toBe(true);
  });

  test('leaves out what was no face of the result', () => {
    expect(toContent(evidence, shots, [], clock).shots[0]!.turned).toEqual([]);
  });
});
