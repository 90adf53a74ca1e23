import { describe, expect, test } from 'vitest';
import { shownBetween } from '../../../../src/core/plan/shown-between.js';
import type { Plan, Segment } from '../../../../src/schema/plan.js';

const output = { x: 0, y: 0, width: 90, height: 160 };
const box = (x: number) => ({ x, y: 0, width: 50, height: 90 });

/** A segment whose window lies at these places from these frames on. */
const segment = (
  start: number,
  end: number,
  keys: Record<number, number>,
  more: Partial<Segment> = {},
): Segment => ({
  ...{ scene_id: 0, start_frame: start, end_frame: end, layout: 'single', reason: 'speaker', confidence: 1 },
  alternatives: [],
  panels: [
    {
      output,
      keyframes: Object.entries(keys).map(([frame, x]) => ({
        ...{ frame_number: Number(frame), timestamp: Number(frame) / 25 },
        ...box(x),
      })),
    },
  ],
  ...more,
});
const plan = (...segments: Segment[]): Plan => ({
  model: 'reframe',
  ...{ width: 160, height: 90, output_width: 90, output_height: 160, video_fps: 25 },
  ...{ total_frames: 100, first_frame: 0, frame_count: 100 },
  segments,
});

const still = plan(segment(0, 40, { 0: 10 }), segment(40, 100, { 40: 60 }));

describe('what a stretch shows', () => {
  test('is told by runs, from its own first frame on', () => {
    expect(shownBetween(still, 30, 59)).toEqual([
      { after: 0, view: { panels: [{ source: box(10), output, cornerRadius: 0 }], background: 'black' } },
      { after: 10, view: { panels: [{ source: box(60), output, cornerRadius: 0 }], background: 'black' } },
    ]);
  });

  test('is each frame’s window while the camera moves', () => {
    const moving = plan(segment(0, 100, { 0: 10, 10: 20, 50: 20 }));
    expect(shownBetween(moving, 5, 30).map(({ after }) => after)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('is the same, wherever segments begin and whatever they say', () => {
    const words: Partial<Segment> = { reason: 'listener', confidence: 0.2 };
    const split = plan(
      segment(0, 20, { 0: 10 }, words),
      segment(20, 40, { 20: 10 }),
      segment(40, 100, { 40: 60 }),
    );
    expect(shownBetween(split, 0, 99)).toEqual(shownBetween(still, 0, 99));
    // A keyframe beyond the stretch moves only what comes after.
    const later = plan(segment(0, 40, { 0: 10 }), segment(40, 100, { 40: 60, 80: 60, 90: 20 }));
    expect(shownBetween(later, 0, 79)).toEqual(shownBetween(still, 0, 79));
    expect(shownBetween(later, 80, 99)).not.toEqual(shownBetween(still, 80, 99));
  });

  test('is something else with another place, corner or fill', () => {
    const [first, second] = still.segments;
    const change = (more: Partial<Segment>) => shownBetween(plan({ ...first!, ...more }, second!), 0, 39);
    const own = shownBetween(still, 0, 39);
    const [panel] = first!.panels;
    expect(change({ background: 'black' })).toEqual(own);
    for (const more of [
      { background: 'gradient' },
      { background: 'colour', background_colour: '#102030' },
      { layout: 'fit' },
      { panels: [{ ...panel!, corner_radius: 4 }] },
      { panels: [{ ...panel!, output: { ...output, width: 80 } }] },
      { panels: [panel!, panel!] },
    ] satisfies Partial<Segment>[])
      expect(change(more)).not.toEqual(own);
  });
});
