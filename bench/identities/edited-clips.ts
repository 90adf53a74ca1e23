import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sharedMedia } from '../harness/clips.js';
import { mulberry32 } from '../harness/random.js';
import { readTracks } from '../models/speakers/speaker-pack.js';

/** A stretch of a recording that shows one person. */
export type Take = { readonly file: string; readonly person: string; readonly startSec: number };

/** A clip of many shots and whom each shows. */
export type EditedClip = {
  readonly name: string;
  readonly file: string;
  readonly shots: readonly { readonly person: string; readonly startSec: number; readonly endSec: number }[];
};

const size = { width: 640, height: 360 };
/** Lengths of shots are whole frames of this clock, so that shots begin where they are said to. */
const rateHz = 25;
/** How takes are framed by turns: how large, where, and how bright and colourful. */
const framings = [
  { height: 360, x: 0.5, y: 0.5, look: 'brightness=0' },
  { height: 560, x: 0.5, y: 0.25, look: 'brightness=0.06:saturation=0.8' },
  { height: 240, x: 0.2, y: 0.6, look: 'brightness=-0.08:contrast=0.9' },
] as const;

/** Cuts takes together in an order drawn with a fixed seed, each framed in another way than the one before. */
export function editClip(
  name: string,
  takes: readonly Take[],
  { folder, shotSec }: { readonly folder: string; readonly shotSec: number },
): EditedClip {
  const random = mulberry32(takes.length);
  const order = takes.map(take => ({ take, at: random() })).sort((a, b) => a.at - b.at);
  const file = join(folder, `${name}.mp4`);
  const shots = order.map(({ take: { person } }, i) => ({
    person,
    startSec: i * shotSec,
    endSec: (i + 1) * shotSec,
  }));
  if (existsSync(file)) return { name, file, shots };
  mkdirSync(folder, { recursive: true });
  const inputs = order.flatMap(({ take }) => [
    ...['-ss', String(take.startSec), '-t', String(shotSec), '-i', take.file],
  ]);
  const pieces = order.map((_, i) => {
    const { height, x, y, look } = framings[i % framings.length]!;
    // Larger than the picture: cropped; smaller: with grey around it.
    const placed = `scale=-2:${height},crop='min(iw,${size.width})':'min(ih,${size.height})':(iw-ow)*${x}:(ih-oh)*${y}`;
    const padded = `pad=${size.width}:${size.height}:(ow-iw)*${x}:(oh-ih)*${y}:gray`;
    const timed = `fps=${rateHz},tpad=stop_mode=clone:stop_duration=1,trim=duration=${shotSec},setpts=PTS-STARTPTS`;
    return `[${i}:v]${placed},${padded},eq=${look},setsar=1,${timed}[v${i}]`;
  });
  const joined = `${order.map((_, i) => `[v${i}]`).join('')}concat=n=${order.length}:v=1[out]`;
  const filters = [...pieces, joined].join(';');
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-y', ...inputs, '-filter_complex', filters, '-map', '[out]'],
    ...['-c:v', 'libx264', '-crf', '23', '-pix_fmt', 'yuv420p', file],
  ]);
  return { name, file, shots };
}

/** People of the development media, none of whom a model was trained on, alone in their clips. */
const alone = {
  grid: 'bbaf2n brbk7n id2_vcd_swwp2s lbax4n lbbc2a lrwp9a lwbsza pwij3p sbia1a sbwe5n swiz3n',
  others:
    'square_WDA_AOC_512 square_WDA_KatieHill_512 square_vr_1 square_vr_2 square_vr_3 square_vr_4 square_vr_5 ' +
    'drama_sample_00000669 drama_sample_00000694 drama_sample_00000727 drama_sample_00001073 drama_samplenew_00004251 ' +
    'silent_smile_lp_s32_1280x720 silent_woman_music_lp_s18_1280x720 single_bazigar_600x480 ' +
    'single_chaplin_dictator_850x480 single_mccown_ad_640x360',
};
/** Clips of somebody who is in another clip too. */
const alsoIn: Readonly<Record<string, string>> = {
  pwij3p: 'id2_vcd_swwp2s',
  square_vr_3: 'square_WDA_AOC_512',
};

/** Clips cut together of the media: ten people of one studio, and sixteen of all sorts of places. */
export const editsOfMedia = (folder: string): EditedClip[] => {
  const takes = (names: string, fileOf: (name: string) => string, startsSec: readonly number[]): Take[] =>
    names.split(' ').flatMap(name => {
      const file = join(sharedMedia, 'talking', fileOf(name));
      return startsSec.map(startSec => ({ file, person: alsoIn[name] ?? name, startSec }));
    });
  const grid = takes(alone.grid, name => `grid_${name}.mpg`, [0.2, 1.6]);
  const others = takes(alone.others, name => `${name}.mp4`, [0.1, 0.9, 1.7]);
  return [
    editClip('edit-grid', grid, { folder, shotSec: 1.2 }),
    editClip('edit-others', others, { folder, shotSec: 0.8 }),
  ];
};

type AnchorLine = { readonly source: { readonly path: string } };

/**
 * Clips cut together of the speech pack's news anchors, each person in up to eight recordings of different days.
 *
 * @param anchors - Folder with the whole pictures that the pack's mouths were cut from, under the names of `source.path`.
 * @param split - `train`: the nine men, because the pack's women have several numbers each; `val`: everybody.
 */
export function editOfAnchors(
  pack: string,
  {
    anchors,
    split,
    folder,
  }: { readonly anchors: string; readonly split: 'train' | 'val'; readonly folder: string },
): EditedClip {
  const byPerson = new Map<string, Take[]>();
  for (const track of readTracks(pack)) {
    const { person } = track;
    const { source } = track as unknown as AnchorLine;
    const file = join(anchors, source.path.split('/').at(-1)!);
    if (
      !person.startsWith(split === 'train' ? 'arn_m' : 'arn_') ||
      track.split !== split ||
      !existsSync(file)
    )
      continue;
    const takes = byPerson.get(person) ?? [];
    if (takes.length < 8) byPerson.set(person, [...takes, { file, person, startSec: 0 }]);
  }
  return editClip(`edit-anchors-${split}`, [...byPerson.values()].flat(), { folder, shotSec: 1.12 });
}
