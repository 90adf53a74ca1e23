import type { PlaneMaps } from '../pixels/plane-maps.js';
import { createCache, mapsFor, shapeOf } from '../pixels/plane-maps.js';
import type { Plane, Planes } from '../pixels/planes.js';
import { planesOf } from '../pixels/planes.js';
import { readPixels } from '../pixels/read-planes.js';
import { resized } from '../pixels/resample.js';
import { sliceTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { Brush, Canvas } from './brush.js';
import { clearCanvas, createBrush, createCanvas } from './brush.js';
import type { Bt709Planes } from './bt709.js';
import { toBt709 } from './bt709.js';
import type { Compositor, Drawing } from './compositor.js';
import {
  backgroundOf,
  checkedSize,
  defaultBackgroundOptions,
  layerOf,
  placeOf,
  uncoveredRows,
} from './scene.js';

/** Still panels keep their brush from frame to frame; a moving camera needs a new one each time. */
const keptBrushes = 8;

/**
 * Draws on I420 planes with plain loops: without a GPU faster than any canvas.
 *
 * @param outputSize - Even numbers.
 * @throws RangeError for odd or empty sizes.
 */
export function createCpuCompositor(outputSize: Size): Compositor {
  const paint = createPainter(outputSize);
  let bytes = new Uint8Array(0);
  return {
    kind: 'cpu',
    async compose(frame, display, drawing) {
      const pixels = await readPixels(frame, display, sizeBytes => {
        if (bytes.byteLength < sizeBytes) bytes = new Uint8Array(sizeBytes);
        return bytes;
      });
      const { data, size } = paint(planesOf(pixels), drawing);
      return new VideoFrame(data, {
        format: 'I420',
        codedWidth: size.width,
        codedHeight: size.height,
        timestamp: frame.timestamp,
        ...(frame.duration === null ? {} : { duration: frame.duration }),
        colorSpace: { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709', fullRange: false },
      });
    },
    close() {
      bytes = new Uint8Array(0);
    },
  };
}

/**
 * Draws pictures without a VideoFrame: for Node. The painter's canvas, BT.709 limited I420, is overwritten by
 * its next call.
 *
 * @throws RangeError for odd or empty sizes.
 */
export function createPainter(outputSize: Size): (planes: Planes, drawing: Drawing) => Canvas {
  const size = checkedSize(outputSize);
  const canvas = createCanvas(size);
  const brushes = createCache<Brush>(keptBrushes);
  const fills = createCache<ReturnType<typeof createFill>>(keptBrushes);
  return (planes, { panels, background }) => {
    const picture = toBt709(planes);
    const key = `${shapeOf(picture)} ${Object.values(planes.colour)}`;
    const placed = panels.flatMap(panel => {
      const place = placeOf(panel, size);
      return place ? [{ panel, place }] : [];
    });
    const places = placed.map(({ place }) => place);
    const rows = uncoveredRows(places, size);
    if (rows.length && background === 'blur')
      fills(`${key} ${rows}`, () => createFill(size, rows, picture))(canvas, picture);
    else if (rows.length) clearCanvas(canvas);
    for (const { panel, place } of placed)
      brushes(`${key} ${boxKey(panel.source)} ${boxKey(panel.output)}`, () =>
        createBrush(layerOf(panel, place, picture), picture, 1),
      )(canvas, picture);
    return canvas;
  };
}

const boxKey = ({ x, y, width, height }: PixelBox): string => `${x} ${y} ${width} ${height}`;

/** The blurred fill of the rows that are seen. */
function createFill(size: Size, rows: readonly [number, number][], shape: Bt709Planes): Brush {
  const { small, reduce, blur, layer } = backgroundOf(size, shape, defaultBackgroundOptions);
  const [luma, chroma] = mapsFor(shape, reduce);
  const reduced = (picture: Bt709Planes): Bt709Planes => {
    const copy = (plane: Plane, maps: PlaneMaps) => resized(resized(plane, maps), blur);
    const [y, u, v] = picture.planes;
    return {
      ...picture,
      planes: [copy(y, luma), copy(u, chroma), copy(v, chroma)],
      size: small,
      display: small,
      ...(picture.lumaShift && { lumaShift: copy(picture.lumaShift, chroma) }),
    };
  };
  // Brushes take only the shape from this first copy.
  const smallShape = reduced(shape);
  const strips = rows.map(([from, to]) => {
    const output = { x: 0, y: from, width: size.width, height: to - from };
    const strip = { output, across: layer.across, down: sliceTaps(layer.down, from, to) };
    return createBrush(strip, smallShape, defaultBackgroundOptions.brightnessRatio);
  });
  return (canvas, picture) => {
    const copy = reduced(picture);
    for (const strip of strips) strip(canvas, copy);
  };
}
