import { expect, test } from 'vitest';
import { type PlanWeights, planWeights } from '../../../../src/core/plan/plan-weights.js';
import type { Layout, PlanRequest } from '../../../../src/schema/plan.js';
import { type Person, planStage, type Stage } from './invented-scene.js';
import { ruleScenes } from './rule-scenes.js';

type Turns = [number, number][];
const left = { x: 450, y: 460 };
const right = { x: 1470, y: 460 };
const duo = (a: Partial<Person>, b: Partial<Person>, durationSec: number): Stage => ({
  people: [
    { at: left, ...a },
    { at: right, ...b },
  ],
  durationSec,
});
const likely = (probability: number) => ({ confidence: () => probability });
const turnsOf = (lengthSec: number, who: 0 | 1): Turns =>
  Array.from({ length: 10 }, (_, i): [number, number] => [i * lengthSec, (i + 1) * lengthSec]).filter(
    (_, i) => i % 2 === who,
  );
const exchange = (lengthSec: number) =>
  duo({ speaks: turnsOf(lengthSec, 0) }, { speaks: turnsOf(lengthSec, 1) }, 10 * lengthSec);
const trio = (probability: number, count = 3): Stage => ({
  people: Array.from({ length: count }, (_, i) => ({
    at: { x: 250 + (1420 / (count - 1)) * i, y: 460 },
    size: 200,
    speaks: i ? [] : ([[0, 10]] as Turns),
    ...likely(probability),
  })),
  durationSec: 10,
});
const laughing = (size: number): Stage => ({
  ...ruleScenes.laughter.stage,
  people: ruleScenes.laughter.stage.people.map(person => ({ ...person, size })),
});
const lettering = { kind: 'text' as const, start_frame: 0, end_frame: 1000, confidence: 0.9 };
/** The left face is the more obvious subject by a little. */
const nearlyAlike = { size: 260 };
const slides = (x: number, y: number, width: number, height: number) => ({
  rectangles: [
    { x, y, width, height, kind: 'screen' as const, start_frame: 0, end_frame: 1e4, confidence: 0.9 },
  ],
});
const presenter: Person = { at: { x: 1640, y: 500 }, size: 220, speaks: [[0, 10]] };

/** A weight, the value that takes its decision away, and what is then shown beside what is shown now. */
const decisions: readonly {
  readonly weight: string;
  readonly without: Partial<PlanWeights>;
  readonly stage: Stage;
  readonly request?: Partial<PlanRequest>;
}[] = [
  { weight: 'seen.single', without: seen('single', 0.5), stage: duo(likely(0.95), likely(0.05), 8) },
  { weight: 'seen.stack', without: seen('stack', 0.5), stage: duo(likely(0.5), likely(0.5), 8) },
  { weight: 'seen.grid-3', without: seen('grid-3', 0.4), stage: trio(1 / 3) },
  { weight: 'seen.grid-4', without: seen('grid-4', 0.3), stage: trio(1 / 4, 4) },
  {
    weight: 'seen.screen-speaker',
    without: seen('screen-speaker', 0.4),
    stage: { people: [presenter], durationSec: 10, content: slides(80, 100, 1200, 675) },
  },
  {
    weight: 'seen.inset',
    without: seen('inset', 0.3),
    stage: { people: [presenter], durationSec: 10, content: slides(80, 40, 620, 1000) },
    request: { layouts: ['single', 'inset'] },
  },
  { weight: 'seen.group', without: seen('group', 0), stage: trio(0.3, 4), request: { layouts: ['group'] } },
  {
    weight: 'seen.fit',
    without: seen('fit', 0),
    stage: trio(0.5, 4),
    request: { layouts: [] },
  },
  {
    weight: 'beside',
    without: { beside: 1.1 },
    stage: {
      people: [
        { at: { x: 900, y: 500 }, size: 160, speaks: [[0, 4]] },
        { at: { x: 1000, y: 500 }, size: 160 },
      ],
      durationSec: 4,
    },
  },
  { weight: 'readableRatio', without: { readableRatio: 0.01 }, stage: laughing(70) },
  { weight: 'panelPerSec', without: { panelPerSec: 0 }, stage: duo(likely(0.5), likely(0.085), 20) },
  { weight: 'change', without: { change: 1.5 }, stage: exchange(2.2) },
  {
    weight: 'layoutChange',
    without: { layoutChange: 0.1 },
    stage: duo({ speaks: [[0, 6]] }, { speaks: [[4.2, 12]] }, 12),
  },
  {
    weight: 'shortView',
    without: { shortView: 0 },
    stage: duo(
      {
        speaks: [
          [0, 5],
          [6, 12],
        ],
      },
      { speaks: [[5, 6]] },
      12,
    ),
  },
  {
    weight: 'shortViewSec',
    without: { shortViewSec: 0.5 },
    stage: duo(
      {
        speaks: [
          [0, 5],
          [6, 12],
        ],
      },
      { speaks: [[5, 6]] },
      12,
    ),
  },
  { weight: 'briskView', without: { briskView: 0.8 }, stage: exchange(1.4) },
  { weight: 'briskViewSec', without: { briskViewSec: 6 }, stage: exchange(2.2) },
  { weight: 'sharedPerSec', without: { sharedPerSec: 0 }, stage: exchange(1.6) },
  {
    weight: 'absentPerSec',
    without: { absentPerSec: 0 },
    stage: duo({ speaks: [[0, 3]], seen: [[0, 4]] }, {}, 8),
  },
  {
    weight: 'turnedPerSec',
    without: { turnedPerSec: 0 },
    stage: duo(
      {
        ...nearlyAlike,
        seen: [
          [0, 3],
          [7.5, 10],
        ],
      },
      likely(0),
      10,
    ),
  },
  {
    weight: 'interjection',
    without: { interjection: 1 },
    stage: duo(
      { speaks: [[0, 12]] },
      { speaks: Array.from({ length: 10 }, (_, i): [number, number] => [1.1 * i + 0.3, 1.1 * i + 0.9]) },
      12,
    ),
  },
  {
    weight: 'salience',
    without: { salience: 0 },
    stage: duo({ size: 300, ...likely(0.05) }, { size: 120, ...likely(0.053) }, 8),
  },
  { weight: 'screenPerSec', without: { screenPerSec: 0 }, stage: ruleScenes.slides.stage },
  { weight: 'togetherPerSec', without: { togetherPerSec: 0 }, stage: ruleScenes.laughter.stage },
  { weight: 'openingPerSec', without: { openingPerSec: 0 }, stage: ruleScenes.panel.stage },
  { weight: 'openingSec', without: { openingSec: [0, 0] }, stage: ruleScenes.panel.stage },
  {
    weight: 'cutTextPerSec',
    without: { cutTextPerSec: 0 },
    stage: {
      ...duo(nearlyAlike, {}, 8),
      content: { rectangles: [{ ...lettering, x: 100, y: 850, width: 500, height: 60 }] },
    },
  },
  {
    weight: 'travel',
    without: { travel: 0 },
    stage: duo({ ...nearlyAlike, at: sec => ({ x: 450 + 250 * Math.sin(3 * sec), y: 460 }) }, {}, 8),
  },
];

function seen(layout: Layout, value: number): Partial<PlanWeights> {
  return { seen: { ...planWeights.standard.seen, [layout]: value } };
}

/** Layouts and faces, one after the other. */
function shown(stage: Stage, request: Partial<PlanRequest> | undefined): string[] {
  const { segments } = planStage(stage, request);
  return segments.map(({ start_frame, layout, panels }) =>
    [start_frame, layout, ...panels.map(panel => panel.face_id)].join(' '),
  );
}

test.each(decisions)('$weight decides a scene', ({ without, stage, request }) => {
  const now = shown(stage, request);
  const table = planWeights.standard as { -readonly [Key in keyof PlanWeights]: PlanWeights[Key] };
  const kept = { ...table };
  try {
    Object.assign(table, without);
    expect(shown(stage, request)).not.toEqual(now);
  } finally {
    Object.assign(table, kept);
  }
});

test('no weight is without a scene', () => {
  const { seen: bySeen, ...others } = planWeights.standard;
  const all = [...Object.keys(bySeen).map(layout => `seen.${layout}`), ...Object.keys(others)];
  expect(decisions.map(({ weight }) => weight).sort()).toEqual(all.sort());
});
