import type { Panel, Plan } from '../schema/plan.js';
import { type Cut, cutsOf, placementOf, windowsOf } from './cuts.js';

/** One panel of one segment, as compositing programs think: a layer that shows the source from `in_sec` to `out_sec`. */
type Layer = {
  readonly segment: number;
  readonly panel: number;
  readonly face_id?: number;
  readonly layout: string;
  readonly in_sec: number;
  readonly out_sec: number;
  /** What is seen of the layer, in pixels of the composition: left, top, width, height. */
  readonly mask: readonly [number, number, number, number];
  readonly corner_radius: number;
  /** Linear between keyframes. */
  readonly keyframes: readonly LayerKeyframe[];
};
type LayerKeyframe = {
  readonly time_sec: number;
  /** The window's middle in pixels of the source, x and y. */
  readonly anchor_point: readonly [number, number];
  /** Where the anchor point lies, in pixels of the composition. */
  readonly position: readonly [number, number];
  /** Percent, across and down. */
  readonly scale: readonly [number, number];
};

/**
 * The plan as layers with keyframes for anchor point, position and scale, as After Effects names them: one layer for each
 * panel of each segment, from the back to the front, times in seconds of the source. All panels, masks and corner radii
 * are in it; a segment's fill is named with its first layer's segment under `backgrounds`.
 */
export function toKeyframeJson(plan: Plan): string {
  const document = {
    format: 'edge-reframe layers',
    version: 1,
    source: { width: plan.width, height: plan.height },
    composition: { width: plan.output_width, height: plan.output_height, frame_rate: plan.video_fps },
    backgrounds: plan.segments.flatMap(({ background, background_colour }, segment) =>
      background ? [{ segment, background, ...(background_colour && { background_colour }) }] : [],
    ),
    layers: layersOf(plan),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

const columns = [
  ...[
    'segment',
    'panel',
    'layout',
    'face_id',
    'time_sec',
    'anchor_x',
    'anchor_y',
    'position_x',
    'position_y',
  ],
  ...['scale_x_percent', 'scale_y_percent', 'mask_x', 'mask_y', 'mask_width', 'mask_height', 'corner_radius'],
];

/** The keyframes of {@link toKeyframeJson} as a table, a row for each; commas, a header, no quotes. */
export function toKeyframeCsv(plan: Plan): string {
  const rows = layersOf(plan).flatMap(({ segment, panel, layout, face_id, mask, corner_radius, keyframes }) =>
    keyframes.map(({ time_sec, anchor_point, position, scale }) =>
      [
        segment,
        panel,
        layout,
        face_id ?? '',
        time_sec,
        ...anchor_point,
        ...position,
        ...scale,
        ...mask,
        corner_radius,
      ].join(),
    ),
  );
  return `${[columns.join(), ...rows].join('\n')}\n`;
}

const layersOf = (plan: Plan): Layer[] =>
  cutsOf(plan).flatMap((cut, segment) =>
    cut.segment.panels.map((panel, index) => ({ segment, panel: index, ...layerOf(panel, cut, plan) })),
  );

function layerOf(
  panel: Panel,
  { segment, startSec, endSec }: Cut,
  plan: Plan,
): Omit<Layer, 'segment' | 'panel'> {
  const { x, y, width, height } = panel.output;
  return {
    ...(panel.face_id !== undefined && { face_id: panel.face_id }),
    ...{ layout: segment.layout, in_sec: startSec, out_sec: endSec },
    mask: [x, y, width, height],
    corner_radius: panel.corner_radius ?? 0,
    keyframes: windowsOf(panel).map(window => {
      const { scaleX, scaleY } = placementOf(window, panel, plan);
      return {
        time_sec: window.timeSec,
        anchor_point: [rounded(window.x + window.width / 2), rounded(window.y + window.height / 2)],
        position: [x + width / 2, y + height / 2],
        scale: [rounded(100 * scaleX), rounded(100 * scaleY)],
      };
    }),
  };
}

const rounded = (value: number): number => Number(value.toFixed(4));
