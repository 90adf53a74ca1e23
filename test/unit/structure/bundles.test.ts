import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What an app gets that imports one entry: the rooms its modules come from, and its packages. */
async function reach(entry: string): Promise<{ rooms: string[]; packages: string[]; kib: number }> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  const rooms = inputs.flatMap(input => /^src\/([\w-]+)/.exec(input)?.[1] ?? []);
  const packages = inputs.flatMap(input => /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(input)?.[1] ?? []);
  return {
    rooms: [...new Set(rooms)].sort(),
    packages: [...new Set(packages)].sort(),
    kib: outputFiles[0]!.contents.length / 1024,
  };
}

test.each([
  [
    'service',
    ['captions', 'core', 'identity', 'rpc', 'schema', 'service'],
    ['@valibot/to-json-schema', 'hono', 'idb', 'valibot'],
    120,
  ],
  ['service-worker', ['rpc', 'schema', 'service-worker'], [], 8],
  ['client', ['client', 'schema'], ['valibot'], 32],
  ['export', ['core', 'export', 'schema'], ['valibot'], 40],
  ['captions', ['captions', 'core', 'schema'], ['valibot'], 40],
  ['advisor', ['advisor', 'schema'], ['valibot'], 24],
  ['sync', ['schema', 'sync'], [], 16],
])('edge-reframe/%s brings nothing of the reframer', async (entry, rooms, packages, limitKib) => {
  const found = await reach(`src/${entry}/index.ts`);
  expect({ rooms: found.rooms, packages: found.packages }).toEqual({ rooms, packages });
  expect(found.kib).toBeLessThan(limitKib);
});

test('the plan worker is light: neither models nor media', async () => {
  const { rooms, packages, kib } = await reach('workers/plan.worker.ts');
  expect({ rooms, packages }).toEqual({
    rooms: ['core', 'pipeline', 'rpc', 'schema'],
    packages: ['comlink'],
  });
  expect(kib).toBeLessThan(64);
});
