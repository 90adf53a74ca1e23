import type { GpuJob } from '../pixels/gpu-desk.js';
import { createGpuDesk } from '../pixels/gpu-desk.js';
import type { GpuPicture } from '../pixels/gpu-picture.js';
import { createGpuLoader } from '../pixels/gpu-picture.js';
import { createCache } from '../pixels/plane-maps.js';
import type { Size } from '../schema/geometry.js';
import type { Compositor, Drawing } from './compositor.js';
import type { Background } from './scene.js';
import {
  backgroundOf,
  checkedSize,
  defaultBackgroundOptions,
  layerOf,
  placeOf,
  uncoveredRows,
} from './scene.js';

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
  const backgrounds = createCache<Background>(1);
  const layout = layoutOf(size);
  return {
    kind: 'webgpu',
    async compose(frame, display, drawing) {
      const { timestamp, duration } = frame;
      const picture = await load(frame, display);
      const job = desk.begin();
      const canvas = job.texture(size);
      const background = () =>
        backgrounds(JSON.stringify([picture.size, picture.display]), () =>
          backgroundOf(size, picture, defaultBackgroundOptions),
        );
      draw(job, canvas, picture, drawing, background);
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
    close: () => desk.close(),
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
  { panels, background }: Drawing,
  fill: () => Background,
): void {
  const placed = panels.flatMap(panel => {
    const place = placeOf(panel, canvas);
    return place ? [{ panel, place }] : [];
  });
  const places = placed.map(({ place }) => place);
  if (uncoveredRows(places, canvas).length) {
    if (background === 'blur') {
      const { reduce, blur, layer } = fill();
      const small = job.resize(job.resize(picture.texture, reduce), blur);
      job.resize(small, layer, {
        target: canvas,
        x: 0,
        y: 0,
        gain: defaultBackgroundOptions.brightnessRatio,
      });
    } else clear(job, canvas);
  }
  for (const { panel, place } of placed)
    job.resize(picture.texture, layerOf(panel, place, picture), { target: canvas, ...place, gain: 1 });
}

function clear({ encoder }: GpuJob, canvas: GPUTexture): void {
  const view = canvas.createView();
  const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
  pass.end();
}
