import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Groups by part, and hashes (12 hexadecimal digits of SHA-256) of files that are trained on, and of those of tests. */
type Pack = Readonly<
  Record<'train' | 'val' | 'test' | 'comparison' | 'trainHashes' | 'testHashes', readonly string[]>
>;
type Split = {
  readonly faces: Pack;
  readonly speech: Pack;
  readonly media: { readonly testHashes: readonly string[] };
};

const training = fileURLToPath(new URL('../../../models/training', import.meta.url));
const shared = fileURLToPath(new URL('../../../../shared', import.meta.url));
const split = JSON.parse(readFileSync(join(training, 'split.json'), 'utf8')) as Split;
const packs = ['faces', 'speech'] as const;
const shippableRights = ['open', 'repo', 'research'];

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
const common = (a: readonly string[], b: readonly string[]) => {
  const there = new Set(b);
  return a.filter(name => there.has(name));
};
const testHashes = [...packs.flatMap(pack => split[pack].testHashes), ...split.media.testHashes];
const trainHashes = packs.flatMap(pack => split[pack].trainHashes);

test('no file of a test clip is in a training list', () => {
  expect(trainHashes.length).toBeGreaterThan(1000);
  expect(testHashes.length).toBeGreaterThan(100);
  expect(common(trainHashes, testHashes)).toEqual([]);
});

test('every group is of one part', () => {
  for (const pack of packs) {
    const { train, val, test: held, comparison } = split[pack];
    const all = [...train, ...val, ...held, ...comparison];
    expect([pack, new Set(all).size]).toEqual([pack, all.length]);
  }
  const held = packs.flatMap(pack => split[pack].test);
  for (const pack of packs)
    expect(common([...split[pack].train, ...split[pack].comparison], held)).toEqual([]);
});

test('recipes leave it to the split which rows they train on', () => {
  const recipes = readdirSync(training, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.py') && basename(file) !== 'split.py',
  );
  const readers = recipes.filter(file =>
    /(labels|meta)\.jsonl/.test(readFileSync(join(training, file), 'utf8')),
  );
  expect(readers.length).toBeGreaterThan(2);
  // A row's rights, or that it is of the training part, is asked in split.py alone.
  const deciding = /['"]rights['"]\]|['"]split['"]\]\s*[!=]=\s*['"]train['"]/;
  expect(recipes.filter(file => deciding.test(readFileSync(join(training, file), 'utf8')))).toEqual([]);
});

type Row = {
  readonly split: string;
  readonly rights: string;
  readonly group: string;
  readonly file?: string;
  readonly video?: string;
  readonly audio?: string;
  readonly clip?: string;
  readonly origin?: string;
};

test.skipIf(!existsSync(shared))(
  'every file that is trained on has the rights, and the lists are those of the data (needs ../shared)',
  () => {
    const media = ['talking', 'cuts', 'composites', 'odd'].flatMap(folder =>
      readdirSync(join(shared, 'media', folder))
        .filter(name => !name.endsWith('.json'))
        .map(name => join(shared, 'media', folder, name)),
    );
    expect([...split.media.testHashes].sort()).toEqual(media.map(hashOf).sort());
    const clips = new Set(media.map(path => basename(path, extname(path))));

    for (const [pack, folder, list] of [
      ['faces', 'faces', 'labels.jsonl'],
      ['speech', 'av', 'meta.jsonl'],
    ] as const) {
      const data = join(shared, 'data', folder);
      const rows = readFileSync(join(data, list), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Row);
      const groups = new Set(split[pack].train);
      const trained = rows.filter(
        row => row.split === 'train' && shippableRights.includes(row.rights) && groups.has(row.group),
      );
      const filesOf = ({ file, video, audio }: Row) => [file, video, audio].flatMap(path => path ?? []);
      const hashes = trained.flatMap(row => filesOf(row).map(file => hashOf(join(data, file))));
      expect(hashes.sort()).toEqual([...split[pack].trainHashes].sort());
      const clipOf = ({ clip, origin }: Row) => clip ?? origin!.replace(/-\d+\.jpg$/, '');
      expect(trained.map(clipOf).filter(clip => clips.has(clip))).toEqual([]);
      // All rows of the data's own test part are in the lists of tests.
      const held = new Set(split[pack].test);
      expect(rows.filter(row => row.split === 'test' && !held.has(row.group))).toEqual([]);
    }
  },
);
