import type { ColourSpace } from './colour.js';
import { colourOf, toRgbOf } from './colour.js';
import type { GpuDesk, Word } from './gpu-desk.js';
import { real } from './gpu-desk.js';
import type { Planes } from './planes.js';
import { planesOf } from './planes.js';
import type { DisplayOf } from './read-planes.js';
import { readPixels } from './read-planes.js';

/** An upright picture on the GPU, before pixel aspect. Give the texture back to the desk. */
export type GpuPicture = Omit<Planes, 'planes'> & { readonly texture: GPUTexture };

/** Puts frames on the GPU. */
export type GpuLoader = (frame: VideoFrame, display: DisplayOf) => Promise<GpuPicture>;

/**
 * Frames go to the GPU directly where the browser can do that and would not touch their colours: an import
 * also maps primaries to sRGB (moving saturated colours of BT.601 primaries by up to 14 levels), which models
 * and viewers of an untouched stream do not expect. All other frames are copied to memory and their planes
 * uploaded, which also serves browsers without `importExternalTexture`.
 *
 * @param videoImport - Whether importing a frame works on this device.
 */
export function createGpuLoader(desk: GpuDesk, videoImport: boolean): GpuLoader {
  const { device } = desk;
  const linear = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  let bytes = new Uint8Array(0);
  const take = (sizeBytes: number) => {
    // Whole words: that is what writeBuffer takes.
    if (bytes.byteLength < sizeBytes) bytes = new Uint8Array(4 * Math.ceil(sizeBytes / 4));
    return bytes;
  };
  const imported = (frame: VideoFrame, display: DisplayOf): GpuPicture => {
    const { width, height } = frame.visibleRect!;
    const source = device.importExternalTexture({ source: frame as never });
    const shape = shapeOf(width, height, display, colourOf(frame.colorSpace, height, 8));
    const texture = desk.takeTexture(shape.size);
    const job = desk.begin();
    const parameters = [width, height, display.rotationDeg / 90];
    job.run('frame', parameters, [source, linear, texture.createView()], [texture.width, texture.height]);
    job.submit();
    return { ...shape, texture };
  };
  return async (frame, display) => {
    if (videoImport && keepsColours(frame)) return imported(frame, display);
    const coded = await readPixels(frame, display, take);
    const planes = planesOf(coded);
    const texture = desk.takeTexture(planes.size);
    const job = desk.begin();
    const memory = job.buffer(coded.data.byteLength);
    device.queue.writeBuffer(memory, 0, coded.data as Uint8Array<ArrayBuffer>);
    job.run(
      'planes',
      parametersOf(planes),
      [{ buffer: memory }, texture.createView()],
      [texture.width, texture.height],
    );
    job.submit();
    const { size, display: displayed, colour } = planes;
    return { size, display: displayed, colour, texture };
  };
}

/**
 * Formats whose import is exact to a level; null is an opaque frame of a hardware decoder. Software 10-bit frames come
 * up to 7 levels off, and those with alpha premultiplied.
 */
const importedFormats: readonly (string | null)[] = ['I420', 'NV12', 'I422', 'I444', null];
/** Matrices that the import knows, in R'G'B' that this library would compute as well. */
const importedMatrices: readonly (string | null)[] = ['bt709', 'bt470bg', 'smpte170m'];
const sdrTransfers: readonly (string | null)[] = ['bt709', 'smpte170m', 'iec61966-2-1'];

/** Whether R'G'B' after the import is what the frame's own matrix gives. */
function keepsColours({ format, colorSpace: { primaries, matrix, transfer } }: VideoFrame): boolean {
  return (
    importedFormats.includes(format) &&
    primaries === 'bt709' &&
    importedMatrices.includes(matrix) &&
    sdrTransfers.includes(transfer)
  );
}

function shapeOf(width: number, height: number, display: DisplayOf, colour: ColourSpace) {
  const size = display.rotationDeg % 180 ? { width: height, height: width } : { width, height };
  return { size, display: { width: display.width, height: display.height }, colour };
}

function parametersOf({ planes, colour }: Planes): Word[] {
  const { black, luma, grey, redV, greenU, greenV, blueU } = toRgbOf(colour);
  const coefficients = [black, luma, grey, redV, greenU, greenV, blueU].map(real);
  const bytesPerValue = planes[0].data.BYTES_PER_ELEMENT;
  const places = planes.flatMap(({ offset, x, y }) => [
    offset,
    ...[x, y].flatMap(axis => [axis.step, axis.length, axis.subsampling, axis.phase]),
  ]);
  return [bytesPerValue, Number(colour.matrix === 'rgb'), ...coefficients, ...places];
}
