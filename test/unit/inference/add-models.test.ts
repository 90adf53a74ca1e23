import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addModels } from '../../../bin/add-models.js';
import { addCrossAttention } from '../../../src/convert/add-cross-attention.js';
import { packagedManifest } from '../../../src/inference/manifest.js';
import { createWeights } from '../../../src/inference/weights.js';
import type { ModelManifest } from '../../../src/schema/model.js';
import { tinyDecoder, tinyEncoder, tinyTokens } from '../../fixtures/tiny-words.js';

let to: string;
beforeEach(async () => void (to = await mkdtemp(join(tmpdir(), 'words-'))));
afterEach(() => rm(to, { recursive: true }));

const tokens = Buffer.from(tinyTokens.join('\n'));
const published = {
  'dist/model/tiny/quantized/encoder_model.onnx': tinyEncoder(),
  'dist/model/tiny/quantized/decoder_model_merged.onnx': tinyDecoder(),
  'llama-tokenizer.js': Buffer.from(`const llama_vocab_base64 = "${tokens.toString('base64')}"`),
};
const made: Readonly<Record<string, Uint8Array>> = {
  'moonshine-tiny-encoder': tinyEncoder(),
  'moonshine-tiny-decoder': addCrossAttention(tinyDecoder()),
  'moonshine-tokens': tokens,
};
const manifest: ModelManifest = {
  models: packagedManifest()
    .models.filter(({ set }) => set === 'words')
    .map(entry => ({ ...entry, sha256: createHash('sha256').update(made[entry.id]!).digest('hex') })),
};
const unpack = async (_: string, folder: string) => {
  for (const [file, bytes] of Object.entries(published)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), bytes);
  }
};
const files = () => readdirSync(to).sort();
const words = {
  set: 'words',
  manifest,
  get to() {
    return to;
  },
} as const;

test('the files are made once, and need no network afterwards', async () => {
  const first = await addModels({ ...words, unpack });
  expect(first.map(({ entry }) => entry.id)).toEqual(Object.keys(made));
  expect(files()).toEqual([
    'moonshine-tiny-decoder.onnx',
    'moonshine-tiny-encoder.onnx',
    'moonshine-tokens.txt',
  ]);
  expect(new Uint8Array(await readFile(join(to, 'moonshine-tiny-decoder.onnx')))).toEqual(
    made['moonshine-tiny-decoder'],
  );
  const again = await addModels({ ...words, unpack: () => Promise.reject(new Error('no network')) });
  expect(again.map(({ state }) => state)).toEqual(['already there', 'already there', 'already there']);
});

test('a package with other files than it should have is refused, and leaves nothing under a name', async () => {
  await expect(addModels({ ...words, manifest: packagedManifest(), unpack })).rejects.toThrow(
    /encoder_model.onnx of @moonshine-ai\/moonshine-js@0.1.29 is not what/,
  );
  expect(files()).toEqual([]);
});

test('faces are asked of one package, and one that holds other weights is refused', async () => {
  const asked: string[] = [];
  const other = async (name: string, folder: string) => {
    asked.push(name);
    mkdirSync(join(folder, 'model'), { recursive: true });
    writeFileSync(join(folder, 'model/face_recognition_model-weights_manifest.json'), '[]');
    writeFileSync(join(folder, 'model/face_recognition_model.bin'), '');
  };
  const given = { set: 'identities', to, manifest: packagedManifest(), unpack: other } as const;
  await expect(addModels(given)).rejects.toThrow(/conv32_down/);
  expect(asked).toEqual(['@vladmandic/face-api@1.7.15']);
  expect(files()).toEqual([]);
});

test.each([
  ['moonshine-tiny-decoder', 'words'],
  ['dlib-face-recognition', 'identities'],
])('who lacks %s is told to add %s', async (id, set) => {
  const weights = createWeights({ cache: false });
  await expect(weights.fetch(id)).rejects.toThrow(`npm run models -- --add ${set}`);
});
