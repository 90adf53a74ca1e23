import type { PixelBox } from '../../../src/schema/geometry.js';
import type { Plan, Segment } from '../../../src/schema/plan.js';

const source = { width: 640, height: 360 };
const output = { width: 180, height: 320 };
const whole = { x: 0, y: 0, ...output };

/** One panel: where it lies, and its windows by frame of its segment. */
type Lane = { readonly output: PixelBox; readonly windows: readonly (PixelBox & { readonly at: number })[] };
type Scene = {
  readonly frames: number;
  readonly layout: Segment['layout'];
  readonly lanes: readonly Lane[];
  readonly background?: Segment['background'];
  readonly background_colour?: string;
};

const box = (x: number, y: number, width: number, height: number): PixelBox => ({ x, y, width, height });
const lane = (place: PixelBox, ...windows: (PixelBox & { at?: number })[]): Lane => ({
  output: place,
  windows: windows.map((window, i) => ({ at: i * 20, ...window })),
});

/** Every kind of view: still, moving, zooming, two panels of which one moves, a screen with an inset, all of it fitted. */
export const scenes: readonly Scene[] = [
  { frames: 25, layout: 'single', lanes: [lane(whole, box(100.5, 0, 202.5, 360))] },
  { frames: 30, layout: 'single', lanes: [lane(whole, box(40, 0, 202.5, 360), box(240, 0, 202.5, 360))] },
  { frames: 30, layout: 'single', lanes: [lane(whole, box(300, 40, 180, 320), box(320, 60, 135, 240))] },
  {
    ...{ frames: 25, layout: 'stack', background: 'black' },
    lanes: [
      lane(box(0, 0, 180, 156), box(20, 30, 270, 234)),
      lane(box(0, 164, 180, 156), box(330, 40, 270, 234), box(350, 50, 270, 234)),
    ],
  },
  {
    ...{ frames: 25, layout: 'inset' },
    lanes: [lane(whole, box(0, 0, 202.5, 360)), lane(box(100, 240, 72, 72), box(420, 60, 144, 144))],
  },
  {
    ...{ frames: 25, layout: 'fit', background: 'blur' },
    lanes: [lane(box(0, 110, 180, 102), box(0, 0, 640, 360))],
  },
];

/** Every fill that scripts draw: of a part of the picture, of the box around two panels, one colour. */
export const fills: readonly Scene[] = [
  {
    ...{ frames: 12, layout: 'fit', background: 'blur' },
    lanes: [lane(box(0, 110, 180, 98), box(64, 40, 512, 280))],
  },
  {
    ...{ frames: 12, layout: 'stack', background: 'blur' },
    lanes: [
      lane(box(0, 0, 180, 150), box(20, 30, 270, 225)),
      lane(box(0, 170, 180, 150), box(330, 40, 270, 225)),
    ],
  },
  {
    ...{ frames: 12, layout: 'stack', background: 'colour', background_colour: '#c04a1e' },
    lanes: [
      lane(box(10, 10, 160, 140), box(20, 30, 256, 224)),
      lane(box(10, 170, 160, 140), box(330, 40, 256, 224)),
    ],
  },
];

/** A plan of these scenes; `timeOf` gives each frame's time, by default at a steady rate. */
export function planOf(
  { frameRateHz = 25, firstFrame = 0, timeOf = (frame: number) => frame / frameRateHz } = {},
  of: readonly Scene[] = scenes,
): Plan {
  let frame = firstFrame;
  const segments = of.map(({ frames, lanes, layout, background, background_colour }, i): Segment => {
    const start = frame;
    frame += frames;
    return {
      ...{ scene_id: i, start_frame: start, end_frame: frame, layout, reason: 'speaker', confidence: 0.9 },
      alternatives: [],
      ...(background && { background }),
      ...(background_colour && { background_colour }),
      panels: lanes.map(({ output: place, windows }, index) => ({
        face_id: 10 * i + index,
        output: place,
        keyframes: windows.map(({ at, ...window }) => ({
          ...{ frame_number: start + at, timestamp: timeOf(start + at) },
          ...window,
        })),
      })),
    };
  });
  return {
    model: 'reframe',
    ...source,
    output_width: output.width,
    output_height: output.height,
    video_fps: frameRateHz,
    total_frames: frame + (firstFrame ? 50 : 0),
    first_frame: firstFrame,
    frame_count: frame - firstFrame,
    segments,
  };
}
