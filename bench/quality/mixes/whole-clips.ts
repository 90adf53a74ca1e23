import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A clip of one person, of which whole frames are kept: where the face is, in its pixels. */
export type WholeClip = {
  readonly file: string;
  readonly size: readonly [width: number, height: number];
  /** Centre of the face. */
  readonly face: readonly [x: number, y: number];
};

type Box = readonly [number, number, number, number];

/** Squares without annotations: side and box of the face, as `make_hard.py` has them. */
const squares: Readonly<Record<string, readonly [side: number, box: Box]>> = {
  square_WDA_KatieHill_512: [512, [147, 100, 255, 350]],
  square_vr_2: [844, [258, 215, 297, 398]],
  square_vr_4: [700, [287, 97, 188, 285]],
};

/** The clips of `media/talking` in which one face stays where it is, by name. */
export function readWholeClips(media: string): ReadonlyMap<string, WholeClip> {
  const folder = join(media, 'talking');
  const { clips } = JSON.parse(readFileSync(join(folder, 'annotations.json'), 'utf8')) as {
    clips: Record<string, { width: number; height: number; faces?: { box_xywh: Box; track?: unknown[] }[] }>;
  };
  const found = new Map<string, WholeClip>();
  for (const [file, { width, height, faces }] of Object.entries(clips)) {
    const name = file.replace(/\.\w+$/, '');
    if (!/^(grid|single_mccown|drama_sample_00000694|silent_(smile|woman))/.test(name) || faces?.length !== 1)
      continue;
    found.set(name, { file: join(folder, file), size: [width, height], face: middle(faces[0]!.box_xywh) });
  }
  for (const [name, [side, box]] of Object.entries(squares))
    found.set(name, { file: join(folder, `${name}.mp4`), size: [side, side], face: middle(box) });
  return found;
}

const middle = ([x, y, width, height]: Box): [number, number] => [x + width / 2, y + height / 2];
