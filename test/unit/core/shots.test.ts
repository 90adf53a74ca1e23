import { describe, expect, test } from 'vitest';
import { modelFreeName, toSceneDetection } from '../../../src/core/scene-detection.js';
import { createShotAnalyser, type ShotSample } from '../../../src/core/shots.js';
import { analyserContract } from '../../contract/analyser-contract.js';
import { drawPlain, drawScene, merge, mix, toSamples } from '../../fixtures/thumbnails.js';

const [a, b, c] = [drawScene(1), drawScene(2), drawScene(3)];
const hold = (thumbnail: Float32Array, count: number) => Array<Float32Array>(count).fill(thumbnail);
const each = (count: number, draw: (i: number) => Float32Array) =>
  Array.from({ length: count }, (_, i) => draw(i));

function cutsOf(thumbnails: readonly Float32Array[], frameRateHz = 25): number[] {
  const analyser = createShotAnalyser();
  for (const sample of toSamples(thumbnails, frameRateHz)) analyser.push(sample);
  return analyser
    .finish()
    .shots.slice(1)
    .map(shot => shot.startFrame);
}

describe('hard cuts', () => {
  test('are found on the exact frame', () => {
    expect(cutsOf([...hold(a, 20), ...hold(b, 13), ...hold(c, 20)])).toEqual([20, 33]);
  });

  test('are found while both shots pan', () => {
    const pan = (seed: number) => each(20, i => drawScene(seed, { panX: i * 0.7 }));
    expect(cutsOf([...pan(1), ...pan(2)])).toEqual([20]);
  });

  test('are found in dark noisy video, where noise alone gives none', () => {
    const dark = (seed: number, from: number) =>
      each(20, i => drawScene(seed, { gain: 0.25, noise: 0.02, noiseSeed: from + i }));
    expect(cutsOf([...dark(1, 0), ...dark(2, 100)])).toEqual([20]);
  });

  test('are found where hardly anything can be seen', () => {
    const night = (seed: number) => drawScene(seed, { gain: 0.25, lift: 0.02 });
    expect(cutsOf([...hold(night(1), 20), ...hold(night(2), 20)])).toEqual([20]);
  });

  test('are found between letterboxed pictures', () => {
    const bars = (picture: Float32Array) => merge(picture, drawPlain(0), (_, y) => y >= 6 && y < 21);
    expect(cutsOf([...hold(bars(a), 20), ...hold(bars(b), 20)])).toEqual([20]);
  });

  test('are found where frames are shown twice or, as 24 in 60, two and three times', () => {
    const moving = [
      ...each(20, i => drawScene(1, { panX: i * 0.5 })),
      ...each(20, i => drawScene(2, { panX: i * 0.5 })),
    ];
    expect(
      cutsOf(
        moving.flatMap(x => [x, x]),
        50,
      ),
    ).toEqual([40]);
    expect(
      cutsOf(
        moving.flatMap((x, i) => (i % 2 ? [x, x] : [x, x, x])),
        60,
      ),
    ).toEqual([50]);
  });

  test('with one blended frame before the new shot are put after it, once', () => {
    for (const share of [0.25, 0.5, 0.75]) {
      expect(cutsOf([...hold(a, 20), mix(a, b, share), ...hold(b, 20)]), `share ${share}`).toEqual([21]);
    }
  });

  test('closer together than a shot can be count once', () => {
    expect(cutsOf([...hold(a, 20), ...hold(b, 3), ...hold(c, 20)])).toHaveLength(1);
  });
});

describe('no cut', () => {
  const still = {
    'a held picture': hold(a, 40),
    'a pan': each(60, i => drawScene(1, { panX: i * 1.5 })),
    'a fast start of a pan': [...hold(a, 20), ...each(20, i => drawScene(1, { panX: i * 2 }))],
    'a jump of exposure': [...hold(drawScene(1, { gain: 0.5 }), 20), ...hold(a, 20)],
    'flicker of the light': each(40, i => drawScene(1, { gain: i % 2 ? 0.7 : 0.9 })),
    noise: each(40, i => drawScene(1, { gain: 0.1, noise: 0.08, noiseSeed: i })),
    'a flash of one frame': [...hold(a, 20), drawPlain(1), ...hold(a, 20)],
    'a flash that fades': [...hold(a, 20), ...each(5, i => mix(drawPlain(1), a, 1 - i / 5)), ...hold(a, 20)],
    'a strobe': [...hold(a, 10), ...each(24, i => (i % 4 < 2 ? drawPlain(0.02) : a)), ...hold(a, 10)],
    'a foreign frame': [...hold(a, 20), b, ...hold(a, 20)],
    'a subtitle': [
      ...hold(a, 20),
      ...hold(
        merge(drawPlain(0.95), a, (x, y) => y > 21 && y < 25 && x > 8 && x < 40),
        20,
      ),
    ],
    'a graphic that slides in': each(40, i => merge(b, a, (x, y) => y > 17 && x < Math.max(0, i - 10) * 4)),
  };
  test.each(Object.entries(still))('%s', (_, thumbnails) => {
    expect(cutsOf(thumbnails)).toEqual([]);
  });

  test('a tilt over a plain sky with a bird in it', () => {
    const sky = (i: number) => {
      const picture = drawPlain(0).map((_, at) => 0.3 + (Math.floor(at / 144) + i * 0.4) / 60);
      return merge(drawScene(5), picture, (x, y) => Math.abs(x - 24) < 6 && Math.abs(y - 20 + i * 0.4) < 4);
    };
    expect(cutsOf(each(40, sky))).toEqual([]);
  });

  test('steps of light in an almost black picture', () => {
    const steps = each(20, i =>
      drawScene(1, { gain: 0.01 * (1 + Math.floor(i / 5)), noise: 0.01, noiseSeed: i }),
    );
    expect(
      cutsOf([...hold(drawPlain(0), 10), ...steps, ...each(20, i => drawScene(1, { gain: 0.05 + i / 22 }))]),
    ).toEqual([]);
  });

  test('a fade-in at the start or a fade-out at the end', () => {
    const fade = each(15, i => mix(a, drawPlain(0), i / 15));
    expect(cutsOf([...hold(drawPlain(0), 10), ...fade, ...hold(a, 20)])).toEqual([]);
    expect(cutsOf([...hold(a, 20), ...fade.toReversed(), ...hold(drawPlain(0), 10)])).toEqual([]);
  });
});

describe('soft boundaries', () => {
  test.each([8, 15, 25, 40])('a dissolve of %d frames gives one, near its middle', length => {
    const cuts = cutsOf([
      ...hold(a, 50),
      ...each(length, i => mix(b, a, (i + 1) / (length + 1))),
      ...hold(b, 50),
    ]);
    expect(cuts).toHaveLength(1);
    expect(Math.abs(cuts[0]! - (50 + length / 2))).toBeLessThanOrEqual(Math.max(2, length / 4));
  });

  test.each([0, 1])('a fade through a plain picture of level %d gives one, inside it', level => {
    const plain = drawPlain(level);
    const out = each(12, i => mix(plain, a, i / 12));
    const back = each(12, i => mix(b, plain, i / 12));
    const cuts = cutsOf([...hold(a, 30), ...out, ...hold(plain, 8), ...back, ...hold(b, 30)]);
    expect(cuts).toHaveLength(1);
    expect(cuts[0]).toBeGreaterThanOrEqual(40);
    expect(cuts[0]).toBeLessThanOrEqual(54);
  });

  test('a hard end of a dip is taken on its exact frame', () => {
    const black = drawPlain(0);
    expect(cutsOf([...hold(a, 30), ...hold(black, 6), ...hold(b, 30)])).toEqual([36]);
    const back = each(12, i => mix(b, black, i / 12));
    expect(cutsOf([...hold(a, 30), ...hold(black, 6), ...back, ...hold(b, 30)])).toEqual([30]);
  });

  test('a second of black between hard cuts is a shot of its own', () => {
    expect(cutsOf([...hold(a, 30), ...hold(drawPlain(0), 25), ...hold(b, 30)])).toEqual([30, 55]);
  });
});

describe('the early answer', () => {
  const samples = toSamples([...hold(a, 20), ...hold(b, 20)]);

  test('comes with two frames of look-ahead and never changes', () => {
    const analyser = createShotAnalyser();
    const answers = new Map<number, boolean>();
    for (const sample of samples) {
      analyser.push(sample);
      for (let frame = 0; frame <= sample.frameNumber; frame++) {
        const answer = analyser.hardCut(frame);
        expect(answer === undefined).toBe(frame > sample.frameNumber - 2);
        if (answer === undefined) continue;
        expect(answers.get(frame) ?? answer).toBe(answer);
        answers.set(frame, answer);
      }
    }
    expect([...answers].filter(([, answer]) => answer)).toEqual([[20, true]]);
    analyser.finish();
    expect(analyser.hardCut(39)).toBe(false);
  });

  test('knows a flash of one frame', () => {
    const analyser = createShotAnalyser();
    for (const sample of toSamples([...hold(a, 20), drawPlain(1), ...hold(a, 20)])) analyser.push(sample);
    expect([20, 21].map(frame => analyser.hardCut(frame))).toEqual([false, false]);
  });
});

describe('the part', () => {
  test('tiles a range and keeps the curve of every frame', () => {
    const analyser = createShotAnalyser();
    const shift = (sample: ShotSample) => ({
      ...sample,
      frameNumber: sample.frameNumber + 100,
      timeSec: sample.timeSec + 4,
    });
    for (const sample of toSamples([...hold(a, 20), ...hold(b, 20)])) analyser.push(shift(sample));
    const part = analyser.finish();
    expect(part.shots).toEqual([
      { startFrame: 100, endFrame: 120, startSec: 4, endSec: 4.8 },
      { startFrame: 120, endFrame: 140, startSec: 4.8, endSec: expect.closeTo(5.6) },
    ]);
    expect(part.curve).toHaveLength(40);
    expect([...part.curve].findIndex(score => score >= 1)).toBe(20);
  });

  test('is written with the source as its end', () => {
    const analyser = createShotAnalyser();
    for (const sample of toSamples([...hold(a, 20), ...hold(b, 20)])) analyser.push(sample);
    const clock = { frameRateHz: 25, totalFrames: 40, durationSec: 1.61 };
    expect(toSceneDetection(analyser.finish().shots, clock, modelFreeName)).toEqual({
      model: 'thumbnail-cuts',
      video_fps: 25,
      total_frames: 40,
      scene_count: 2,
      scenes: [
        { scene_id: 0, start_time: 0, end_time: 0.8, start_frame: 0, end_frame: 20 },
        { scene_id: 1, start_time: 0.8, end_time: 1.61, start_frame: 20, end_frame: 40 },
      ],
    });
  });

  test('are told before the end, the last one as far as it was seen', () => {
    const analyser = createShotAnalyser();
    expect(analyser.soFar()).toEqual([]);
    for (const sample of toSamples([...hold(a, 20), ...hold(b, 20)])) analyser.push(sample);
    const told = analyser.soFar();
    expect(told.map(({ startFrame, endFrame }) => [startFrame, endFrame])).toEqual([
      [0, 20],
      [20, 40],
    ]);
    expect(analyser.finish().shots).toEqual(told);
  });

  test('needs whole thumbnails of frames that follow one another', () => {
    const analyser = createShotAnalyser();
    analyser.push({ frameNumber: 5, timeSec: 0, thumbnail: a });
    expect(() => analyser.push({ frameNumber: 7, timeSec: 0.08, thumbnail: a })).toThrow(RangeError);
    expect(() => analyser.push({ frameNumber: 6, timeSec: 0.04, thumbnail: new Float32Array(3) })).toThrow(
      RangeError,
    );
  });
});

analyserContract('createShotAnalyser', {
  create: createShotAnalyser,
  samples: toSamples([
    ...hold(a, 20),
    mix(a, b, 0.5),
    ...hold(b, 20),
    ...each(12, i => mix(drawPlain(0), b, i / 12)),
    ...hold(drawPlain(0), 6),
    ...each(20, i => drawScene(3, { panX: i })),
    ...hold(a, 20),
    ...each(15, i => mix(b, a, i / 15)),
    ...hold(b, 30),
  ]),
});
