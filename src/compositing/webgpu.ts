import type { GpuJob } from '../pixels/gpu-desk.js';
import { createGpuDesk, real } from '../pixels/gpu-desk.js';
import type { GpuPicture } from '../pixels/gpu-picture.js';
import { createGpuLoader } from '../pixels/gpu-picture.js';
import { createCache } from '../pixels/plane-maps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { Rgb } from './brush.js';
import type { Compositor, Drawing, Overlay } from './compositor.js';
import { colourOf, type Fill, fillFor } from './fill.js';
import { freeBoxes, type Place } from './free-boxes.js';
import { checkedSize, layerOf, placeOf } from './scene.js';

/** Fills of the layouts that a shot changes between. */
const keptFills = 4;
type Fills = (key: string, make: () => Fill) => Fill;

/**
 * Draws on the GPU with the same maps as the CPU and reads I420 back. A canvas would save the copy, but its frames
 * are RGB, and which matrix an encoder then applies is the browser's choice; these are BT.709 everywhere.
 *
 * @param outputSize - Even numbers.
 * @param videoImport - Whether importing a VideoFrame works on the device; without, planes are uploaded.
 * @throws RangeError for odd or empty sizes.
 */
export function createGpuCompositor(device: GPUDevice, outputSize: Size, videoImport = true): Compositor {
  const size = checkedSize(outputSize);
  const desk = createGpuDesk(device);
  const load = createGpuLoader(desk, videoImport);
  const fills: Fills = createCache<Fill>(keptFills);
  const layout = layoutOf(size);
  let over: { readonly overlay: Overlay; readonly pixels: GPUBuffer } | undefined;
  /** The overlay's pixels in memory of the GPU, uploaded once. */
  const pixelsOf = (overlay: Overlay): GPUBuffer => {
    if (over?.overlay === overlay) return over.pixels;
    if (over) desk.giveBuffer(over.pixels);
    const pixels = desk.takeBuffer(overlay.rgba.byteLength);
    device.queue.writeBuffer(pixels, 0, overlay.rgba);
    over = { overlay, pixels };
    return pixels;
  };
  return {
    kind: 'webgpu',
    async compose(frame, display, drawing) {
      const { timestamp, duration } = frame;
      const picture = await load(frame, display);
      const job = desk.begin();
      const canvas = job.texture(size);
      draw(job, canvas, picture, { drawing, fills });
      if (drawing.overlay) drawOver(job, canvas, drawing.overlay.box, pixelsOf(drawing.overlay));
      const packed = desk.takeBuffer(layout.sizeBytes);
      const parameters = [size.width, size.height, layout.stride / 4, layout.u / 4, layout.v / 4];
      const extent = [layout.stride / 8, size.height / 2] as const;
      job.run('i420', parameters, [canvas.createView(), { buffer: packed }], extent);
      job.submit();
      desk.giveTexture(picture.texture);
      try {
        return new VideoFrame(await desk.read(packed, layout.sizeBytes), {
          format: 'I420',
          codedWidth: size.width,
          codedHeight: size.height,
          layout: [
            { offset: 0, stride: layout.stride },
            { offset: layout.u, stride: layout.stride / 2 },
            { offset: layout.v, stride: layout.stride / 2 },
          ],
          timestamp,
          ...(duration === null ? {} : { duration }),
          colorSpace: { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709', fullRange: false },
        });
      } finally {
        desk.giveBuffer(packed);
      }
    },
    close() {
      over?.pixels.destroy();
      desk.close();
    },
  };
}

/** Bytes of the packed planes; rows are padded so that the kernel writes whole words of chroma. */
function layoutOf({ width, height }: Size) {
  const stride = 8 * Math.ceil(width / 8);
  const u = stride * height;
  const v = u + u / 4;
  return { stride, u, v, sizeBytes: v + u / 4 };
}

function draw(
  job: GpuJob,
  canvas: GPUTexture,
  picture: GpuPicture,
  { drawing, fills }: { readonly drawing: Drawing; readonly fills: Fills },
): void {
  const placed = drawing.panels.flatMap(panel => {
    const place = placeOf(panel, canvas);
    return place ? [{ panel, place }] : [];
  });
  const places = placed.map(({ place }) => place);
  if (freeBoxes(places, canvas).length) {
    const soft = fillFor(drawing, canvas, picture);
    if (soft) {
      const key = JSON.stringify([picture.size, picture.display, soft.key]);
      const { reduce, soften, layer, brightnessRatio } = fills(key, soft.make);
      const small = job.resize(job.resize(picture.texture, reduce), soften);
      job.resize(small, layer, { target: canvas, x: 0, y: 0, gain: brightnessRatio });
    } else clear(job, canvas, colourOf(drawing));
  }
  for (const { panel, place } of placed) {
    const layer = layerOf(panel, place, picture);
    if (place.cornerRadius) drawRounded(job, canvas, { place, drawn: job.resize(picture.texture, layer) });
    else job.resize(picture.texture, layer, { target: canvas, ...place, gain: 1 });
  }
}

/** A kernel cannot read what it writes: the panel's corners are mixed with the canvas aside, and then laid onto it. */
function drawRounded(
  job: GpuJob,
  canvas: GPUTexture,
  { place, drawn }: { readonly place: Place; readonly drawn: GPUTexture },
): void {
  const { x, y, width, height, cornerRadius } = place;
  const mixed = job.texture({ width, height });
  const views = [drawn.createView(), canvas.createView(), mixed.createView()];
  job.run('rounded', [width, height, x, y, real(cornerRadius)], views, [width, height]);
  job.run('paste', [width, height, x, y], [mixed.createView(), canvas.createView()], [width, height]);
}

function drawOver(
  job: GpuJob,
  canvas: GPUTexture,
  { x, y, width, height }: PixelBox,
  pixels: GPUBuffer,
): void {
  const mixed = job.texture({ width, height });
  const bindings = [{ buffer: pixels }, canvas.createView(), mixed.createView()];
  job.run('overlay', [width, height, x, y], bindings, [width, height]);
  job.run('paste', [width, height, x, y], [mixed.createView(), canvas.createView()], [width, height]);
}

function clear({ encoder }: GpuJob, canvas: GPUTexture, [r, g, b]: Rgb): void {
  const view = canvas.createView();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: { r, g, b, a: 1 } }],
  });
  pass.end();
}
