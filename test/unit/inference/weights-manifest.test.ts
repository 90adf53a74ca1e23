import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fillModelFolder } from '../../../bin/models.js';
import { findModel, packagedManifest } from '../../../src/inference/manifest.js';
import { parseModelManifest } from '../../../src/schema/model.js';

const shared = fileURLToPath(new URL('../../../../shared/models', import.meta.url));

test('the manifest of the package is valid and lists what the chain needs', () => {
  for (const id of ['yolov8n-face', 'yunet', 'lr-asd-visual', 'lr-asd-audio', 'lr-asd-backend', 'silero-vad'])
    expect(findModel(packagedManifest(), id).id).toBe(id);
});

test('public addresses are pinned to a commit', () => {
  const urls = packagedManifest().models.flatMap(model => model.url ?? []);
  expect(urls.length).toBeGreaterThan(0);
  for (const url of urls) expect(url).toMatch(/\/[0-9a-f]{40}\//);
});

test('a wrong manifest is refused with the field’s name', () => {
  const [first] = packagedManifest().models;
  expect(() => parseModelManifest({ models: [{ ...first, sha256: 'short' }] })).toThrow(/models\.0\.sha256/);
  expect(() => parseModelManifest({ models: [first, first] })).toThrow(/unique/);
});

test.skipIf(!existsSync(shared))('every file of the manifest is the one it means (needs ../shared)', () => {
  for (const { file, bytes, sha256 } of packagedManifest().models) {
    const content = readFileSync(join(shared, file));
    expect([file, content.length, createHash('sha256').update(content).digest('hex')]).toEqual([
      file,
      bytes,
      sha256,
    ]);
  }
});

test('filling a folder downloads what has an address, verifies it, and leaves the rest out', async () => {
  const good = Uint8Array.of(1, 2, 3);
  const [first] = packagedManifest().models;
  const sha256 = createHash('sha256').update(good).digest('hex');
  const model = { ...first!, bytes: 3, sha256 };
  const manifest = {
    models: [
      { ...model, id: 'public', file: 'public.onnx', url: 'https://host.invalid/good' },
      { ...model, id: 'damaged', file: 'damaged.onnx', url: 'https://host.invalid/bad' },
      { ...model, id: 'private', file: 'private.onnx' },
    ],
  };
  const to = await mkdtemp(join(tmpdir(), 'models-'));
  try {
    const rows = await fillModelFolder({
      manifest,
      to,
      fetch: async url => new Response(String(url).endsWith('good') ? good : Uint8Array.of(9, 9, 9)),
    });
    expect(rows.map(row => [row.entry.id, row.ready])).toEqual([
      ['public', true],
      ['damaged', false],
      ['private', false],
    ]);
    expect(readdirSync(to)).toEqual(['public.onnx']);

    const copy = join(to, 'copy');
    const copied = await fillModelFolder({ manifest, to: copy, from: to });
    expect(copied.map(row => row.ready)).toEqual([true, false, false]);
    expect(readdirSync(copy)).toEqual(['public.onnx']);
    const again = await fillModelFolder({ manifest, to: copy, from: to });
    expect(again[0]!.state).toBe('already there');
  } finally {
    await rm(to, { recursive: true });
  }
});
