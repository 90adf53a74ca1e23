import type { PixelBox } from '../schema/geometry.js';
import type { Plan, Segment } from '../schema/plan.js';
import { fillsOutput, mainPanel } from './cuts.js';

/**
 * What lies behind panels, as filters: the part of the picture that the main panel shows, covering, reduced to 48 pixels,
 * blurred and at half its brightness, as compositors draw it; a box over it where the fill is black or a colour.
 */
export function fillBranch(plan: Plan): string {
  const [first] = plan.segments;
  const { output_width: width, output_height: height } = plan;
  const isOpen = plan.segments.some(segment => isFree(segment, plan));
  const box = (isShown: boolean) =>
    `drawbox@box=x=0:y=0:w=iw:h=ih:t=fill:color=black:enable=${Number(isShown)}`;
  // Something has to be there to draw on, even where no segment lets it be seen.
  if (!isOpen) return `scale=${width}:${height}:flags=neighbor,format=yuv444p`;
  const reduce = 48 / Math.min(width, height);
  const small = [width, height].map(side => Math.max(2, 2 * Math.round((side * reduce) / 2)));
  const part = coverPart(first!, plan);
  return [
    `crop@fill=w=${part.width}:h=${part.height}:x=${part.x}:y=${part.y}`,
    `scale=${small.join(':')}:flags=area,format=yuv444p,gblur=sigma=2`,
    'lutyuv=y=(val-16)/2+16:u=(val-128)/2+128:v=(val-128)/2+128',
    `scale=${width}:${height}:flags=bilinear`,
    box(isPlain(first!)),
  ].join(',');
}

/** What is told to the branch when a segment begins. */
export function fillCommands(segment: Segment, plan: Plan): string[] {
  if (!isFree(segment, plan)) return [];
  if (isPlain(segment)) {
    const colour = segment.background === 'colour' ? segment.background_colour : undefined;
    return [`drawbox@box color ${colour ?? 'black'}`, 'drawbox@box enable 1'];
  }
  const part = coverPart(segment, plan);
  return [
    'drawbox@box enable 0',
    ...(['w', 'h', 'x', 'y'] as const).map((name, i) => {
      const value = [part.width, part.height, part.x, part.y][i];
      return `crop@fill ${name} ${value}`;
    }),
  ];
}

const isFree = ({ panels }: Segment, plan: Plan): boolean => !panels.some(panel => fillsOutput(panel, plan));
const isPlain = ({ background }: Segment): boolean => background === 'black' || background === 'colour';

/** The middle of what the main panel shows, in the output's aspect and whole pixels of the source. */
function coverPart(segment: Segment, plan: Plan): PixelBox {
  const [key] = mainPanel(segment).keyframes;
  const cover = Math.min(key!.width / plan.output_width, key!.height / plan.output_height);
  const even = (value: number) => Math.max(2, 2 * Math.round(value / 2));
  const [width, height] = [even(plan.output_width * cover), even(plan.output_height * cover)];
  return {
    ...{ width, height },
    x: Math.max(0, Math.round(key!.x + (key!.width - width) / 2)),
    y: Math.max(0, Math.round(key!.y + (key!.height - height) / 2)),
  };
}
