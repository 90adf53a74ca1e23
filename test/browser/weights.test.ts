import { beforeEach, expect, test } from 'vitest';
import { createWeights } from '../../src/inference/weights.js';
import type { ModelManifest } from '../../src/schema/model.js';

const model = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7) & 255);
const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', model));
const sha256 = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
const manifest: ModelManifest = {
  models: [
    {
      id: 'thing',
      task: 'face-detection',
      version: '1',
      file: 'thing.onnx',
      url: 'https://host.invalid/thing.onnx',
      bytes: model.length,
      sha256,
      licence: 'MIT',
      source: 'the test',
      inputs: [{ name: 'x', type: 'float32', shape: [1] }],
      outputs: [{ name: 'y', type: 'float32', shape: [1] }],
    },
  ],
};
const online = { manifest, allowDownloads: true, fetch: async () => new Response(model) };
const offline = { ...online, fetch: () => Promise.reject(new TypeError('offline')) };

beforeEach(async () => {
  for (const name of await caches.keys()) await caches.delete(name);
});

test('a downloaded model is there again without the network', async () => {
  expect((await createWeights(online).fetch('thing')).from).toBe('download');
  const { bytes, from } = await createWeights(offline).fetch('thing');
  expect(from).toBe('cache');
  expect(bytes).toEqual(model);
});

test('without the cache each visit asks again and nothing is kept', async () => {
  await createWeights({ ...online, cache: false }).fetch('thing');
  await expect(createWeights(offline).fetch('thing')).rejects.toMatchObject({ code: 'model_unavailable' });
});

test('a damaged answer is never kept', async () => {
  const damaged = { ...online, fetch: async () => new Response(model.map(byte => byte ^ 1)) };
  await expect(createWeights(damaged).fetch('thing')).rejects.toMatchObject({ code: 'model_corrupt' });
  await expect(createWeights(offline).fetch('thing')).rejects.toMatchObject({ code: 'model_unavailable' });
});

test('a cached file that was damaged is fetched anew', async () => {
  await createWeights(online).fetch('thing');
  const [name] = await caches.keys();
  const cache = await caches.open(name!);
  const [key] = await cache.keys();
  await cache.put(key!, new Response(model.subarray(1)));
  expect((await createWeights(online).fetch('thing')).from).toBe('download');
});

test('the browser’s own fetch is used where none is given', async () => {
  const files = { thing: 'data:application/octet-stream;base64,AQID' };
  expect([...(await createWeights({ manifest, files }).fetch('thing')).bytes]).toEqual([1, 2, 3]);
});

test('a model of the caller’s own goes before the cache', async () => {
  await createWeights(online).fetch('thing');
  const { from, bytes } = await createWeights({ ...online, files: { thing: Uint8Array.of(1) } }).fetch(
    'thing',
  );
  expect([from, bytes.length]).toEqual(['caller', 1]);
});
