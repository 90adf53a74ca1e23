import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { openDB } from 'idb';
import { expect, test } from 'vitest';
import {
  type AnalysisResult,
  type AnalysisState,
  createReframer,
  type ReframerOptions,
} from '../../src/index.js';
import { type DrawnSpec, regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { writeTinyModels } from '../fixtures/tiny-onnx.js';

/** Two shots of 16 s in all: one save, three seconds before the sound's end, which is read ahead of the picture. */
const spec: DrawnSpec = {
  size: { width: 160, height: 96 },
  timesSec: regularTimes(12.5, 200),
  shots: [
    { startFrame: 0, discs: [{ x: 40, y: 48, radius: 14, mouth: [{ startSec: 0.5, endSec: 3 }] }] },
    {
      startFrame: 60,
      discs: [
        { x: 40, y: 40, radius: 14, speedX: 2, mouth: [{ startSec: 5, endSec: 8 }] },
        { x: 120, y: 50, radius: 16, mouth: [{ startSec: 9, endSec: 15.5 }] },
      ],
    },
  ],
  voice: [
    { startSec: 0.5, endSec: 3 },
    { startSec: 5, endSec: 8 },
    { startSec: 9, endSec: 15.5 },
  ],
};

/** Through storage, as a state travels from a tab that ends to the next one. */
async function store(state: AnalysisState): Promise<AnalysisState> {
  const name = `states-${crypto.randomUUID()}`;
  const db = await openDB(name, 1, { upgrade: made => void made.createObjectStore('states') });
  await db.put('states', state, 'one');
  const read = await db.get('states', 'one');
  db.close();
  return read;
}

/** Everything but scores, and the scores. */
function split({ parts, range, size, speech }: AnalysisResult) {
  const scores: number[] = [];
  const tracks = parts.active_speaker!.tracks.map(track => ({
    ...track,
    scores: track.scores.map(({ score, ...rest }) => {
      scores.push(score);
      return rest;
    }),
  }));
  const active_speaker = { ...parts.active_speaker, tracks };
  return { scores, rest: { parts: { ...parts, active_speaker }, range, size, speech } };
}

const files = Object.fromEntries(writeTinyModels());
const ways: [string, Partial<ReframerOptions>][] = [
  ['with the network for cuts', { models: { files, cache: false } }],
  [
    'without a model for cuts, read by ffmpeg',
    {
      models: { files, cache: false, shotDetector: 'model-free' },
      decoder: 'ffmpeg',
      ffmpeg: { coreUrl, wasmUrl },
    },
  ],
];

test.each(ways)(
  'an analysis of a tab that ended goes on in another and finds the same: %s',
  async (_, way) => {
    const { blob } = await drawnClip(spec);
    const options: ReframerOptions = { device: 'wasm', threads: 1, ...way };
    const states: AnalysisState[] = [];
    const first = createReframer(options);
    const whole = split(await first.analyse(blob, { onSave: state => void states.push(state) }));
    expect(whole.rest.parts.active_speaker.tracks.length).toBeGreaterThanOrEqual(3);
    expect(states.map(state => Math.round(state.untilSec))).toEqual([10]);

    const dying = first.analyse(blob, { onSave: () => first.close() });
    await expect(dying).rejects.toMatchObject({ code: 'worker_lost' });

    const second = createReframer(options);
    const read: number[] = [];
    const result = await second.analyse(blob, {
      resume: await store(states[0]!),
      onProgress: ({ stage, processedSec }) => stage === 'analyse' && read.push(processedSec),
    });
    second.close();
    expect(result.diagnostics.resumedFromSec).toBeGreaterThan(8);
    expect(read[0]).toBeGreaterThan(8);
    expect(result.diagnostics.fallbacks.join()).not.toContain('saved state');
    const again = split(result);
    expect(again.rest).toEqual(whole.rest);
    // The sound is decoded anew from there: a decoder is not quite the same after a second as after ten.
    const off = again.scores.map((score, i) => Math.abs(score - whole.scores[i]!));
    expect(Math.max(...off)).toBeLessThan(1e-4);
  },
);

test('a state of another range is not used, and the diagnostics say so', async () => {
  const { blob } = await drawnClip({ ...spec, timesSec: regularTimes(12.5, 140) });
  const reframer = createReframer({ device: 'wasm', threads: 1, models: { shotDetector: 'model-free' } });
  const want = ['scene_detection'] as const;
  const states: AnalysisState[] = [];
  await reframer.analyse(blob, { want, onSave: state => void states.push(state) });
  const { diagnostics } = await reframer.analyse(blob, { want, startSec: 9, resume: states[0]! });
  reframer.close();
  expect(diagnostics.resumedFromSec).toBe(undefined);
  expect(diagnostics.fallbacks).toContainEqual(expect.stringContaining('not from the saved state'));
});
