import type { PlanRequest } from '../../../../src/schema/plan.js';
import type { Person, Stage } from './invented-scene.js';

/** A scene that one rule of editing decides. Evidence is sure unless the scene says otherwise. */
export type RuleScene = {
  readonly rule: string;
  readonly stage: Stage;
  readonly request?: Partial<PlanRequest>;
};

type Turns = [number, number][];

/** Everybody on one level, evenly spread over the picture. */
const row = (turns: readonly Turns[], durationSec: number, more: Partial<Person> = {}): Stage => ({
  people: turns.map((speaks, i) => ({
    at: { x: (1920 * (i + 0.5)) / turns.length, y: 460 },
    size: turns.length > 2 ? 200 : 250,
    speaks,
    ...more,
  })),
  durationSec,
});

/** Turns of one length, one after the other, of the first or the second of two. */
const alternating = (lengthSec: number, durationSec: number, who: 0 | 1): Turns =>
  Array.from({ length: Math.ceil(durationSec / lengthSec) }, (_, i): [number, number] => [
    i * lengthSec,
    Math.min(durationSec, (i + 1) * lengthSec),
  ]).filter((_, i) => i % 2 === who);

/** Two candidates whom the evidence cannot tell apart; the first one speaks. */
const unsure = (probability: number, durationSec: number): Stage => {
  const stage = row([[[0, durationSec]], []], durationSec);
  const [a, b] = stage.people as [Person, Person];
  return {
    ...stage,
    people: [
      { ...a, confidence: () => probability },
      { ...b, confidence: () => 1 - probability },
    ],
  };
};

const slides = {
  rectangles: [
    {
      x: 80,
      y: 100,
      width: 1200,
      height: 675,
      kind: 'screen' as const,
      start_frame: 0,
      end_frame: 1e6,
      confidence: 0.9,
    },
  ],
};

/** One scene a rule. */
export const ruleScenes = {
  long: { rule: 'two in turns of 3 s', stage: row([alternating(3, 12, 0), alternating(3, 12, 1)], 12) },
  decided: {
    rule: 'a turn of 1.3 s between long ones',
    stage: row(
      [
        [
          [0, 5],
          [6.3, 12],
        ],
        [[5, 6.3]],
      ],
      12,
    ),
  },
  lively: {
    rule: 'two in turns of 0.9 s',
    stage: row([alternating(0.9, 12, 0), alternating(0.9, 12, 1)], 12),
  },
  backchannel: { rule: 'a listener says 0.5 s', stage: row([[[0, 12]], [[5, 5.5]]], 12) },
  collision: {
    rule: 'both start, one yields after 0.6 s',
    stage: row(
      [
        [
          [0, 4],
          [5, 5.6],
        ],
        [[5.1, 12]],
      ],
      12,
    ),
  },
  interruption: { rule: 'one breaks in and goes on', stage: row([[[0, 5.4]], [[5, 12]]], 12) },
  crosstalk: { rule: 'two at once for 4 s', stage: row([[[0, 8]], [[4, 12]]], 12) },
  momentary: { rule: 'two at once for 1 s', stage: row([[[0, 6]], [[5, 12]]], 12) },
  laughter: {
    rule: 'three laugh at once for 2.5 s',
    stage: row(
      [
        [
          [0, 4],
          [4.2, 6.7],
        ],
        [[4.2, 6.7]],
        [
          [4.2, 6.7],
          [7.2, 11],
        ],
      ],
      11,
    ),
  },
  panel: {
    rule: 'a new panel of four',
    stage: row([[[2, 8]], [[8, 14]], [[14, 20]], []], 20),
  },
  sofa: {
    rule: 'three heads on a sofa, any may speak',
    stage: {
      people: [0, 1, 2].map(i => ({
        at: { x: 648 + 312 * i, y: 460 },
        size: 320,
        speaks: i ? [] : [[0, 12]],
        confidence: () => 1 / 3,
      })),
      durationSec: 12,
    },
  },
  unsure: { rule: 'two candidates at .5', stage: unsure(0.5, 10) },
  sure: { rule: 'one candidate at .95', stage: unsure(0.95, 10) },
  slides: {
    rule: 'a presenter beside slides',
    stage: {
      people: [{ at: { x: 1640, y: 500 }, size: 220, speaks: [[0, 10]] }],
      durationSec: 10,
      content: slides,
    },
  },
  bars: {
    rule: 'black bars at the sides',
    stage: {
      people: [{ at: { x: 400, y: 460 }, size: 250, speaks: [[0, 8]] }],
      durationSec: 8,
      content: { picture: { x: 240, y: 0, width: 1440, height: 1080 }, bars: 'black' },
    },
  },
  turned: {
    rule: 'a head turns away for 3.2 s',
    stage: {
      people: [
        {
          at: { x: 700, y: 460 },
          size: 250,
          seen: [
            [0, 4],
            [7.2, 12],
          ],
          speaks: [
            [0, 4],
            [7.2, 12],
          ],
        },
      ],
      durationSec: 12,
    },
  },
  leaning: {
    rule: 'a speaker leans to and fro',
    stage: {
      people: [{ at: sec => ({ x: 900 + 150 * Math.sin(1.5 * sec), y: 500 }), size: 200, speaks: [[0, 8]] }],
      durationSec: 8,
    },
  },
  motion: {
    rule: 'nobody there, one thing moves',
    stage: {
      people: [],
      durationSec: 8,
      content: {
        motion: Array.from({ length: 24 }, (_, i) => ({
          frame_number: Math.round((i * 25) / 3),
          timestamp: i / 3,
          x: 300 + 30 * i,
          y: 400,
          width: 200,
          height: 200,
          confidence: 0.9,
        })),
      },
    },
  },
} satisfies Record<string, RuleScene>;
