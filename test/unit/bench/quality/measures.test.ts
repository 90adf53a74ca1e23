import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type GroundTruth, readGroundTruth } from '../../../../bench/harness/ground-truth.js';
import { PlanView } from '../../../../bench/harness/measure-geometry.js';
import { measure } from '../../../../bench/quality/measures.js';
import {
  alwaysCentre,
  alwaysFit,
  alwaysStack,
  type JudgedResult,
  oracle,
  oracleParts,
  pingPong,
} from '../../../../bench/quality/straw-plans.js';
import type { AnalysisParts } from '../../../../src/schema/result.js';

/** Two people on either side, one turn each, a cut in the middle. */
const truth: GroundTruth = {
  frameRateHz: 25,
  durationSec: 8,
  width: 1920,
  height: 1080,
  cuts: [100],
  softCuts: [],
  pauses: [],
  confidence: 'exact',
  speech: [
    { id: 'a', startSec: 0.5, endSec: 3, onScreen: true },
    { id: 'b', startSec: 5, endSec: 7.5, onScreen: true },
  ],
  faces: [
    { id: 'a', startSec: 0, endSec: 8, box: [300, 400, 200, 250], partial: false },
    { id: 'b', startSec: 0, endSec: 8, box: [1400, 400, 200, 250], partial: false },
  ],
};
const clip = { width: 1920, height: 1080, totalFrames: 200 };

/** A result with faults of every kind: late cut, lost box, wrong and missing decisions. */
function damaged(result: JudgedResult): JudgedResult {
  const parts: AnalysisParts = structuredClone(result.parts);
  for (const scene of parts.scene_detection!.scenes.slice(1)) scene.start_frame += 2;
  parts.face_tracking_yolov8!.tracks.forEach((track, t) => {
    track.boxes = track.boxes.filter(box => box.frame_number % 7 !== t % 7);
    for (const box of track.boxes) box.x += (box.frame_number % 5) * 4;
  });
  parts.active_speaker!.tracks.forEach((track, t) => {
    track.scores = track.scores.filter(score => score.frame_number % 11 !== t);
    for (const score of track.scores) if (score.frame_number % 40 < 12) score.speaking = !score.speaking;
  });
  return { ...result, parts };
}

describe('the measures cannot be won by doing nothing', () => {
  const parts = oracleParts(truth, clip);

  test('a perfect analysis and our planner reach the top', () => {
    expect(measure(oracle(truth, clip), truth)).toMatchObject({
      cut_f1_exact: 1,
      face_recall: 1,
      speaking_acc: 1,
      owner_decided: 1,
      speaker_framed: 1,
      empty: 0,
      wide: 0,
      turn_latency_p90: 0,
      false_switches_per_min: 0,
      flips_per_min: 0,
      late_plan_changes: 0,
      outside_source: 0,
      plan_tiles: true,
    });
  });

  test('showing everything frames nobody', () => {
    expect(measure(alwaysFit(parts), truth)).toMatchObject({ speaker_framed: 0, wide: 1, empty: 0 });
  });

  test('looking at the middle shows nobody', () => {
    expect(measure(alwaysCentre(parts), truth)).toMatchObject({ speaker_framed: 0, empty: 1 });
  });

  test('jumping to and fro is counted as false switches and flips', () => {
    const figures = measure(pingPong(parts), truth);
    expect(figures.speaker_framed).toBeLessThan(0.7);
    expect(figures.flips_per_min).toBeGreaterThan(10);
  });

  test('two halves for everybody frame whoever speaks, and only two', () => {
    const row = ['a', 'b', 'c', 'd'].map((id, i) => ({
      ...truth.faces[0]!,
      id,
      box: [60 + 480 * i, 400, 75, 90] as const,
    }));
    const speech = row.map(({ id }, i) => ({ id, startSec: 2 * i, endSec: 2 * i + 2, onScreen: true }));
    const four = { ...truth, faces: row, speech, cuts: [] };
    const stacked = measure(alwaysStack(oracleParts(four, clip)), four);
    expect(stacked.speaker_framed).toBeLessThan(0.7);
    expect(measure(oracle(four, clip), four)).toMatchObject({ speaker_framed: 1, speaker_large: 1 });
  });

  test('a panel counts from a larger face on than a window of its own', () => {
    const [plan, several] = (['single', 'stack'] as const).map(layout => {
      const { plan } = oracle(truth, clip);
      return new PlanView({
        ...plan!,
        segments: plan!.segments.map(segment => ({ ...segment, layout })),
      });
    }) as [PlanView, PlanView];
    const window = plan.windows(10)[0]!;
    const face = (share: number) => [window.box[0] + 200, 300, 90, share * window.box[3]] as const;
    const [alone, panel] = [window, several.windows(10)[0]!];
    expect([plan.frames(face(0.07), alone), several.frames(face(0.07), panel)]).toEqual([true, false]);
    expect([plan.frames(face(0.09), alone), several.frames(face(0.09), panel)]).toEqual([true, true]);
  });

  test('a damaged analysis is found out', () => {
    const figures = measure(damaged(oracle(truth, clip)), truth);
    for (const name of ['face_recall', 'score_coverage', 'speaking_acc', 'owner_decided'])
      expect(figures[name]).toBeLessThan(1);
    expect(figures).toMatchObject({ cuts_missed: 1, cuts_false: 1, scenes_tile: false });
  });
});

const shared = fileURLToPath(new URL('../../../../../shared/', import.meta.url));
const script = join(shared, 'tools/evaluate.py');
const runnable = existsSync(script) && spawnSync('python3', ['--version']).status === 0;
const composite = (name: string): [string] => [join(shared, `media/composites/${name}.json`)];
const talking = (name: string): [string, string] => [join(shared, 'media/talking/annotations.json'), name];

test.skipIf(!runnable).each([
  ['c1_two_up_turns', composite('c1_two_up_turns')],
  ['c2_multicam_cuts', composite('c2_multicam_cuts')],
  ['film_friends_cuts_640x360', talking('film_friends_cuts_640x360.mp4')],
])(
  'the figures of %s are those of the reference script (needs ../shared and python3)',
  (_name, source) => {
    const known = readGroundTruth(...(source as [string, string?]));
    const size = {
      width: known.width!,
      height: known.height!,
      totalFrames: Math.trunc(known.durationSec! * known.frameRateHz + 1e-6),
    };
    const perfect = oracle(known, size);
    const results = [perfect, alwaysFit(perfect.parts), alwaysCentre(perfect.parts), pingPong(perfect.parts)];
    for (const result of [...results, damaged(perfect), { parts: damaged(perfect).parts }]) {
      const folder = mkdtempSync(join(tmpdir(), 'measures-'));
      try {
        for (const [name, part] of Object.entries(result.parts))
          writeFileSync(join(folder, `${name}.json`), JSON.stringify(part));
        if (result.plan) writeFileSync(join(folder, 'crop_path.json'), JSON.stringify(result.plan));
        const line = execFileSync('python3', [script, folder, ...source], { encoding: 'utf8' });
        // The schema is checked by the schema's own tests.
        const { schema_ok, ...expected } = JSON.parse(line);
        expect(schema_ok).toBe(true);
        const { speaker_large, ...figures } = measure(result, known);
        expect(speaker_large === undefined).toBe(!result.plan && !('speaker_framed' in figures));
        expect(figures).toEqual(expected);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  },
  60_000,
);
