import { expect, test } from 'vitest';
import { modelFreeName } from '../../../../src/core/scene-detection.js';
import type { SceneCutModel } from '../../../../src/inference/scene-cuts.js';
import { openEngine } from '../../../../src/pipeline/analysis/engine.js';
import { createShotsPass, shotNameOf } from '../../../../src/pipeline/analysis/passes/shots-pass.js';
import type { ModelOptions } from '../../../../src/pipeline/engine-options.js';
import { createStopwatch } from '../../../../src/pipeline/stopwatch.js';
import { drawScene } from '../../../fixtures/thumbnails.js';

const [a, b] = [drawScene(1), drawScene(2)];
/** The picture changes on frame 40, and its light, which is no cut, on frame 120. */
const thumbnails = Array.from({ length: 160 }, (_, i) => (i < 40 ? a : i < 120 ? b : b.map(v => v * 0.5)));

/** Stands in for a network that sees cuts where the light changes, and nowhere else. */
const lightModel: SceneCutModel = {
  name: 'light',
  async run(window) {
    const cut = Float32Array.from(window, (thumbnail, i) => {
      const before = window[i - 1];
      return before && Math.abs(thumbnail[0]! / before[0]! - 0.5) < 1e-3 ? 0.9 : 0.1;
    });
    return { cut, transition: new Float32Array(window.length) };
  },
  close: async () => {},
};

async function shotsOf(model?: SceneCutModel) {
  const pass = createShotsPass(model, createStopwatch());
  const early: number[] = [];
  for (const [frameNumber, thumbnail] of thumbnails.entries()) {
    await pass.take({ frameNumber, timeSec: frameNumber / 25, cut: false }, { thumbnail });
    if (pass.hardCut(frameNumber - 2)) early.push(frameNumber - 2);
  }
  const { shots = [] } = await pass.finish();
  expect(shots.at(-1)!.endFrame).toBe(thumbnails.length);
  return { name: shotNameOf(model), early, cuts: shots.slice(1).map(shot => shot.startFrame) };
}

test('a network decides in the end, the model-free analyser answers on the way', async () => {
  expect(await shotsOf(lightModel)).toEqual({ name: 'light', early: [40], cuts: [120] });
});

test('a cut that the network sees a frame late is where the model-free analyser has it', async () => {
  const lateModel: SceneCutModel = {
    ...lightModel,
    name: 'late',
    async run(window) {
      const changed = window.findIndex((thumbnail, i) => thumbnail === b && window[i - 1] === a);
      return {
        cut: Float32Array.from(window, (_, i) => (changed > 0 && i === changed + 1 ? 0.9 : 0.1)),
        transition: new Float32Array(window.length),
      };
    },
  };
  expect(await shotsOf(lateModel)).toEqual({ name: 'late', early: [40], cuts: [40] });
});

test('without a network the model-free analyser decides', async () => {
  expect(await shotsOf()).toEqual({ name: modelFreeName, early: [40], cuts: [40] });
});

const openScenes = async (models: ModelOptions) => {
  const spawnInference = () => expect.fail('no face is looked for');
  const options = { device: 'wasm', decoder: 'auto', threads: 1, models } as const;
  const engine = await openEngine({ options, spawnInference });
  try {
    const model = await engine.sceneCuts();
    // Asked for again by the next analysis of the same worker, and told once.
    await engine.sceneCuts();
    return { name: model?.name, fallbacks: engine.fallbacks };
  } finally {
    await engine.close();
  }
};

test('a network that is missing or broken is a fallback in one sentence', async () => {
  const corrupt = { 'edge-cuts': Uint8Array.of(1, 2, 3) };
  for (const models of [
    { bundledBase: 'file:///nowhere/' },
    { files: corrupt },
    { manifest: { models: [] } },
  ]) {
    const { name, fallbacks } = await openScenes(models);
    expect(name).toBe(undefined);
    expect(fallbacks).toEqual([expect.stringMatching(/^Shots are found without a network: /)]);
  }
});

test('the model-free analyser may be asked for', async () => {
  expect(await openScenes({ shotDetector: 'model-free' })).toEqual({ name: undefined, fallbacks: [] });
});

test('what is told on the way is the network’s as far as it has come, then the model-free analyser’s', async () => {
  const pass = createShotsPass(lightModel, createStopwatch());
  const told: number[][] = [];
  for (const [frameNumber, thumbnail] of thumbnails.entries()) {
    await pass.take({ frameNumber, timeSec: frameNumber / 25, cut: false }, { thumbnail });
    const { shots = [] } = await pass.partial(Number.POSITIVE_INFINITY);
    expect(shots.at(-1)!.endFrame).toBe(frameNumber + 1);
    shots.forEach((shot, i) => {
      expect(shot.startFrame).toBe(shots[i - 1]?.endFrame ?? 0);
    });
    told.push(shots.slice(1).map(shot => shot.startFrame));
  }
  // The window that ends with frame 74 says no to the cut at 40; the one that ends with 124 knows frames before 100.
  expect([told[73], told[74], told[130]]).toEqual([[40], [], []]);
  expect((await pass.finish()).shots!.slice(1).map(shot => shot.startFrame)).toEqual([120]);
});
