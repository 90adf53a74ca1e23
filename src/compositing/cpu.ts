import type { PlaneMaps } from '../pixels/plane-maps.js';
import { createCache, mapsFor, shapeOf } from '../pixels/plane-maps.js';
import type { Plane, Planes } from '../pixels/planes.js';
import { planesOf } from '../pixels/planes.js';
import { readPixels } from '../pixels/read-planes.js';
import { resized } from '../pixels/resample.js';
import { sliceTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { Brush, Canvas } from './brush.js';
import { createBrush, createCanvas, fillBox } from './brush.js';
import type { Bt709Planes } from './bt709.js';
import { toBt709 } from './bt709.js';
import type { Compositor, Drawing, Overlay } from './compositor.js';
import { roundCorners } from './corners.js';
import { boxKey, colourOf, type Fill, fillFor } from './fill.js';
import { freeBoxes } from './free-boxes.js';
import { createOverlayBrush, type OverlayBrush } from './overlay.js';
import { checkedSize, layerOf, placeOf } from './scene.js';

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
  const fills = createCache<Brush>(keptBrushes);
  let over: { readonly overlay: Overlay; readonly brush: OverlayBrush } | undefined;
  return (planes, drawing) => {
    const picture = toBt709(planes);
    const key = `${shapeOf(picture)} ${Object.values(planes.colour)}`;
    const placed = drawing.panels.flatMap(panel => {
      const place = placeOf(panel, size);
      return place ? [{ panel, place }] : [];
    });
    const boxes = freeBoxes(
      placed.map(({ place }) => place),
      size,
    );
    const soft = boxes.length ? fillFor(drawing, size, picture) : undefined;
    if (soft)
      fills(`${key} ${soft.key} ${boxes.map(boxKey)}`, () => createFill(soft.make(), boxes, picture))(
        canvas,
        picture,
      );
    else for (const box of boxes) fillBox(canvas, box, colourOf(drawing));
    for (const { panel, place } of placed)
      brushes(`${key} ${boxKey(panel.source)} ${boxKey(panel.output)} ${place.cornerRadius}`, () =>
        roundCorners(createBrush(layerOf(panel, place, picture), picture, 1), place),
      )(canvas, picture);
    const { overlay } = drawing;
    if (overlay) {
      if (over?.overlay !== overlay) over = { overlay, brush: createOverlayBrush(overlay) };
      over.brush(canvas);
    }
    return canvas;
  };
}

/** A fill made of the picture, in the boxes that are seen. */
function createFill(
  { small, reduce, soften, layer, brightnessRatio }: Fill,
  boxes: readonly PixelBox[],
  shape: Bt709Planes,
): Brush {
  const [luma, chroma] = mapsFor(shape, reduce);
  const reduced = (picture: Bt709Planes): Bt709Planes => {
    const copy = (plane: Plane, maps: PlaneMaps) => resized(resized(plane, maps), soften);
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
  const strips = boxes.map(output => {
    const across = sliceTaps(layer.across, output.x, output.x + output.width);
    const down = sliceTaps(layer.down, output.y, output.y + output.height);
    return createBrush({ output, across, down }, smallShape, brightnessRatio);
  });
  return (canvas, picture) => {
    const copy = reduced(picture);
    for (const strip of strips) strip(canvas, copy);
  };
}
