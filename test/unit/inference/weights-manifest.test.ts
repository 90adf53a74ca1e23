import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fillModelFolder } from '../../../bin/models.js';
import { bundledIds, bundledUrl } from '../../../src/inference/bundled.js';
import { findModel, packagedManifest } from '../../../src/inference/manifest.js';
import { type ModelEntry, parseModelManifest } from '../../../src/schema/model.js';

const models = fileURLToPath(new URL('../../../models', import.meta.url));
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

/** Whether the file in `folder` is the one that the manifest means. */
function expectMeant({ file, bytes, sha256 }: ModelEntry, folder: string): void {
  const content = readFileSync(join(folder, file));
  const found = [file, content.length, createHash('sha256').update(content).digest('hex')];
  expect(found).toEqual([file, bytes, sha256]);
}

test('every model that ships has an address that bundlers see, and is the file that the manifest means', () => {
  const bundled = packagedManifest().models.filter(model => model.bundled);
  expect(bundled.map(({ id }) => id).sort()).toEqual([...bundledIds].sort());
  for (const entry of bundled) {
    expect(fileURLToPath(bundledUrl(entry.id)!)).toBe(join(models, entry.file));
    expectMeant(entry, models);
  }
});

test('no address is given for a model that does not ship', () =>
  expect(bundledUrl('yolov8n-face')).toBe(undefined));

test.skipIf(!existsSync(shared))(
  'every other file is the one that the manifest means (needs ../shared)',
  () => {
    for (const entry of packagedManifest().models)
      if (!entry.bundled && !entry.set) expectMeant(entry, shared);
  },
);

test('filling a folder downloads what has an address, verifies it, and leaves the rest out', async () => {
  const good = Uint8Array.of(1, 2, 3);
  const first = packagedManifest().models.find(({ bundled }) => !bundled);
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
