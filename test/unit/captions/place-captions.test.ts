import { describe, expect, test } from 'vitest';
import { captionStretches } from '../../../src/captions/burn/caption-stretches.js';
import { type CaptionPlace, placeCaptions } from '../../../src/captions/burn/place-captions.js';
import { safeArea } from '../../../src/captions/burn/safe-area.js';
import type { Caption } from '../../../src/captions/captions.js';
import { overlapArea } from '../../../src/core/box.js';
import type { CaptionStyle } from '../../../src/schema/caption-style.js';
import type { PixelBox } from '../../../src/schema/geometry.js';
import type { Plan } from '../../../src/schema/plan.js';

const output = { width: 720, height: 1280 };
const rateHz = 25;
const caption = (startSec: number, endSec: number): Caption => ({
  startSec,
  endSec,
  lines: [{ text: 'so', words: [{ text: 'so', startSec, endSec }] }],
});

type View = { readonly from: number; readonly until: number; readonly windows: readonly PixelBox[] };

/** Windows one above the other, each over all of the output's width. */
function planOf(views: readonly View[]): Plan {
  const total = views.at(-1)!.until;
  return {
    model: 'reframe',
    ...{ width: 1280, height: 720, output_width: output.width, output_height: output.height },
    ...{ video_fps: rateHz, total_frames: total, first_frame: 0, frame_count: total },
    segments: views.map(({ from, until, windows }) => ({
      ...{ scene_id: 0, start_frame: from, end_frame: until },
      ...{ layout: 'single', reason: 'speaker', confidence: 1, alternatives: [] },
      panels: windows.map((window, i) => ({
        output: {
          x: 0,
          y: (i * output.height) / windows.length,
          width: output.width,
          height: output.height / windows.length,
        },
        keyframes: [{ frame_number: from, timestamp: from / rateHz, ...window }],
      })),
    })),
  } as Plan;
}

/** Faces of the source, each with a box for every frame. */
function tracking(total: number, faces: readonly ((frame: number) => PixelBox)[]) {
  return {
    face_tracking_yolov8: {
      model: 'invented',
      ...{ video_fps: rateHz, total_frames: total, width: 1280, height: 720, track_count: faces.length },
      tracks: faces.map((at, face_id) => ({
        ...{ face_id, first_seen: 0, last_seen: total / rateHz },
        boxes: Array.from({ length: total }, (_, frame) => ({
          ...{ timestamp: frame / rateHz, frame_number: frame, confidence: 1 },
          ...at(frame),
        })),
      })),
    },
  };
}

const size = { width: 520, height: 110 };
const place = (
  captions: readonly Caption[],
  plan: Plan,
  parts: Parameters<typeof captionStretches>[2],
  position: CaptionStyle['position'] = 'auto',
) => {
  const stretches = captionStretches(captions, plan, parts);
  const places = placeCaptions(stretches, {
    output: { width: plan.output_width, height: plan.output_height },
    position,
    sizeOf: () => size,
  });
  return { stretches, places };
};
const linesOf = ({ middleX, middleY, scaleRatio }: CaptionPlace): PixelBox => ({
  x: middleX - (size.width * scaleRatio) / 2,
  y: middleY - (size.height * scaleRatio) / 2,
  width: size.width * scaleRatio,
  height: size.height * scaleRatio,
});
/** A window of 405 × 720 around the middle of the source: 16/9 output pixels to one of the source. */
const window = { x: 437.5, y: 0, width: 405, height: 720 };
const faceAt = (y: number, height = 200): PixelBox => ({ x: 560, y, width: 160, height });

describe('a caption', () => {
  test('stands in the lower third where nothing is known, and above what advertisements keep', () => {
    const { places } = place([caption(0, 2)], planOf([{ from: 0, until: 100, windows: [window] }]), {});
    const { y, height } = linesOf(places[0]!);
    expect(y + height).toBeCloseTo(0.65 * output.height);
  });

  test.each([0, 60, 120, 180, 240, 300, 360, 420, 480, 520])(
    'never covers a face %i pixels below the top, and never leaves the safe area',
    top => {
      const parts = tracking(100, [() => faceAt(top)]);
      for (const position of ['auto', 'top', 'middle', 'bottom'] as const) {
        const { places, stretches } = place(
          [caption(0, 2), caption(2, 4)],
          planOf([{ from: 0, until: 100, windows: [window] }]),
          parts,
          position,
        );
        const area = safeArea(output);
        places.forEach((placed, i) => {
          const lines = linesOf(placed);
          expect(placed.coversFace).toBe(false);
          expect(stretches[i]!.faces).toHaveLength(1);
          expect(overlapArea(lines, stretches[i]!.faces[0]!)).toBe(0);
          // The face itself, where the window shows it.
          const scale = output.width / window.width;
          const seen = {
            x: (560 - window.x) * scale,
            y: top * scale,
            width: 160 * scale,
            height: 200 * scale,
          };
          expect(overlapArea(lines, seen)).toBe(0);
          expect(overlapArea(lines, area)).toBeCloseTo(lines.width * lines.height);
        });
        // One place for the view.
        expect(new Set(places.map(({ middleY }) => middleY)).size).toBe(1);
      }
    },
  );

  test('keeps clear of all that a face does while the caption is there', () => {
    // Nods through the lower third of the window.
    const parts = tracking(50, [frame => faceAt(150 + 120 * Math.sin(frame / 8))]);
    const { places } = place([caption(0, 2)], planOf([{ from: 0, until: 50, windows: [window] }]), parts);
    const lines = linesOf(places[0]!);
    const scale = output.width / window.width;
    for (let frame = 0; frame < 50; frame++) {
      const face = parts.face_tracking_yolov8.tracks[0]!.boxes[frame]!;
      const seen = {
        x: (face.x - window.x) * scale,
        y: face.y * scale,
        width: 160 * scale,
        height: 200 * scale,
      };
      expect(overlapArea(lines, seen)).toBe(0);
    }
  });

  test('is seen between two panels rather than over the lower face', () => {
    const windows = [
      { x: 0, y: 100, width: 540, height: 480 },
      { x: 700, y: 100, width: 540, height: 480 },
    ];
    const parts = tracking(100, [
      () => ({ x: 200, y: 160, width: 140, height: 180 }),
      () => ({ x: 900, y: 220, width: 140, height: 180 }),
    ]);
    const { places } = place([caption(0, 2)], planOf([{ from: 0, until: 100, windows }]), parts);
    const { y, height } = linesOf(places[0]!);
    expect(places[0]!.coversFace).toBe(false);
    expect(y).toBeGreaterThan((160 + 180 - 100) * (720 / 540));
    expect(y + height).toBeLessThan(640 + (220 - 100) * (720 / 540));
  });

  test('moves with a change of the view, and at no other time', () => {
    const views = [
      { from: 0, until: 50, windows: [window] },
      { from: 50, until: 100, windows: [{ ...window, x: 0 }] },
    ];
    const at = (top: number) =>
      place([caption(0.5, 3.5)], planOf(views), tracking(100, [() => faceAt(top, 180)])).places;
    // The face is in the first view only.
    const moved = at(300);
    expect(moved.map(({ startSec, endSec }) => [startSec, endSec])).toEqual([
      [0.5, 2],
      [2, 3.5],
    ]);
    expect(moved[0]!.middleY).toBeLessThan(moved[1]!.middleY);
    // Where the place of the first view is nearly as good for the second, it is kept.
    const kept = at(222);
    expect(kept[0]!.middleY).toBeGreaterThan(moved[1]!.middleY);
    expect(kept[1]!.middleY).toBe(kept[0]!.middleY);
  });

  test('gets smaller where nothing else helps, and says so where not even that does', () => {
    const plan = planOf([{ from: 0, until: 100, windows: [window] }]);
    // Free at the top of the safe area: 80 pixels, which lines of 110 need only 77 of when they are smaller.
    const scale = output.width / window.width;
    const top = (0.14 * 1280 + 88) / scale;
    const tall = tracking(100, [() => ({ x: 440, y: top + 52, width: 400, height: 690 - top })]);
    const [smaller] = place([caption(0, 2)], plan, tall).places;
    expect(smaller).toMatchObject({ coversFace: false });
    expect(smaller!.scaleRatio).toBeLessThan(1);
    const [covering] = place(
      [caption(0, 2)],
      plan,
      tracking(100, [() => ({ ...window, width: 400 })]),
    ).places;
    expect(covering).toMatchObject({ coversFace: true, scaleRatio: 1 });
    // Over the forehead, if anywhere: brows come after a quarter of the face.
    expect(linesOf(covering!).y + size.height).toBeLessThan(0.25 * output.height);
  });

  test('goes beside the middle where room is only there', () => {
    const plan = planOf([{ from: 0, until: 100, windows: [window] }]);
    // All of the height, and of the width but the right side.
    const parts = tracking(100, [() => ({ x: 437.5, y: 0, width: 60, height: 720 })]);
    const [beside] = place([caption(0, 2)], plan, parts).places;
    expect(beside).toMatchObject({ coversFace: false });
    expect(beside!.middleX).toBeGreaterThan(output.width / 2);
    const { x, width } = linesOf(beside!);
    const area = safeArea(output);
    expect(x + width).toBeCloseTo(area.x + area.width);
  });

  test('leaves lettering of the source alone where there is room', () => {
    const plan = planOf([{ from: 0, until: 100, windows: [window] }]);
    const text = { x: 450, y: 400, width: 380, height: 80 };
    const content = {
      model: 'content' as const,
      ...{ video_fps: rateHz, total_frames: 100, width: 1280, height: 720 },
      shots: [
        {
          ...{ scene_id: 0, start_frame: 0, end_frame: 100, bars: 'none' as const },
          picture: { x: 0, y: 0, width: 1280, height: 720 },
          rectangles: [{ ...text, kind: 'text' as const, start_frame: 0, end_frame: 100, confidence: 1 }],
          ...{ motion: [], turned: [] },
        },
      ],
    };
    const { places, stretches } = place([caption(0, 2)], plan, { content });
    expect(stretches[0]!.lettering).toHaveLength(1);
    expect(overlapArea(linesOf(places[0]!), stretches[0]!.lettering[0]!)).toBe(0);
  });
});

test.each([
  { width: 1080, height: 1920 },
  { width: 1080, height: 1350 },
  { width: 1080, height: 1080 },
  { width: 1920, height: 1080 },
])('the safe area of $width×$height lies inside, and in the middle across', output => {
  const { x, y, width, height } = safeArea(output);
  expect(x + width / 2).toBeCloseTo(output.width / 2);
  expect(y).toBeGreaterThan(0);
  expect(y + height).toBeLessThan(output.height);
  expect(width / output.width).toBeGreaterThan(0.75);
});
