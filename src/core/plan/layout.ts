import type { PixelBox, Size } from '../../schema/geometry.js';
import type { PlanRequest } from '../../schema/plan.js';
import { clamp } from '../series.js';

export type LayoutOptions = {
  /** The window closes in until a face has this share of the output's height. Portrait viewers hold phones. */
  readonly minFaceRatio: number;
  /** But never so far that source pixels are drawn larger than this many output pixels … */
  readonly maxUpscale: number;
  /** … except this little, where a small source is drawn larger than that anyway. */
  readonly minZoom: number;
  /** A face wider than this many windows is better seen whole, over a blurred fill. */
  readonly maxFaceWidthRatio: number;
};

export const defaultLayoutOptions: LayoutOptions = {
  minFaceRatio: 0.09,
  maxUpscale: 2.5,
  minZoom: 1.25,
  maxFaceWidthRatio: 1.2,
};

/** Shorter sides of pictures that players, networks and encoders are used to, in pixels. */
const usualShortSides = [720, 1080, 1440, 2160];

/**
 * Output size in pixels: both sides even, as video encoders need, and as near to the aspect as that allows. `auto` takes
 * the usual size whose shorter side is nearest to the source's.
 */
export function outputSize(
  { aspect, outputHeight }: Pick<PlanRequest, 'aspect' | 'outputHeight'>,
  source: Size,
): Size {
  const even = (value: number) => Math.max(2, 2 * Math.round(value / 2));
  const height = outputHeight === 'auto' ? usualHeight(aspect, source) : outputHeight;
  return { width: even((height * aspect.width) / aspect.height), height: even(height) };
}

function usualHeight(aspect: Size, source: Size): number {
  const own = Math.min(source.width, source.height);
  const [first, ...larger] = usualShortSides;
  const side = larger.reduce(
    (best, next) => (Math.abs(next - own) < Math.abs(best - own) ? next : best),
    first!,
  );
  return side * Math.max(1, aspect.height / aspect.width);
}

/** The largest window of the output's aspect inside the source: full height, or full width for wide outputs. */
export function nominalCrop(source: Size, output: Size): Size {
  const aspect = output.width / output.height;
  return source.width / source.height > aspect
    ? { width: source.height * aspect, height: source.height }
    : { width: source.width, height: source.width / aspect };
}

/**
 * The window for faces of a given height: the nominal one, or a smaller one where faces would be too small
 * to read. A window of full width stays: whoever asks for a wide picture wants the width.
 */
export function cropForFace(
  faceHeight: number,
  { source, output }: { source: Size; output: Size },
  options: LayoutOptions = defaultLayoutOptions,
): Size {
  const nominal = nominalCrop(source, output);
  if (nominal.width >= source.width - 0.5 || !(faceHeight > 0)) return nominal;
  const maxZoom = Math.max(options.minZoom, (options.maxUpscale * nominal.height) / output.height);
  const zoom = clamp((options.minFaceRatio * nominal.height) / faceHeight, 1, maxZoom);
  return { width: nominal.width / zoom, height: nominal.height / zoom };
}

/** Where the whole source lands in the output: centred, nothing cut off, even sides. */
export function fitOutput(source: Size, output: Size): PixelBox {
  const scale = Math.min(output.width / source.width, output.height / source.height);
  const even = (value: number, most: number) => clamp(2 * Math.round(value / 2), 2, most);
  const width = even(source.width * scale, output.width);
  const height = even(source.height * scale, output.height);
  return { x: (output.width - width) / 2, y: (output.height - height) / 2, width, height };
}
