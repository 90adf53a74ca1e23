import type { PixelBox, Plan, Size } from '../../../src/index.js';

type Segment = Plan['segments'][number];
type Panel = Segment['panels'][number];

/** Layouts written by hand for a picture with four people in a square, as a panel on television has them. */
export function layoutSegments(
  source: Size,
  output: Size,
): Record<string, Pick<Segment, 'layout' | 'panels'> & Partial<Segment>> {
  const { width, height } = output;
  /** A window of a place's aspect around a point of the picture, both in 0–1 of the picture, as high as asked. */
  const around = (x: number, y: number, high: number, place: PixelBox): PixelBox => {
    const windowHeight = Math.min(high * source.height, (source.width * place.height) / place.width);
    const windowWidth = (windowHeight * place.width) / place.height;
    const within = (middle: number, side: number, whole: number) =>
      Math.min(whole - side, Math.max(0, middle * whole - side / 2));
    return {
      x: within(x, windowWidth, source.width),
      y: within(y, windowHeight, source.height),
      width: windowWidth,
      height: windowHeight,
    };
  };
  const panel = (output: PixelBox, window: PixelBox, corner_radius = 0): Panel => ({
    ...{ output, corner_radius },
    keyframes: [{ frame_number: 0, timestamp: 0, ...window }],
  });
  const people = [
    [0.3, 0.2],
    [0.69, 0.2],
    [0.32, 0.53],
    [0.69, 0.53],
  ] as const;
  const face = (person: number, place: PixelBox, radius = 0, high = 0.36) =>
    panel(place, around(people[person]![0], people[person]![1], high, place), radius);
  const box = (x: number, y: number, w: number, h: number): PixelBox => ({
    ...{ x: Math.round(x * width), y: Math.round(y * height) },
    ...{ width: Math.round(w * width), height: Math.round(h * height) },
  });
  const whole = box(0, 0, 1, 1);
  const picture = { x: 0, y: 0, ...source };
  const fitted = (window: PixelBox) => {
    const high = (width * window.height) / window.width;
    return panel({ x: 0, y: Math.round((height - high) / 2), width, height: Math.round(high) }, window);
  };
  const middle = {
    x: source.width * 0.12,
    y: source.height * 0.04,
    width: source.width * 0.76,
    height: source.height * 0.68,
  };
  const round = 0.04 * width;
  return {
    single: { layout: 'single', panels: [face(1, whole, 0, 1)] },
    'single, close': { layout: 'single', panels: [face(1, whole, 0, 0.5)] },
    stack: { layout: 'stack', panels: [face(1, box(0, 0, 1, 0.58)), face(3, box(0, 0.58, 1, 0.42))] },
    'stack, gap': {
      layout: 'stack',
      panels: [face(1, box(0, 0, 1, 0.495)), face(3, box(0, 0.505, 1, 0.495))],
      background: 'blur',
    },
    'stack, rounded': {
      layout: 'stack',
      panels: [face(1, box(0.03, 0.02, 0.94, 0.47), round), face(3, box(0.03, 0.51, 0.94, 0.47), round)],
      ...{ background: 'colour', background_colour: '#12324a' },
    },
    'grid-3': {
      layout: 'grid-3',
      panels: [face(0, box(0, 0, 1, 0.5)), face(2, box(0, 0.5, 0.5, 0.5)), face(3, box(0.5, 0.5, 0.5, 0.5))],
    },
    'grid-4': {
      layout: 'grid-4',
      panels: people.map((_, i) => face(i, box((i % 2) * 0.5, (i >> 1) * 0.5, 0.5, 0.5))),
    },
    'grid-4, gaps': {
      layout: 'grid-4',
      panels: people.map((_, i) => face(i, box((i % 2) * 0.51, (i >> 1) * 0.505, 0.49, 0.495))),
      background: 'blur',
    },
    'screen-speaker': {
      layout: 'screen-speaker',
      panels: [panel(box(0, 0, 1, 0.3164), picture), face(1, box(0, 0.3164, 1, 0.6836), 0, 0.5)],
    },
    inset: { layout: 'inset', panels: [face(0, whole, 0, 1), face(3, box(0.56, 0.72, 0.4, 0.24))] },
    'inset, rounded': {
      layout: 'inset',
      panels: [face(0, whole, 0, 1), face(3, box(0.54, 0.72, 0.42, 0.2363), 0.21 * width)],
    },
    group: { layout: 'group', panels: [panel(whole, around(0.5, 0.5, 1, whole))] },
    'fit, blur': { layout: 'fit', panels: [fitted(picture)], background: 'blur' },
    'fit, black': { layout: 'fit', panels: [fitted(picture)], background: 'black' },
    'fit, gradient': { layout: 'fit', panels: [fitted(picture)], background: 'gradient' },
    'fit, part over its blur': { layout: 'fit', panels: [fitted(middle)], background: 'blur' },
  };
}

/** A clip of one segment, from the source's start. */
export function planOfSegment(
  segment: Partial<Segment>,
  { source, output, frames, rateHz }: { source: Size; output: Size; frames: number; rateHz: number },
): Plan {
  const base = {
    scene_id: 0,
    start_frame: 0,
    end_frame: frames,
    reason: 'override',
    confidence: 1,
    alternatives: [],
  } as const;
  return {
    model: 'reframe',
    ...{
      width: source.width,
      height: source.height,
      output_width: output.width,
      output_height: output.height,
    },
    ...{ video_fps: rateHz, total_frames: frames, first_frame: 0, frame_count: frames },
    segments: [{ ...base, ...(segment as Segment) }],
  };
}

/** The first windows of a plan, cut every so many seconds between the middle and a side, still in between. */
export function cuttingPlan(
  shape: { source: Size; output: Size; frames: number; rateHz: number },
  { everySec, corrected }: { readonly everySec: number; readonly corrected?: number },
): Plan {
  const { source, output, frames, rateHz } = shape;
  const every = Math.round(everySec * rateHz);
  const width = (source.height * output.width) / output.height;
  const segments = Array.from({ length: Math.ceil(frames / every) }, (_, i): Segment => {
    const start = i * every;
    const x = (source.width - width) * (i === corrected ? 0.9 : 0.3 + 0.2 * (i % 2));
    const key = { frame_number: start, timestamp: start / rateHz, x, y: 0, width, height: source.height };
    return {
      ...{ scene_id: i, start_frame: start, end_frame: Math.min(frames, start + every), layout: 'single' },
      ...{ reason: i === corrected ? 'override' : 'speaker', confidence: 1, alternatives: [] },
      panels: [{ output: { x: 0, y: 0, ...output }, keyframes: [key] }],
    };
  });
  return { ...planOfSegment({ layout: 'single', panels: [] }, shape), segments };
}
