import { describe, expect, test } from 'vitest';
import { type CurveSample, createCurveShotAnalyser } from '../../../src/core/curve-shots.js';
import { analyserContract } from '../../contract/analyser-contract.js';
import { drawPlain, drawScene, mix } from '../../fixtures/thumbnails.js';

const [a, b] = [drawScene(1), drawScene(2)];
const frameRateHz = 25;

/** A run of frames: how many, what they show, and what the network says of each; `cut` is said of the first. */
type Run = {
  readonly count: number;
  readonly show: Float32Array | ((i: number) => Float32Array);
  readonly cut?: number;
  readonly transition?: number;
};

function samplesOf(runs: readonly Run[]): CurveSample[] {
  return runs
    .flatMap(({ count, show, cut = 0, transition = 0 }) =>
      Array.from({ length: count }, (_, i) => ({
        thumbnail: typeof show === 'function' ? show(i) : show,
        cut: i === 0 ? cut : 0.02,
        transition,
      })),
    )
    .map((sample, frameNumber) => ({ ...sample, frameNumber, timeSec: frameNumber / frameRateHz }));
}

function cutsOf(...runs: readonly Run[]): number[] {
  const analyser = createCurveShotAnalyser();
  for (const sample of samplesOf(runs)) analyser.push(sample);
  return analyser
    .finish()
    .shots.slice(1)
    .map(shot => shot.startFrame);
}

describe('hard cuts', () => {
  test('are where the network is sure', () => {
    expect(cutsOf({ count: 20, show: a }, { count: 20, show: b, cut: 0.6 })).toEqual([20]);
    expect(cutsOf({ count: 20, show: a }, { count: 20, show: b, cut: 0.4 })).toEqual([]);
  });

  test('too close together count once, as the surer one', () => {
    const runs = [
      { count: 20, show: a },
      { count: 3, show: b, cut: 0.7 },
      { count: 20, show: a, cut: 0.9 },
    ];
    expect(cutsOf(...runs)).toEqual([23]);
  });

  test('are never the first frame', () => {
    expect(cutsOf({ count: 20, show: a, cut: 0.9 })).toEqual([]);
  });
});

describe('gradual transitions', () => {
  const dissolve = (count: number, transition: number): Run => ({
    count,
    show: i => mix(b, a, (i + 1) / (count + 1)),
    transition,
  });

  test.each([5, 12, 40])('of %d frames give one boundary, in the middle', count => {
    const [cut, ...others] = cutsOf({ count: 30, show: a }, dissolve(count, 0.9), { count: 30, show: b });
    expect(others).toEqual([]);
    expect(Math.abs(cut! - (30 + count / 2))).toBeLessThanOrEqual(1);
  });

  test('give one also where the network wavers', () => {
    const runs = [dissolve(6, 0.9), dissolve(3, 0.3), dissolve(6, 0.9)];
    expect(cutsOf({ count: 30, show: a }, ...runs, { count: 30, show: b })).toHaveLength(1);
  });

  test('count only where the network is sure of some frame, and the picture is another one afterwards', () => {
    const after = { count: 30, show: b };
    expect(cutsOf({ count: 30, show: a }, dissolve(12, 0.6), after)).toEqual([]);
    expect(
      cutsOf({ count: 30, show: a }, { count: 12, show: b, transition: 0.9 }, { count: 30, show: a }),
    ).toEqual([]);
  });

  test('give way to a hard cut in them or next to them', () => {
    const cut = { count: 30, show: b, cut: 0.9 };
    expect(cutsOf({ count: 30, show: a }, { count: 8, show: a, transition: 0.9 }, cut)).toEqual([38]);
    const early = { count: 30, show: a };
    expect(
      cutsOf(early, { count: 10, show: b, cut: 0.9 }, { count: 8, show: b, transition: 0.9 }, cut),
    ).toEqual([30, 48]);
  });

  test('at the start or the end of a video lead nowhere', () => {
    expect(cutsOf(dissolve(12, 0.9), { count: 30, show: b })).toEqual([]);
    expect(cutsOf({ count: 30, show: a }, dissolve(12, 0.9))).toEqual([]);
  });
});

describe('plain pictures', () => {
  const black = drawPlain(0);

  test('between fades give one boundary, in their middle', () => {
    const out: Run = { count: 12, show: i => mix(black, a, i / 12), transition: 0.9 };
    const back: Run = { count: 12, show: i => mix(b, black, (i + 1) / 12), transition: 0.9 };
    const cuts = cutsOf({ count: 30, show: a }, out, { count: 8, show: black, transition: 0.9 }, back, {
      count: 30,
      show: b,
    });
    expect(cuts).toHaveLength(1);
    expect(Math.abs(cuts[0]! - 46)).toBeLessThanOrEqual(2);
  });

  test('between hard cuts are a shot of their own, or a dip if they are short', () => {
    const last = { count: 30, show: b, cut: 0.9 };
    expect(cutsOf({ count: 30, show: a }, { count: 25, show: black, cut: 0.9 }, last)).toEqual([30, 55]);
    expect(cutsOf({ count: 30, show: a }, { count: 8, show: black, cut: 0.9 }, last)).toEqual([38]);
  });
});

test('cuts between pictures too dark to have any spread are found', () => {
  const [dark, night] = [a, b].map(picture => picture.map(value => value * 0.06));
  const runs = [dark, night, dark].map((show, i) => ({ count: 20, show: show!, cut: i ? 0.9 : 0 }));
  expect(cutsOf(...runs)).toEqual([20, 40]);
});

test('the part keeps the curve in units of the threshold, and tiles a range', () => {
  const analyser = createCurveShotAnalyser();
  for (const sample of samplesOf([
    { count: 20, show: a },
    { count: 20, show: b, cut: 0.75 },
  ]))
    analyser.push({ ...sample, frameNumber: sample.frameNumber + 100, timeSec: sample.timeSec + 4 });
  const { shots, curve } = analyser.finish();
  expect(shots).toEqual([
    { startFrame: 100, endFrame: 120, startSec: 4, endSec: 4.8 },
    { startFrame: 120, endFrame: 140, startSec: 4.8, endSec: expect.closeTo(5.6) },
  ]);
  expect(curve).toHaveLength(40);
  expect(curve[20]).toBeCloseTo(1.5);
});

test('a transition that goes on to the end leads nowhere, also from a saved state', () => {
  const analyser = createCurveShotAnalyser();
  for (const sample of samplesOf([
    { count: 20, show: a },
    { count: 10, show: i => mix(a, b, 1 - i / 9), transition: 0.95 },
  ]))
    analyser.push(sample);
  const other = createCurveShotAnalyser();
  other.load(JSON.parse(JSON.stringify(analyser.save())));
  expect(analyser.finish().shots).toHaveLength(1);
  expect(other.finish().shots).toHaveLength(1);
});

test('what is told on the way ends with the last frame', () => {
  const analyser = createCurveShotAnalyser();
  expect(analyser.soFar()).toEqual([]);
  for (const sample of samplesOf([
    { count: 20, show: a },
    { count: 5, show: b, cut: 0.9 },
  ]))
    analyser.push(sample);
  expect(analyser.soFar().map(({ startFrame, endFrame }) => [startFrame, endFrame])).toEqual([
    [0, 20],
    [20, 25],
  ]);
});

test('frames must follow one another', () => {
  const analyser = createCurveShotAnalyser();
  const [first] = samplesOf([{ count: 1, show: a }]);
  analyser.push(first!);
  expect(() => analyser.push({ ...first!, frameNumber: 2 })).toThrow(RangeError);
});

analyserContract('createCurveShotAnalyser', {
  create: createCurveShotAnalyser,
  samples: samplesOf([
    { count: 12, show: a },
    { count: 10, show: b, cut: 0.9 },
    { count: 10, show: i => mix(a, b, i / 10), transition: 0.9 },
    { count: 10, show: a },
    { count: 8, show: drawPlain(0), cut: 0.8 },
    { count: 12, show: b, cut: 0.9 },
  ]),
});
