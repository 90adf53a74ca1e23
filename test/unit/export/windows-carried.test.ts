import { describe, expect, test } from 'vitest';
import { cropAtFrame } from '../../../src/core/plan/crop-at.js';
import {
  exportFormats,
  exportPlan,
  fromPlanJson,
  toCssKeyframes,
  toFcpxml,
  toKeyframeCsv,
  toKeyframeJson,
  toOtio,
  toPlanJson,
  toWebVtt,
} from '../../../src/export/index.js';
import type { PixelBox } from '../../../src/schema/geometry.js';
import type { Plan } from '../../../src/schema/plan.js';
import { planOf, scenes } from './exported-plan.js';
import { allOf, readXml, type XmlNode } from './read-xml.js';

const source = { url: 'file:///video/talk%20&%20more.mp4' };

/** What an export shows in a frame of its timeline: each panel's window, in pixels of the source. */
type Reader = (frame: number) => PixelBox[];
/** The position of a value between keyframes, constant outside of them. */
function valueAt(keys: readonly (readonly [at: number, value: readonly number[]])[], at: number): number[] {
  const next = keys.findIndex(([time]) => time > at);
  if (next === 0 || keys.length === 1) return [...keys[0]![1]];
  if (next < 0) return [...keys.at(-1)![1]];
  const [from, to] = [keys[next - 1]!, keys[next]!];
  const share = (at - from[0]) / (to[0] - from[0]);
  return from[1].map((value, i) => value + (to[1][i]! - value) * share);
}

/** The window of a picture that lies in the output at this scale and centre, where a panel is. */
function windowUnder(
  plan: Plan,
  scale: readonly number[],
  centre: readonly number[],
  output: PixelBox,
): PixelBox {
  const [across, down] = scale as [number, number];
  return {
    x: plan.width / 2 - (centre[0]! - output.x) / across,
    y: plan.height / 2 - (centre[1]! - output.y) / down,
    width: output.width / across,
    height: output.height / down,
  };
}

const outputsAt = (plan: Plan, frame: number) => cropAtFrame(plan, frame).panels.map(({ output }) => output);
const fitOf = (plan: Plan) => Math.min(plan.output_width / plan.width, plan.output_height / plan.height);

type Parameter = {
  readonly 'Parameter ID': string;
  readonly 'Parameter Value': number;
  readonly 'Key Frames': Record<string, { readonly Value: number }>;
};
type Effect = { readonly metadata: { readonly Resolve_OTIO: { readonly Parameters: readonly Parameter[] } } };
type OtioItem = {
  readonly OTIO_SCHEMA: string;
  readonly effects: readonly Effect[];
  readonly source_range: Record<'start_time' | 'duration', { readonly value: number }>;
};

/** As DaVinci Resolve reads its own effects. */
function otioReader(plan: Plan): Reader {
  const { tracks } = JSON.parse(toOtio(plan, source));
  const video = tracks.children.filter((track: { kind: string }) => track.kind === 'Video');
  return frame =>
    video.flatMap((track: { children: readonly OtioItem[] }, lane: number) => {
      let begin = plan.first_frame;
      for (const child of track.children) {
        const length = child.source_range.duration.value;
        if (frame < begin + length) {
          if (child.OTIO_SCHEMA !== 'Clip.1') return [];
          expect(child.source_range.start_time.value).toBe(begin);
          const parameters = child.effects.flatMap(
            (effect: Effect) => effect.metadata.Resolve_OTIO.Parameters,
          );
          const read = (id: string) => {
            const { 'Key Frames': keys, 'Parameter Value': value } = parameters.find(
              (p: Parameter) => p['Parameter ID'] === id,
            )!;
            const said = Object.entries<{ Value: number }>(keys).map(
              ([at, key]) => [Number(at), [key.Value]] as const,
            );
            return valueAt(said.length ? said : [[0, [value]]], frame - begin)[0]!;
          };
          const scale = ['X', 'Y'].map(axis => read(`transformationZoom${axis}`) * fitOf(plan));
          const centre = [
            (read('transformationPan') + 0.5) * plan.output_width,
            (0.5 - read('transformationTilt')) * plan.output_height,
          ];
          const window = windowUnder(plan, scale, centre, outputsAt(plan, frame)[lane]!);
          if (parameters.some((p: Parameter) => p['Parameter ID'] === 'cropLeft')) {
            expect(read('cropLeft') * plan.width).toBeCloseTo(window.x, 1);
            expect((1 - read('cropRight')) * plan.width).toBeCloseTo(window.x + window.width, 1);
            expect(read('cropTop') * plan.height).toBeCloseTo(window.y, 1);
            expect((1 - read('cropBottom')) * plan.height).toBeCloseTo(window.y + window.height, 1);
          }
          return [window];
        }
        begin += length;
      }
      return [];
    });
}

const secOf = (time: string): number => {
  const [, top, bottom = '1'] = /^(\d+)(?:\/(\d+))?s$/.exec(time)!;
  return Number(top) / Number(bottom);
};

/** As Apple's reference defines positions, scales and trims. */
function fcpxmlReader(plan: Plan): Reader {
  const [spine] = allOf(readXml(toFcpxml(plan, source)), 'spine');
  const said = (node: XmlNode, name: string, standard: string) => {
    const animated = node.children.find(child => child.attributes.name === name);
    const keys = animated ? allOf(animated, 'keyframe') : [];
    const numbers = (text: string) => text.split(' ').map(Number);
    return keys.length
      ? keys.map(({ attributes }) => [secOf(attributes.time!), numbers(attributes.value!)] as const)
      : [[0, numbers(node.attributes[name] ?? standard)] as const];
  };
  return frame => {
    const timeSec = frame / plan.video_fps;
    const clips = spine!.children.flatMap(clip => [
      clip,
      ...clip.children.filter(({ name }) => name === 'asset-clip'),
    ]);
    const shown = clips.filter(({ attributes: { start, duration } }) => {
      const from = secOf(start!);
      return timeSec > from - 1e-6 && timeSec < from + secOf(duration!) - 1e-6;
    });
    return shown.map((clip, lane) => {
      const [transform] = clip.children.filter(({ name }) => name === 'adjust-transform');
      const scale = valueAt(said(transform!, 'scale', '1 1'), timeSec).map(value => value * fitOf(plan));
      const [x, y] = valueAt(said(transform!, 'position', '0 0'), timeSec);
      const centre = [
        plan.output_width / 2 + (x! * plan.output_height) / 100,
        plan.output_height / 2 - (y! * plan.output_height) / 100,
      ];
      const window = windowUnder(plan, scale, centre, outputsAt(plan, frame)[lane]!);
      const [trim] = allOf(clip, 'trim-rect').slice(
        0,
        clip.children.some(({ name }) => name === 'adjust-crop') ? 1 : 0,
      );
      if (trim) {
        const pixels = (edge: string) => (valueAt(said(trim, edge, '0'), timeSec)[0]! * plan.height) / 100;
        expect(pixels('left')).toBeCloseTo(window.x, 1);
        expect(plan.width - pixels('right')).toBeCloseTo(window.x + window.width, 1);
        expect(pixels('top')).toBeCloseTo(window.y, 1);
        expect(plan.height - pixels('bottom')).toBeCloseTo(window.y + window.height, 1);
      }
      return window;
    });
  };
}

type LayerKey = { time_sec: number; anchor_point: number[]; position: number[]; scale: number[] };

/** Layers in a composition. */
function layerReader(plan: Plan, text = toKeyframeJson(plan)): Reader {
  const { layers } = JSON.parse(text);
  return frame => {
    const timeSec = frame / plan.video_fps + 1e-6;
    const shown = layers.filter(
      (layer: { in_sec: number; out_sec: number }) => layer.in_sec <= timeSec && timeSec < layer.out_sec,
    );
    return shown.map(({ keyframes, mask }: { keyframes: LayerKey[]; mask: number[] }) => {
      const read = (of: (key: LayerKey) => number[]) =>
        valueAt(
          keyframes.map(key => [key.time_sec, of(key)]),
          timeSec,
        );
      const [anchor, position] = [read(key => key.anchor_point), read(key => key.position)];
      const scale = read(key => key.scale).map(percent => percent / 100);
      const [left, top, width, height] = mask as [number, number, number, number];
      return {
        x: anchor[0]! - (position[0]! - left) / scale[0]!,
        y: anchor[1]! - (position[1]! - top) / scale[1]!,
        width: width / scale[0]!,
        height: height / scale[1]!,
      };
    });
  };
}

/** A table's rows as the layers that they are of. */
function csvReader(plan: Plan): Reader {
  const [head, ...rows] = toKeyframeCsv(plan)
    .trim()
    .split('\n')
    .map(row => row.split(','));
  const records = rows.map(
    row => Object.fromEntries(row.map((value, i) => [head![i], Number(value)])) as Record<string, number>,
  );
  const layers = plan.segments.flatMap((segment, s) =>
    segment.panels.map((_, p) => {
      const own = records.filter(record => record.segment === s && record.panel === p);
      const [first] = own;
      return {
        in_sec: segment.start_frame / plan.video_fps,
        out_sec: segment.end_frame / plan.video_fps,
        mask: [first!.mask_x, first!.mask_y, first!.mask_width, first!.mask_height],
        keyframes: own.map(r => ({
          time_sec: r.time_sec,
          anchor_point: [r.anchor_x, r.anchor_y],
          position: [r.position_x, r.position_y],
          scale: [r.scale_x_percent, r.scale_y_percent],
        })),
      };
    }),
  );
  return layerReader(plan, JSON.stringify({ layers }));
}

const everyFrame = (plan: Plan) => Array.from({ length: plan.frame_count }, (_, i) => plan.first_frame + i);

describe.each([
  ['OpenTimelineIO', otioReader],
  ['FCPXML', fcpxmlReader],
  ['layers', layerReader],
  ['a table of keyframes', csvReader],
] as const)('%s shows every panel where the plan does, within a fifth of a pixel', (_, open) => {
  test.each([
    ['25', planOf()],
    ['29.97', planOf({ frameRateHz: 30000 / 1001 })],
    ['59.94, from frame 120 on', planOf({ frameRateHz: 60000 / 1001, firstFrame: 120 })],
  ])('at %s frames a second', (_, plan) => {
    const read = open(plan);
    for (const frame of everyFrame(plan)) {
      const expected = cropAtFrame(plan, frame).panels.map(panel => panel.source);
      const got = read(frame);
      expect(got.length).toBe(expected.length);
      expected.forEach((box, i) => {
        for (const side of ['x', 'y', 'width', 'height'] as const)
          expect(Math.abs(got[i]![side] - box[side]), `${side} of panel ${i} in frame ${frame}`).toBeLessThan(
            0.2,
          );
      });
    }
  });
});

test('plan JSON comes back as it was; what is no plan is refused', () => {
  const plan = planOf();
  expect(fromPlanJson(toPlanJson(plan))).toEqual(plan);
  expect(() => fromPlanJson('{"model":"reframe"}')).toThrow(/width/);
  expect(() => fromPlanJson('nothing')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('a WebVTT track gives the plan back, cue by cue', () => {
  const plan = planOf();
  const [head, , ...cues] = toWebVtt(plan).trim().split('\n\n');
  expect(head).toBe('WEBVTT');
  const read = cues.map(cue => {
    const [, times, ...text] = cue.split('\n');
    const [from, to] = times!.split(' --> ').map(clock => {
      const [, h, m, s] = /^(\d\d):(\d\d):(\d\d\.\d{3})$/.exec(clock)!;
      return Number(h) * 3600 + Number(m) * 60 + Number(s);
    });
    expect(text.length).toBe(1);
    return { from, to, segment: JSON.parse(text[0]!) };
  });
  const { plan: sizes, ...first } = read[0]!.segment;
  expect({ ...sizes, segments: [first, ...read.slice(1).map(({ segment }) => segment)] }).toEqual(plan);
  for (const [i, { from, to, segment }] of read.entries()) {
    expect(from).toBeCloseTo(segment.start_frame / 25, 3);
    expect(to).toBeCloseTo(segment.end_frame / 25, 3);
    if (i) expect(from).toBe(read[i - 1]!.to);
  }
});

test('CSS shows the main panel’s window with object-position and scale', () => {
  const plan = planOf({}, scenes.slice(0, 3));
  const css = toCssKeyframes(plan, { name: 'talk' });
  const endSec = Number(/animation: talk ([\d.]+)s linear paused both/.exec(css)![1]);
  const rows = [
    ...css.matchAll(
      /^ {2}([\d.]+)% \{ object-fit: cover; object-position: (\S+)% (\S+)%; transform-origin: (\S+)% (\S+)%; scale: (\S+) \}$/gm,
    ),
  ];
  expect(css.match(/^ {2}[\d.]+% \{/gm)!.length).toBe(rows.length);
  const keys = rows.map(([, at, ...values]) => [(Number(at) / 100) * endSec, values.map(Number)] as const);
  const [nominalWidth, nominalHeight] = [202.5, 360];
  for (const frame of everyFrame(plan)) {
    const [x, y, originX, originY, scale] = valueAt(keys, frame / 25 + 1e-5) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const [box] = cropAtFrame(plan, frame).panels.map(panel => panel.source);
    const [width, height] = [nominalWidth / scale, nominalHeight / scale];
    // `cover` leaves this share of what does not fit before the box; the scale keeps its origin where it is.
    const left = (x / 100) * (plan.width - nominalWidth) + (originX / 100) * (nominalWidth - width);
    const top = (y / 100) * (plan.height - nominalHeight) + (originY / 100) * (nominalHeight - height);
    for (const [got, expected] of [
      [left, box!.x],
      [top, box!.y],
      [width, box!.width],
      [height, box!.height],
    ])
      expect(Math.abs(got! - expected!), `frame ${frame}`).toBeLessThan(1);
  }
  expect(() => toCssKeyframes(plan, { name: 'a {} b' })).toThrow(RangeError);
  expect(toCssKeyframes(planOf())).toContain('object-fit: contain');
});

test.each(exportFormats)('%s is refused for a plan without segments', format => {
  expect(() => exportPlan({ ...planOf(), segments: [] }, format, source)).toThrow(RangeError);
  expect(exportPlan(planOf(), format, source).text.length).toBeGreaterThan(100);
});
