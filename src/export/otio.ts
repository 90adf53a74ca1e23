import type { Panel, Plan } from '../schema/plan.js';
import { type FramedCut, fillsOutput, fitScale, framedCutsOf, placementOf, windowsOf } from './cuts.js';
import { clipName, type ExportSource } from './export-source.js';
import { frameAt, frameOfTimecode, hz, type TimelineRate, timelineRate } from './timeline-rate.js';

/**
 * The plan as an OpenTimelineIO timeline (`.otio`, JSON): a video track for each panel of a layout, the first at the
 * bottom, and one for the sound; gaps where a layout has fewer panels. OpenTimelineIO itself has no word for crops, so
 * each clip carries its window twice: as the effects `Transform` and `Cropping` that DaVinci Resolve writes and reads
 * (`Resolve_OTIO`; zoom against the picture fitted into the frame, pan and tilt in frame widths and heights), and under
 * `edge_reframe` as the plan says it, in pixels. Fills behind panels and rounded corners are under `edge_reframe` only.
 *
 * @throws RangeError for a wrong `startTimecode` or `frameRateHz`.
 */
export function toOtio(plan: Plan, source: ExportSource): string {
  const rate = timelineRate(plan, source.frameRateHz);
  const cuts = framedCutsOf(plan, rate);
  const writer = createWriter(plan, source, rate);
  const lanes = Math.max(1, ...cuts.map(({ segment }) => segment.panels.length));
  const video = Array.from({ length: lanes }, (_, lane) =>
    track(
      `Video ${lane + 1}`,
      'Video',
      lane === 0,
      joinGaps(cuts, lane).map(part => writer.child(part, lane)),
    ),
  );
  const sound =
    source.hasSound === false || !cuts.length ? [] : [track('Audio 1', 'Audio', false, [writer.whole(cuts)])];
  const stack = {
    OTIO_SCHEMA: 'Stack.1',
    ...item('tracks'),
    source_range: null,
    children: [...video, ...sound],
  };
  const timeline = {
    OTIO_SCHEMA: 'Timeline.1',
    ...{ name: `${clipName(source)}, reframed`, global_start_time: writer.time(0), tracks: stack },
    metadata: {
      edge_reframe: { width: plan.output_width, height: plan.output_height, model: plan.model },
      Resolve_OTIO: { 'Resolve OTIO Meta Version': '1.0' },
    },
  };
  return `${JSON.stringify(timeline, null, 1)}\n`;
}

type Part = { readonly cut?: FramedCut; readonly frames: number };

/** What a lane holds, in order: its clips, and one gap for each run of cuts that have no panel there. */
function joinGaps(cuts: readonly FramedCut[], lane: number): Part[] {
  const parts: Part[] = [];
  for (const cut of cuts) {
    const frames = cut.endFrame - cut.startFrame;
    const last = parts.at(-1);
    if (cut.segment.panels[lane]) parts.push({ cut, frames });
    else if (last && !last.cut) parts.splice(-1, 1, { frames: last.frames + frames });
    else parts.push({ frames });
  }
  return parts;
}

const item = (name: string) => ({ name, metadata: {}, effects: [], markers: [] });

const track = (name: string, kind: string, isMain: boolean, children: readonly object[]) => ({
  OTIO_SCHEMA: 'Track.1',
  ...item(name),
  ...{ kind, source_range: null, children },
  ...(isMain && { metadata: { edge_reframe: { main: true } } }),
});

/** Builds the parts of one timeline. */
function createWriter(plan: Plan, source: ExportSource, rate: TimelineRate) {
  const first = frameOfTimecode(source.startTimecode ?? '00:00:00:00', rate);
  const time = (frame: number) => ({ OTIO_SCHEMA: 'RationalTime.1', rate: hz(rate), value: frame });
  const range = (start: number, frames: number) => ({
    OTIO_SCHEMA: 'TimeRange.1',
    ...{ start_time: time(start), duration: time(frames) },
  });
  const media = () => ({
    OTIO_SCHEMA: 'ExternalReference.1',
    ...{ name: clipName(source), metadata: {}, target_url: source.url },
    available_range: range(first, frameAt(plan.total_frames / plan.video_fps, rate)),
  });
  const clip = (startFrame: number, frames: number) => ({
    OTIO_SCHEMA: 'Clip.1',
    ...item(clipName(source)),
    ...{ source_range: range(first + startFrame, frames), media_reference: media() },
  });
  return {
    time,
    child({ cut, frames }: Part, lane: number) {
      if (!cut) return { OTIO_SCHEMA: 'Gap.1', ...item(''), source_range: range(0, frames) };
      const { panels, ...segment } = cut.segment;
      const panel = panels[lane]!;
      return {
        ...clip(cut.startFrame, frames),
        metadata: { edge_reframe: { ...segment, panel, index: lane } },
        effects: resolveEffects(panel, { plan, rate, startFrame: cut.startFrame }),
      };
    },
    whole: (cuts: readonly FramedCut[]) =>
      clip(cuts[0]!.startFrame, cuts.at(-1)!.endFrame - cuts[0]!.startFrame),
  };
}

/** Numbers of effects as DaVinci Resolve stores them. */
const effectTypes = { Transform: 2, Cropping: 3 } as const;

type OnTimeline = { readonly plan: Plan; readonly rate: TimelineRate; readonly startFrame: number };

/** Keyframes count from the clip's first frame; a parameter that stands still has none. */
function resolveEffects(panel: Panel, { plan, rate, startFrame }: OnTimeline): object[] {
  const fit = fitScale(plan);
  const frames = windowsOf(panel, timeSec => frameAt(timeSec, rate) / hz(rate)).map(window => ({
    frame: Math.max(0, frameAt(window.timeSec, rate) - startFrame),
    window,
    placed: placementOf(window, panel, plan),
  }));
  type At = (typeof frames)[number];
  const parameter = (
    id: string,
    standard: number,
    [low, high]: readonly [number, number],
    of: (at: At) => number,
  ) => {
    const values = frames.map(at => [at.frame, Number(of(at).toFixed(6))] as const);
    const isStill = values.every(([, value]) => value === values[0]![1]);
    const keys = isStill ? [] : values.map(([frame, Value]) => [frame, { Value, 'Variant Type': 'Double' }]);
    return {
      'Default Parameter Value': standard,
      'Key Frames': Object.fromEntries(keys),
      'Parameter ID': id,
      'Parameter Value': values[0]![1],
      'Variant Type': 'Double',
      ...{ maxValue: high, minValue: low },
    };
  };
  const effect = (name: keyof typeof effectTypes, parameters: readonly object[]) => ({
    OTIO_SCHEMA: 'Effect.1',
    ...{ name: '', effect_name: 'Resolve Effect' },
    metadata: {
      Resolve_OTIO: {
        ...{
          'Effect Name': name,
          Enabled: true,
          Name: name,
          Parameters: parameters,
          Type: effectTypes[name],
        },
      },
    },
  });
  const { width, height, output_width, output_height } = plan;
  const transform = effect('Transform', [
    parameter('transformationZoomX', 1, [0, 100], ({ placed }) => placed.scaleX / fit),
    parameter('transformationZoomY', 1, [0, 100], ({ placed }) => placed.scaleY / fit),
    parameter('transformationPan', 0, [-4, 4], ({ placed }) => placed.centreX / output_width - 0.5),
    parameter('transformationTilt', 0, [-4, 4], ({ placed }) => 0.5 - placed.centreY / output_height),
  ]);
  if (fillsOutput(panel, plan)) return [transform];
  return [
    transform,
    effect('Cropping', [
      parameter('cropLeft', 0, [0, 1], ({ window }) => window.x / width),
      parameter('cropRight', 0, [0, 1], ({ window }) => 1 - (window.x + window.width) / width),
      parameter('cropTop', 0, [0, 1], ({ window }) => window.y / height),
      parameter('cropBottom', 0, [0, 1], ({ window }) => 1 - (window.y + window.height) / height),
    ]),
  ];
}
