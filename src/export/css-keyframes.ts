import type { PixelBox } from '../schema/geometry.js';
import type { Plan } from '../schema/plan.js';
import { type Cut, cutsOf, mainPanel, windowsOf } from './cuts.js';

export type CssOptions = {
  /** Name of the animation and of the class; default `reframe`. */
  readonly name?: string;
};

/** A cut is a jump between two keyframes this far apart, in seconds: less than a frame of any rate. */
const jumpSec = 1e-3;

/**
 * The plan as a stylesheet: a class for a box with a `<video>` in it, and `@keyframes` that move the video's
 * `object-position`, with `scale` about the same point where the window is closer than the frame. Nothing is encoded. The
 * animation is paused and follows the player: on each frame
 * `video.getAnimations()[0].currentTime = 1000 * video.currentTime`.
 *
 * One element shows one window: of several panels the main one (the largest, the first of equals), widened to the box's
 * aspect; `fit` is `object-fit: contain` on black.
 *
 * @throws RangeError for a name that is no CSS identifier.
 */
export function toCssKeyframes(plan: Plan, { name = 'reframe' }: CssOptions = {}): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) throw new RangeError(`name must be a CSS identifier, not ${name}.`);
  const cuts = cutsOf(plan);
  const endSec = cuts.at(-1)?.endSec ?? 0;
  const frames = cuts.flatMap(cut => framesOf(cut, plan));
  return `${[
    `.${name} {`,
    `  aspect-ratio: ${plan.output_width} / ${plan.output_height};`,
    '  overflow: hidden;',
    '  background: #000;',
    '}',
    `.${name} > video {`,
    '  display: block;',
    '  width: 100%;',
    '  height: 100%;',
    `  animation: ${name} ${shortened(endSec, 4)}s linear paused both;`,
    '}',
    `@keyframes ${name} {`,
    ...frames.map(({ timeSec, css }) => `  ${shortened((100 * timeSec) / endSec, 6)}% { ${css} }`),
    '}',
  ].join('\n')}\n`;
}

/** From the cut's first window to a moment before its end. */
function framesOf({ segment, startSec, endSec }: Cut, plan: Plan) {
  const panel = mainPanel(segment);
  const said = windowsOf(panel).map(window => ({
    timeSec: window.timeSec,
    css:
      segment.layout === 'fit'
        ? 'object-fit: contain; object-position: 50% 50%; scale: 1'
        : cssOf(window, plan),
  }));
  const last = said.at(-1)!;
  const end = Math.max(last.timeSec, startSec, endSec - jumpSec);
  return end > last.timeSec ? [...said, { timeSec: end, css: last.css }] : said;
}

/**
 * With `cover` the box shows the largest window of its aspect; `object-position` says which share of what is left over lies
 * before it, and a scale about the same share keeps closer windows where they are.
 */
function cssOf(window: PixelBox, plan: Plan): string {
  const { width, height } = plan;
  const aspect = plan.output_width / plan.output_height;
  const nominal = Math.min(height, width / aspect);
  const seenHeight = Math.min(nominal, Math.max(window.height, window.width / aspect));
  const seen = { width: seenHeight * aspect, height: seenHeight };
  const share = (from: number, side: number, seenSide: number, whole: number) => {
    const free = whole - seenSide;
    const start = from + (side - seenSide) / 2;
    return free > 1e-6 ? shortened(100 * Math.min(1, Math.max(0, start / free)), 4) : 50;
  };
  const x = share(window.x, window.width, seen.width, width);
  const y = share(window.y, window.height, seen.height, height);
  const scale = shortened(nominal / seenHeight, 5);
  return `object-fit: cover; object-position: ${x}% ${y}%; transform-origin: ${x}% ${y}%; scale: ${scale}`;
}

const shortened = (value: number, digits: number): number => Number(value.toFixed(digits));
