import type { Panel, Plan } from '../schema/plan.js';
import { type FramedCut, fillsOutput, fitScale, framedCutsOf, placementOf, windowsOf } from './cuts.js';
import { clipName, type ExportSource } from './export-source.js';
import { frameAt, frameOfTimecode, hz, type TimelineRate, timelineRate } from './timeline-rate.js';
import { element, type XmlElement, xmlText } from './xml-text.js';

/**
 * The plan as FCPXML 1.10, for Final Cut Pro and DaVinci Resolve (not Premiere, which reads version 7): a clip for each segment
 * with its transform, keyframed where the camera moves. Further panels of a layout are clips connected to it in lanes
 * above, each trimmed to its window, without sound. What lies behind panels is black and corners are square: FCPXML could
 * say them only with effects that belong to one program; a note at each clip says what the plan asked for.
 *
 * @throws RangeError for a wrong `startTimecode` or `frameRateHz`.
 * @see Apple, "FCPXML Reference": positions are percent of the project's height, y up; trims percent of the source's.
 */
export function toFcpxml(plan: Plan, source: ExportSource): string {
  const rate = timelineRate(plan, source.frameRateHz);
  const first = frameOfTimecode(source.startTimecode ?? '00:00:00:00', rate);
  const cuts = framedCutsOf(plan, rate);
  const time = (frames: number) => timeOf(frames, rate);
  const name = clipName(source);
  const hasSound = source.hasSound !== false;
  const begin = cuts[0]?.startFrame ?? 0;
  const length = (cuts.at(-1)?.endFrame ?? 0) - begin;
  const format = (id: string, width: number, height: number) =>
    element('format', { id, frameDuration: time(1), width, height });
  const asset = element(
    'asset',
    {
      ...{ id: 'r3', name, start: time(first), format: 'r1', hasVideo: 1, videoSources: 1 },
      duration: time(frameAt(plan.total_frames / plan.video_fps, rate)),
      ...(hasSound && { hasAudio: 1, audioSources: 1, audioChannels: 2, audioRate: 48000 }),
    },
    element('media-rep', { kind: 'original-media', src: source.url }),
  );
  const tcFormat = rate.isDropFrame ? 'DF' : 'NDF';
  const spine = cuts.map(cut => primaryClip(cut, { plan, rate, first, begin, name }));
  const sequence = element(
    'sequence',
    { format: 'r2', duration: time(length), tcStart: '0s', tcFormat },
    element('spine', {}, ...spine),
  );
  const project = element('project', { name: `${name}, reframed` }, sequence);
  return xmlText(
    'fcpxml',
    element(
      'fcpxml',
      { version: '1.10' },
      element(
        'resources',
        {},
        format('r1', plan.width, plan.height),
        format('r2', plan.output_width, plan.output_height),
        asset,
      ),
      element('library', {}, element('event', { name: 'edge-reframe' }, project)),
    ),
  );
}

/** A number of frames as an exact time: FCPXML refuses what does not lie on a frame. */
function timeOf(frames: number, { numerator, denominator }: TimelineRate): string {
  const seconds = (frames * denominator) / numerator;
  return Number.isInteger(seconds) ? `${seconds}s` : `${frames * denominator}/${numerator}s`;
}

type OnTimeline = {
  readonly plan: Plan;
  readonly rate: TimelineRate;
  /** The source's first frame, as its timecode counts. */
  readonly first: number;
  /** The frame of the source that the timeline begins with. */
  readonly begin: number;
  readonly name: string;
};

/** The first panel, with the others connected to it. */
function primaryClip(cut: FramedCut, on: OnTimeline): XmlElement {
  const { segment, startFrame, endFrame } = cut;
  const [panel, ...others] = segment.panels;
  const time = (frames: number) => timeOf(frames, on.rate);
  const clip = {
    ref: 'r3',
    start: time(on.first + startFrame),
    duration: time(endFrame - startFrame),
    format: 'r1',
  };
  const what = [
    segment.layout,
    segment.reason,
    ...(segment.background ? [`background ${segment.background}`] : []),
  ];
  const lanes = others.map((other, i) =>
    element(
      'asset-clip',
      // Connected clips are placed on the clock of the clip that they are connected to.
      { ...clip, lane: i + 1, offset: clip.start, name: titleOf(on.name, other), srcEnable: 'video' },
      ...adjustments(other, on),
    ),
  );
  return element(
    'asset-clip',
    { ...clip, offset: time(startFrame - on.begin), name: titleOf(on.name, panel!) },
    element('note', {}, what.join(', ')),
    ...adjustments(panel!, on),
    ...lanes,
  );
}

const titleOf = (name: string, { face_id }: Panel): string =>
  face_id === undefined ? name : `${name}, face ${face_id}`;

/** What brings a panel's window to its place, in the order that the format asks for. */
function adjustments(panel: Panel, { plan, rate, first }: OnTimeline): XmlElement[] {
  const fit = fitScale(plan);
  const keys = windowsOf(panel, timeSec => frameAt(timeSec, rate) / hz(rate)).map(window => ({
    time: timeOf(first + frameAt(window.timeSec, rate), rate),
    window,
    placed: placementOf(window, panel, plan),
  }));
  type Key = (typeof keys)[number];
  const words = (...values: number[]) => values.map(value => Number(value.toFixed(5))).join(' ');
  /** A value that stands still is an attribute; one that moves is keyframes. */
  const values = (of: Record<string, (key: Key) => string>) => {
    const entries = Object.entries(of).map(([name, say]) => ({ name, said: keys.map(say) }));
    const still = entries.filter(({ said }) => said.every(value => value === said[0]));
    const moving = entries.filter(entry => !still.includes(entry));
    return {
      attributes: Object.fromEntries(still.map(({ name, said }) => [name, said[0]!])),
      parameters: moving.map(({ name, said }) =>
        element(
          'param',
          { name },
          element(
            'keyframeAnimation',
            {},
            ...said.map((value, i) => element('keyframe', { time: keys[i]!.time, value, curve: 'linear' })),
          ),
        ),
      ),
    };
  };
  const { width, height, output_width, output_height } = plan;
  const percent = (pixels: number) => words((100 * pixels) / height);
  const trim = values({
    left: ({ window }) => percent(window.x),
    top: ({ window }) => percent(window.y),
    right: ({ window }) => percent(width - window.x - window.width),
    bottom: ({ window }) => percent(height - window.y - window.height),
  });
  const transform = values({
    position: ({ placed }) =>
      words(
        (100 * (placed.centreX - output_width / 2)) / output_height,
        (100 * (output_height / 2 - placed.centreY)) / output_height,
      ),
    scale: ({ placed }) => words(placed.scaleX / fit, placed.scaleY / fit),
  });
  const crop = element(
    'adjust-crop',
    { mode: 'trim' },
    element('trim-rect', trim.attributes, ...trim.parameters),
  );
  return [
    ...(fillsOutput(panel, plan) ? [] : [crop]),
    element('adjust-conform', { type: 'fit' }),
    element('adjust-transform', transform.attributes, ...transform.parameters),
  ];
}
