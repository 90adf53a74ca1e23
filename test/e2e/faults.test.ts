import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type FaultBench, openFaultBench } from '../../bench/faults/measure-faults.js';

/** Most seconds of media that may be done twice for one killed page. */
const limitSec = 15;
const seconds = 30;
let bench: FaultBench;

beforeAll(async () => {
  const models = join(inject('material'), 'models');
  const manifest = JSON.parse(readFileSync(join(models, 'manifest.json'), 'utf8'));
  bench = await openFaultBench({ clip: 'discs', seconds, models, manifest });
});
afterAll(() => bench?.close());

test('a job whose page is killed in each of its steps is completed, and charged once', async () => {
  const atSec = 0.8 * seconds;
  const { kills, end } = await bench.run('poll', [
    { work: 'ingest', atSec: 0 },
    { work: 'analyse', part: 'scene_detection', atSec },
    { work: 'analyse', part: 'face_tracking_yolov8', atSec },
    { work: 'analyse', part: 'active_speaker', atSec },
    { work: 'render', atSec },
  ]);
  for (const { work, part, resumedSec, twiceSec } of kills) {
    if (work === 'ingest') continue;
    expect.soft(resumedSec, part ?? work).toBeGreaterThan(0);
    expect.soft(twiceSec, part ?? work).toBeLessThanOrEqual(limitSec);
  }
  expect(end).toMatchObject({ ledger: ['hold 30', 'charge 30'], frames: bench.frames, saves: 0 });
  expect(end.durationSec).toBeCloseTo(seconds, 0);
  // Nothing of what the attempts kept is left: the clip alone.
  expect(end.files).toEqual([expect.stringMatching(/_reframe\.mp4$/)]);
});
