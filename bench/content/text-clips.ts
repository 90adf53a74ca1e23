import { execFileSync } from 'node:child_process';
import type { PixelBox, Size } from '../../src/schema/geometry.js';
import type { DrawnBox, Recipe } from './drawn-clips.js';

type Base = { readonly id: string; readonly source: string; readonly startSec: number };
/** Something drawn over the picture: ffmpeg's filters, without the time. */
type Mark = {
  readonly kind: DrawnBox['kind'];
  readonly filters: readonly string[];
  readonly startSec: number;
  readonly endSec: number;
};

const size: Size = { width: 1280, height: 720 };
const durationSec = 6;
const cover = `scale=${size.width}:${size.height}:force_original_aspect_ratio=increase,crop=${size.width}:${size.height}`;
const fonts = '/usr/share/fonts/truetype/dejavu';
const text = (
  words: string,
  at: string,
  points: number,
  colour: string,
  more = '',
  font = 'DejaVuSans-Bold',
) =>
  `drawtext=fontfile=${fonts}/${font}.ttf:text='${words}':expansion=none:fontsize=${points}:fontcolor=${colour}:${at}${more}`;
const box = ({ x, y, width, height }: PixelBox, colour: string) =>
  `drawbox=x=${x}:y=${y}:w=${width}:h=${height}:color=${colour}:t=fill`;
const centred = (y: number) => `x=(w-tw)/2:y=${y}`;

/** Lines of a slide from `y` on. */
const bullets = (x: number, y: number, points: number, colour: string, lines: readonly string[]) =>
  lines.map((line, i) => text(line, `x=${x}:y=${y + i * points * 2}`, points, colour, '', 'DejaVuSans'));
const lines = [
  'Revenue grew by a third in two years',
  'Three quarters of it came from the north',
  'Costs stayed where they were in spring',
  'What comes next - fewer and larger shops',
];
const code = [
  'export function sum(values) {',
  '  let total = 0;',
  '  for (const value of values)',
  '    total += value;',
  '  return total;',
  '}',
  'console.log(sum([1, 2, 3]));',
];

const marksByKind: Readonly<Record<string, readonly Mark[]>> = {
  'caption outlined': [
    mark(
      'text',
      1,
      3,
      text('So this is where it all began', centred(620), 44, 'white', ':borderw=3:bordercolor=black'),
    ),
    mark(
      'text',
      3.4,
      6,
      text('and nobody told us why', centred(620), 44, 'white', ':borderw=3:bordercolor=black'),
    ),
  ],
  'caption yellow': [
    mark(
      'text',
      1,
      5,
      text('Two lines of a caption here', centred(570), 40, 'yellow', ':borderw=2'),
      text('in yellow and with a thin edge', centred(622), 40, 'yellow', ':borderw=2'),
    ),
  ],
  'caption boxed': [
    mark(
      'text',
      0.6,
      5,
      text(
        'I do not think that he knew it',
        centred(600),
        38,
        'white',
        ':box=1:boxcolor=black@0.8:boxborderw=10',
      ),
    ),
  ],
  'lower third': [
    mark(
      'text',
      1,
      6,
      box({ x: 80, y: 560, width: 560, height: 100 }, '0x1030a0'),
      text('Martha Lindqvist', 'x=100:y=572', 38, 'white'),
      text('Professor of economics', 'x=100:y=620', 26, 'white'),
    ),
  ],
  'score board': [
    mark(
      'text',
      0,
      6,
      box({ x: 60, y: 40, width: 300, height: 54 }, 'black@0.85'),
      text('LIV 2', 'x=76:y=50', 34, 'white'),
      text('1 ARS', 'x=220:y=50', 34, 'white'),
    ),
  ],
  'title large': [
    mark('text', 1.5, 5, text('THE LONG WAY', centred(300), 110, 'white', ':shadowx=4:shadowy=4')),
  ],
  'slide light': [
    mark(
      'screen',
      0,
      6,
      box({ x: 0, y: 0, ...size }, 'white'),
      text('Results of the year', 'x=100:y=80', 60, '0x102060'),
      ...bullets(120, 220, 36, '0x202020', lines),
    ),
  ],
  'slide beside a speaker': [
    mark(
      'screen',
      0,
      6,
      box({ x: 0, y: 90, width: 860, height: 540 }, '0xf0f0e8'),
      text('Results of the year', 'x=60:y=130', 44, '0x802020'),
      ...bullets(70, 230, 28, '0x202020', lines),
    ),
  ],
  'slide dark': [
    mark(
      'screen',
      0,
      6,
      box({ x: 420, y: 0, width: 860, height: 720 }, '0x102030'),
      text('Results of the year', 'x=470:y=70', 48, 'white'),
      ...bullets(480, 190, 30, '0xd0e0f0', lines),
    ),
  ],
  'code editor': [
    mark(
      'screen',
      0,
      6,
      box({ x: 0, y: 0, width: 960, height: 720 }, '0x1e1e1e'),
      ...code.map((line, i) =>
        text(line, `x=60:y=${60 + i * 56}`, 30, i % 2 ? '0x9cdcfe' : '0xdcdcaa', '', 'DejaVuSansMono'),
      ),
    ),
  ],
  'nothing drawn': [],
};

function mark(kind: DrawnBox['kind'], startSec: number, endSec: number, ...filters: string[]): Mark {
  return { kind, filters, startSec, endSec };
}

/** Clips with lettering and slides of every kind over one real clip. */
export function textRecipes({ id, source, startSec }: Base): Recipe[] {
  return Object.entries(marksByKind).map(([kind, marks]) => ({
    ...{ name: `${id}-${kind.replaceAll(' ', '-')}`, kind, source, startSec, durationSec },
    bars: 'none',
    picture: { x: 0, y: 0, ...size },
    rectangles: marks.map(({ kind, filters, startSec, endSec }) => ({
      ...measure(filters),
      ...{ kind, startSec, endSec },
    })),
    filters: [
      cover,
      ...marks.flatMap(({ filters, startSec, endSec }) =>
        filters.map(filter => `${filter}:enable='between(t,${startSec},${endSec})'`),
      ),
    ].join(),
  }));
}

/** A colour that nothing is drawn in. */
const ground = [0, 255, 127] as const;

/** Where filters draw: what they change on a ground of one colour. */
function measure(filters: readonly string[]): PixelBox {
  const { width, height } = size;
  const pixels = execFileSync(
    'ffmpeg',
    [
      ...[
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        `color=c=0x${Buffer.from(ground).toString('hex')}:s=${width}x${height}`,
      ],
      ...[
        '-vf',
        `format=rgb24,${filters.join()}`,
        '-frames:v',
        '1',
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgb24',
        '-',
      ],
    ],
    { maxBuffer: 1 << 24 },
  );
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < width * height; i++) {
    const difference =
      Math.abs(pixels[3 * i]! - ground[0]) +
      Math.abs(pixels[3 * i + 1]! - ground[1]) +
      Math.abs(pixels[3 * i + 2]! - ground[2]);
    if (difference < 30) continue;
    left = Math.min(left, i % width);
    right = Math.max(right, (i % width) + 1);
    top = Math.min(top, Math.floor(i / width));
    bottom = Math.max(bottom, Math.floor(i / width) + 1);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
