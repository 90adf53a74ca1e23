import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
/** Imports may only point to an earlier row; rooms of one row know each other as types only. */
const rows = [
  ['schema'],
  ['core'],
  ['preview', 'export', 'captions', 'advisor'],
  ['rpc', 'identity'],
  ['pixels'],
  ['media', 'sampling', 'compositing', 'inference', 'convert'],
  ['pipeline'],
  ['workers'],
  ['spawn'],
  ['reframer'],
  ['index'],
  ['service'],
  ['client'],
  ['service-worker'],
  ['sync'],
];
/** Entries that work without the reframer: what they may import at all, and what as types only. */
const narrow: Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }> = {
  service: { values: ['schema', 'captions', 'rpc', 'identity'], types: ['reframer'] },
  client: { values: ['schema'], types: [] },
  export: { values: ['schema', 'core'], types: [] },
  captions: { values: ['schema', 'core'], types: [] },
  advisor: { values: ['schema'], types: [] },
  'service-worker': { values: ['schema', 'rpc'], types: ['service'] },
  sync: { values: ['schema'], types: ['client', 'service'] },
};
/** The one home of each package. */
const homes: Record<string, RegExp> = {
  valibot: /^src\/schema\//,
  comlink: /^src\/rpc\//,
  mediabunny: /^src\/media\//,
  '@mediabunny/aac-encoder': /^src\/media\//,
  '@ffmpeg/ffmpeg': /^src\/media\//,
  '@ffmpeg/util': /^src\/media\//,
  '@bufbuild/protobuf': /^src\/convert\/onnx-(?:writer|message)\.ts$/,
  'onnxruntime-web': /^src\/inference\/session\.ts$/,
  hono: /^src\/service\/http\/routes\.ts$/,
  idb: /^src\/service\/storage\/browser-store\.ts$/,
  '@valibot/to-json-schema': /^src\/service\/http\/openapi\.ts$/,
};

const files = ['src', 'workers'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => join(folder, file)),
);
const roomOf = (file: string) => {
  const [top, next] = file.split('/');
  return top === 'workers' ? 'workers' : next!.replace(/\.ts$/, '');
};
const rowOf = (file: string) => rows.findIndex(row => row.includes(roomOf(file)));
const imports = files.flatMap(file =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map(match => ({
    file,
    isType: match[1] !== undefined,
    target: (match[2] ?? match[3])!,
  })),
);

test('imports point left', () => {
  const wrong = imports
    // Data such as the model manifest is in no room.
    .filter(({ target }) => target.startsWith('.') && !target.endsWith('.json'))
    .filter(({ file, target, isType }) => {
      const to = relative(root, normalize(join(root, dirname(file), target))).replace(/\.js$/, '.ts');
      const [here, there] = [rowOf(file), rowOf(to)];
      if (here < 0 || there < 0) return true;
      return there > here || (there === here && roomOf(file) !== roomOf(to) && !isType);
    });
  expect(wrong).toEqual([]);
});

test('entries beside the main one stay apart from it', () => {
  const wrong = imports
    .filter(({ file, target }) => target.startsWith('.') && narrow[roomOf(file)])
    .filter(({ file, target, isType }) => {
      const to = roomOf(relative(root, normalize(join(root, dirname(file), target))).replace(/\.js$/, '.ts'));
      const { values, types } = narrow[roomOf(file)]!;
      return to !== roomOf(file) && !values.includes(to) && !(isType && types.includes(to));
    });
  expect(wrong).toEqual([]);
});

test('the converter is in no bundle but its own', () => {
  const others = imports.filter(({ file }) => roomOf(file) !== 'convert');
  expect(others.filter(({ target }) => target.includes('convert/'))).toEqual([]);
});

test('each package has one home', () => {
  const wrong = imports
    .filter(({ target }) => !target.startsWith('.'))
    .filter(({ file, target, isType }) => {
      const name = target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');
      return !isType && !homes[name]?.test(file);
    });
  expect(wrong).toEqual([]);
});

test('files are named after what they hold, in kebab case, and stay readable', () => {
  expect(files.filter(file => !/^[a-z0-9/.-]+$/.test(file))).toEqual([]);
  const long = files.filter(file => readFileSync(join(root, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});

test('no function fills more than 120 lines', () => {
  // Formatted code: a declaration of the module begins and ends in the first column.
  const start = /^(?:export )?(?:default )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+) = .*=>/;
  const long = files.flatMap(file => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, first) => {
      const [, named, constant] = start.exec(line) ?? [];
      const name = named ?? constant;
      const isOneLine = name === undefined || line.endsWith(';');
      const last = isOneLine ? first : lines.findIndex((end, i) => i > first && /^[})]/.test(end));
      return last - first >= 120 ? [`${file}: ${name}, ${last - first + 1} lines`] : [];
    });
  });
  expect(long).toEqual([]);
});
