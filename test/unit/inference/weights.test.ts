import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWeights, type WeightsProgress } from '../../../src/inference/weights.js';
import type { ModelManifest } from '../../../src/schema/model.js';

/** Longer than one network packet, so that progress has several steps. */
const model = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 255);
let server: Server;
let origin: string;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const [, kind] = request.url!.split('/');
    if (kind === 'good') {
      response.setHeader('content-length', model.length);
      response.end(model);
    } else if (kind === 'other') response.end(Uint8Array.from(model, byte => byte ^ 1));
    else if (kind === 'short') response.end(model.subarray(0, 1000));
    else if (kind === 'long') response.end(Buffer.concat([model, model]));
    else if (kind === 'page') response.setHeader('content-type', 'text/html').end('<p>start page');
    else if (kind === 'broken') {
      response.setHeader('content-length', model.length);
      response.write(model.subarray(0, 1000), () => response.destroy());
    } else if (kind === 'endless') response.write(model.subarray(0, 1000));
    else response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const manifest = (extra: { url?: string; bundled?: boolean } = {}): ModelManifest => ({
  models: [
    {
      id: 'thing',
      task: 'face-detection',
      version: '1',
      file: 'thing.onnx',
      bytes: model.length,
      sha256: createHash('sha256').update(model).digest('hex'),
      licence: 'MIT',
      source: 'the test',
      inputs: [{ name: 'x', type: 'float32', shape: [1] }],
      outputs: [{ name: 'y', type: 'float32', shape: [1] }],
      ...extra,
    },
  ],
});

test('a file from a folder arrives whole, with rising progress that ends at its size', async () => {
  const steps: WeightsProgress[] = [];
  const weights = createWeights({ manifest: manifest(), base: `${origin}/good` });
  const { bytes, from, entry } = await weights.fetch('thing', { onProgress: step => steps.push(step) });
  expect([from, entry.file]).toEqual(['caller', 'thing.onnx']);
  expect(Buffer.compare(bytes, model)).toBe(0);
  expect(steps.length).toBeGreaterThan(1);
  const received = steps.map(step => step.receivedBytes);
  expect(received).toEqual([...received].sort((a, b) => a - b));
  expect(steps.at(-1)).toEqual({ id: 'thing', receivedBytes: model.length, totalBytes: model.length });
});

test('the order is: named file, folder, package, public address', async () => {
  const all = {
    manifest: manifest({ url: `${origin}/good/public.onnx`, bundled: true }),
    bundledBase: `${origin}/good/package/`,
    base: new URL(`${origin}/good/folder`),
    allowDownloads: true,
  };
  const sourceOf = async (options: Parameters<typeof createWeights>[0]) => {
    asked.length = 0;
    const { from } = await createWeights(options).fetch('thing');
    return [from, ...asked];
  };
  expect(await sourceOf({ ...all, files: { thing: Uint8Array.of(1) } })).toEqual(['caller']);
  expect(await sourceOf(all)).toEqual(['caller', '/good/folder/thing.onnx']);
  expect(await sourceOf({ ...all, base: `${origin}/none` })).toEqual([
    'bundled',
    '/none/thing.onnx',
    '/good/package/thing.onnx',
  ]);
  expect(await sourceOf({ manifest: all.manifest, allowDownloads: true })).toEqual([
    'download',
    '/good/public.onnx',
  ]);
});

test('a model of the caller’s own is taken as it is, from bytes, a blob or an address', async () => {
  const own = Uint8Array.of(7, 8, 9);
  for (const file of [own, own.buffer, new Blob([own])]) {
    const { bytes, from } = await createWeights({ manifest: manifest(), files: { thing: file } }).fetch(
      'thing',
    );
    expect([from, ...bytes]).toEqual(['caller', 7, 8, 9]);
  }
  const { bytes } = await createWeights({
    manifest: manifest(),
    files: { thing: `${origin}/other/mine.onnx` },
  }).fetch('thing');
  expect(bytes[0]).toBe(model[0]! ^ 1);
});

test.each(['other', 'short', 'long'])(
  'a folder with a %s file is model_corrupt, and says which and what to do',
  async kind => {
    const weights = createWeights({ manifest: manifest(), base: `${origin}/${kind}` });
    await expect(weights.fetch('thing')).rejects.toMatchObject({
      code: 'model_corrupt',
      message: expect.stringMatching(
        new RegExp(`"thing" from ${origin}/${kind}/thing.onnx.*npm run models -- --from DIR.*files`, 's'),
      ),
    });
  },
);

test.each([
  ['none', 'HTTP 404'],
  ['page', 'web page'],
  ['broken', 'connection failed after'],
])('a folder that answers "%s" is model_unavailable: %s', async (kind, why) => {
  const weights = createWeights({ manifest: manifest(), base: `${origin}/${kind}` });
  await expect(weights.fetch('thing')).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringContaining(why),
  });
});

test('nothing is requested from the public address unless downloads are allowed', async () => {
  asked.length = 0;
  const weights = createWeights({ manifest: manifest({ url: `${origin}/good/public.onnx` }) });
  await expect(weights.fetch('thing')).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringMatching(/thing\.onnx.*npm run models -- --from DIR.*allowDownloads/s),
  });
  expect(asked).toEqual([]);
});

test('a server that cannot be reached is model_unavailable with its address', async () => {
  const weights = createWeights({
    manifest: manifest(),
    base: 'http://folder.invalid/models',
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  });
  await expect(weights.fetch('thing')).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringContaining('http://folder.invalid/models/thing.onnx'),
  });
});

test('abort rejects with the reason, before and during the transfer', async () => {
  const reason = new Error('enough');
  const weights = createWeights({ manifest: manifest(), base: `${origin}/endless` });
  await expect(weights.fetch('thing', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const pending = weights.fetch('thing', {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });
  await expect(pending).rejects.toBe(reason);
});

test('unknown ids are mistakes of the caller', async () => {
  expect(() => createWeights({ manifest: manifest(), files: { other: new Uint8Array() } })).toThrow(
    RangeError,
  );
  await expect(createWeights({ manifest: manifest() }).fetch('other')).rejects.toThrow(RangeError);
});
