import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedMedia } from '../harness/clips.js';
import type { SpokenClip } from './spoken-clip.js';

/** The words of a GRID sentence, by the six letters of its file's name (Cooke et al. 2006). */
const positions: readonly Readonly<Record<string, string>>[] = [
  { b: 'bin', l: 'lay', p: 'place', s: 'set' },
  { b: 'blue', g: 'green', r: 'red', w: 'white' },
  { a: 'at', b: 'by', i: 'in', w: 'with' },
  {},
  Object.fromEntries(
    'zero one two three four five six seven eight nine'
      .split(' ')
      .map((digit, i) => [i ? String(i) : 'z', digit]),
  ),
  { a: 'again', n: 'now', p: 'please', s: 'soon' },
];

/**
 * Onsets are by hand (INDEX.md).
 *
 * @param alignments - Folder with the corpus' own `.align` files; absent: no starts of words.
 */
export function gridClips(alignments: string | undefined): SpokenClip[] {
  const folder = join(sharedMedia, 'talking');
  const index = readFileSync(join(sharedMedia, 'INDEX.md'), 'utf8');
  return readdirSync(folder)
    .filter(file => file.startsWith('grid_'))
    .map(file => {
      const code = /([a-z]{4}[\dz][a-z])\.mpg$/.exec(file)![1]!;
      const words = [...code].map((letter, i) => positions[i]![letter] ?? letter);
      const onset = new RegExp(`\\| ${file} .*?speech: p ([\\d.]+)-`).exec(index)?.[1];
      const startsSec = alignments === undefined ? undefined : readStarts(join(alignments, `${code}.align`));
      return {
        name: code,
        file: join(folder, file),
        words,
        ...(onset && { onsetSec: Number(onset) }),
        ...(startsSec && { startsSec }),
      };
    });
}

/** A line a word, `start end word`, in 25000ths of a second. */
function readStarts(file: string): number[] | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.flatMap(line => {
    const [start, , word] = line.split(' ');
    return word === 'sil' || word === 'sp' ? [] : [Number(start) / 25_000];
  });
}
