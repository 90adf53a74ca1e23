import { expect, test } from 'vitest';
import { syncSize } from '../../../src/core/speaker-evidence.js';
import { embeddingSize, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { createSpeakerScorer, type SpeakerScorer } from '../../../src/inference/speaker-scorer.js';
import { createSyncProjector } from '../../../src/inference/sync-projector.js';

const cropSize = 112 * 112;
/**
 * Encoders that see three frames on each side, as real ones see some: channel 0 is the mean of what the frames
 * hold. The back end says face minus sound, so that a face whose brightness is the frame's sound scores 0.
 */
function fakeModel() {
  const seen = { faces: 0, longest: 0 };
  const blur = (values: number[]) =>
    values.map((_, i) => {
      const near = values.slice(Math.max(0, i - 3), i + 4);
      return near.reduce((sum, value) => sum + value, 0) / near.length;
    });
  const embed = (values: number[]) => {
    const out = new Float32Array(values.length * embeddingSize);
    blur(values).forEach((value, i) => {
      out[i * embeddingSize] = value;
    });
    return out;
  };
  const model: SpeakerModel = {
    name: 'fake',
    sync: {
      faces: new Float32Array(3 * embeddingSize * syncSize).fill(1),
      sound: new Float32Array(3 * embeddingSize * syncSize).fill(1),
    },
    async embedFaces(crops) {
      if (crops.kind !== 'cpu') throw new Error('pixels of the CPU only');
      const frames = crops.dims[1]!;
      seen.faces += frames;
      seen.longest = Math.max(seen.longest, frames);
      return embed(Array.from({ length: frames }, (_, i) => crops.data[i * cropSize]!));
    },
    async embedSound(features) {
      return embed(Array.from({ length: features.length / 52 }, (_, i) => features[i * 52]!));
    },
    score: async (faces, sound, windowFrames) =>
      Float32Array.from({ length: faces.length / embeddingSize }, (_, i) => {
        if (faces.length % (windowFrames * embeddingSize)) throw new Error('windows must be whole');
        return faces[i * embeddingSize]! - sound[i * embeddingSize]!;
      }),
    close: async () => {},
  };
  return { model, seen };
}

const sound = (frames: number) =>
  Float32Array.from({ length: frames * 640 }, (_, i) => 0.3 * Math.sin(i * 0.05) * Math.sin(i * 0.0007));
const brightness = (frame: number) => 100 + (frame % 50);

async function score(
  frames: number,
  soundLead: number,
  soundPiece = 640,
  onFrame?: (scorer: SpeakerScorer) => Promise<SpeakerScorer>,
) {
  const { model, seen } = fakeModel();
  let scorer = await createSpeakerScorer(model);
  const samples = sound(frames);
  const crop = new Float32Array(cropSize);
  let heard = 0;
  for (let frame = 0; frame < frames; frame++) {
    while (heard < Math.min(samples.length, (frame + soundLead) * 640)) {
      await scorer.pushSound(samples.subarray(heard, heard + soundPiece));
      heard += soundPiece;
    }
    await scorer.pushCrop(1, frame, crop.fill(brightness(frame)));
    if (frame >= 40 && frame < 60) await scorer.pushCrop(2, frame, crop.fill(7));
    if (frame === 60) await scorer.endRun(2);
    scorer = (await onFrame?.(scorer)) ?? scorer;
  }
  return { ...(await scorer.finish()), seen };
}

test('each run has a score, a contrast and a projection for each of its frames, and the sound too', async () => {
  const { faces, sound } = await score(200, 75);
  expect(
    [...faces].map(([id, e]) => [id, e.firstGridFrame, e.score.length, e.shifted.length, e.lips.length]),
  ).toEqual([
    [1, 0, 200, 200, 200 * syncSize],
    [2, 40, 20, 20, 20 * syncSize],
  ]);
  expect(sound.lips.length).toBe(200 * syncSize);
});

test('how sound and faces arrive changes nothing', async () => {
  const one = await score(200, 75);
  const other = await score(200, 250, 1111);
  expect(other.faces.get(1)!.score).toEqual(one.faces.get(1)!.score);
  expect(other.faces.get(1)!.shifted).toEqual(one.faces.get(1)!.shifted);
  expect(other.sound).toEqual(one.sound);
});

test('what is told on the way comes soon after the faces, and changes nothing', async () => {
  const told: number[] = [];
  const one = await score(200, 75, 640, async scorer => {
    const face = (await scorer.soFar()).get(1);
    expect(face!.shifted.length).toBe(face!.score.length);
    expect([...face!.score].every(Number.isFinite)).toBe(true);
    told.push(face!.score.length);
    return scorer;
  });
  expect(told.at(-1)).toBe(100);
  expect(Math.max(...told.map((count, frame) => frame - count))).toBeLessThan(125);
  const other = await score(200, 75);
  expect(one.faces.get(1)).toEqual(other.faces.get(1));
});

test('a scorer goes on from what another one saved, at any frame', async () => {
  const whole = await score(260, 75);
  const { model } = fakeModel();
  const taken = await score(260, 75, 640, scorer =>
    createSpeakerScorer(model, structuredClone(scorer.save())),
  );
  expect(taken.faces).toEqual(whole.faces);
  expect(taken.sound).toEqual(whole.sound);
});

test('long runs are embedded in short pieces, each frame once and a small halo twice', async () => {
  const { faces, seen } = await score(1700, 75);
  expect(faces.get(1)!.score).toHaveLength(1700);
  expect(seen.longest).toBeLessThanOrEqual(118);
  expect(seen.faces).toBeLessThan(1700 * 1.2 + 20);
  // Across all seams the embedding is that of one pass: the mean over seven frames of a sawtooth.
  const { score: scores, lips } = faces.get(1)!;
  const inner = (frame: number) => lips[frame * syncSize]!;
  for (const frame of [96, 99, 100, 104, 1499, 1500, 1501]) {
    expect(inner(frame)).toBeCloseTo(inner((frame % 50) + 200), 2);
    expect(Number.isFinite(scores[frame]!)).toBe(true);
  }
});

test('a face beyond the end of the sound meets silence', async () => {
  const { model } = fakeModel();
  const scorer = await createSpeakerScorer(model);
  await scorer.pushSound(sound(10));
  for (let frame = 0; frame < 30; frame++) await scorer.pushCrop(1, frame, new Float32Array(cropSize));
  const { score: scores } = (await scorer.finish()).faces.get(1)!;
  expect(scores[29]!).toBeCloseTo(-Math.log(2 ** -52), 3);
});

test('nothing in, nothing out', async () => {
  const { faces, sound: heard } = await (await createSpeakerScorer(fakeModel().model)).finish();
  expect(faces.size).toBe(0);
  expect(heard.lips.length).toBe(0);
});

test('a projection sees the frame before and the frame after', () => {
  const matrix = new Float32Array(3 * embeddingSize * syncSize);
  for (const [k, weight] of [1, 10, 100].entries()) matrix[k * embeddingSize * syncSize] = weight;
  const projector = createSyncProjector(matrix);
  for (const value of [1, 2, 3]) projector.push(new Float32Array(embeddingSize).fill(value));
  const out = projector.finish();
  expect([out[0], out[syncSize], out[2 * syncSize]]).toEqual([211, 321, 332]);
  expect(createSyncProjector(undefined).finish()).toHaveLength(0);
});
