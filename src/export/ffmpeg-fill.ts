import { backgroundOf, fillSource } from '../core/plan/fill-source.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { Plan, Segment } from '../schema/plan.js';
import { fillsOutput } from './cuts.js';

/**
 * What lies behind panels, as filters: the part of the picture that the panels show, covering, reduced,
 * blurred and at half its brightness, as compositors draw it; a box over it where the fill is black or a colour.
 */
export function fillBranch(plan: Plan): string {
  const [first] = plan.segments;
  const { output_width: width, output_height: height } = plan;
  const isOpen = plan.segments.some(segment => isFree(segment, plan));
  const box = (isShown: boolean) =>
    `drawbox@box=x=0:y=0:w=iw:h=ih:t=fill:color=black:enable=${Number(isShown)}`;
  const small = smallOf(plan);
  // Something has to be there to draw on, even where no segment lets it be seen.
  if (!isOpen) return `scale=${width}:${height}:flags=neighbor,format=yuv444p`;
  const view = fillView(first!, plan);
  // As in the lanes: nothing behind the scaler may see pictures that change their size.
  return [
    `format=yuv444p,scale@fill=w=${view.width}:h=${view.height}:flags=bilinear`,
    `crop@fill=w=${small.width}:h=${small.height}:x=${view.x}:y=${view.y}:exact=1`,
    `gblur=sigma=${(2 * smallSide) / 48}`,
    'lutyuv=y=(val-16)/2+16:u=(val-128)/2+128:v=(val-128)/2+128',
    `scale=${width}:${height}:flags=bilinear`,
    box(isPlain(first!)),
  ].join(',');
}

/**
 * The colour that ffmpeg's boxes have to be told so that BT.709 players show the one that is meant: boxes are converted by
 * BT.601 (Kr .299, Kb .114 against .2126, .0722), whatever the picture is.
 */
function asDrawn(hex: string): string {
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const u = (blue - luma) / 1.8556;
  const v = (red - luma) / 1.5748;
  const channels = [
    luma + 1.402 * v,
    luma - (0.114 * 1.772 * u + 0.299 * 1.402 * v) / 0.587,
    luma + 1.772 * u,
  ];
  const bytes = channels.map(value => Math.round(Math.min(255, Math.max(0, value))));
  return `0x${bytes.map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Shorter side of the reduced copy: four times what compositors blur, because it is placed on whole pixels. */
const smallSide = 192;

function smallOf({ output_width, output_height }: Plan): Size {
  const reduce = smallSide / Math.min(output_width, output_height);
  const even = (side: number) => Math.max(2, 2 * Math.round((side * reduce) / 2));
  return { width: even(output_width), height: even(output_height) };
}

/** What is told to the branch when a segment begins. */
export function fillCommands(segment: Segment, plan: Plan): string[] {
  if (!isFree(segment, plan)) return [];
  if (isPlain(segment)) {
    const colour = segment.background === 'colour' ? segment.background_colour : undefined;
    return [`drawbox@box color ${asDrawn(colour ?? '#000000')}`, 'drawbox@box enable 1'];
  }
  const { width, height, x, y } = fillView(segment, plan);
  return [
    'drawbox@box enable 0',
    ...[`scale@fill w ${width}`, `scale@fill h ${height}`, `crop@fill x ${x}`, `crop@fill y ${y}`],
  ];
}

const isFree = ({ panels }: Segment, plan: Plan): boolean => !panels.some(panel => fillsOutput(panel, plan));
const isPlain = (segment: Segment): boolean => ['black', 'colour'].includes(backgroundOf(segment));

/** The picture in such a size that what the panels show covers the reduced copy, and where in it the copy begins. */
function fillView({ panels }: Segment, plan: Plan): PixelBox {
  const small = smallOf(plan);
  const part = fillSource(panels.map(({ keyframes }) => ({ source: keyframes[0]! })));
  const scale = Math.max(small.width / part.width, small.height / part.height);
  const start = (from: number, length: number, side: number) =>
    Math.max(0, Math.round((from + length / 2) * scale - side / 2));
  return {
    // A crop that is larger than its picture by a rounding would be refused.
    width: Math.max(small.width, Math.round(plan.width * scale)),
    height: Math.max(small.height, Math.round(plan.height * scale)),
    x: start(part.x, part.width, small.width),
    y: start(part.y, part.height, small.height),
  };
}
