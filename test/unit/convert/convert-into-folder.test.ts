import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { convertIntoFolder } from '../../../bin/convert-model.js';
import { packagedManifest } from '../../../src/inference/manifest.js';
import { parseModelManifest } from '../../../src/schema/model.js';
import { writeCheckpoint } from '../../fixtures/checkpoint-writer.js';
import { lrAsdTensors } from '../../fixtures/lr-asd-checkpoint.js';

let to: string;
beforeEach(async () => {
  to = await mkdtemp(join(tmpdir(), 'converted-'));
});
afterEach(() => rm(to, { recursive: true }));

const files = [
  'lr-asd-audio.converted.onnx',
  'lr-asd-backend.converted.onnx',
  'lr-asd-visual.converted.onnx',
];
const listed = () => parseModelManifest(JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8'))).models;

test('a checkpoint by file or address fills a folder that describes itself and keeps what was there', async () => {
  const checkpoint = writeCheckpoint(lrAsdTensors());
  const path = join(to, 'weights.model');
  writeFileSync(path, checkpoint);
  const [other] = packagedManifest().models;
  writeFileSync(join(to, 'manifest.json'), JSON.stringify({ models: [other] }));

  await convertIntoFolder({ checkpoint: path, to, half: false });
  expect(readdirSync(to).sort()).toEqual([...files, 'manifest.json', 'weights.model'].sort());
  expect(listed().map(({ id }) => id)).toEqual([
    other!.id,
    'lr-asd-visual',
    'lr-asd-audio',
    'lr-asd-backend',
  ]);
  for (const { file, bytes, sha256 } of listed().slice(1)) {
    const content = readFileSync(join(to, file));
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
  }

  const exact = listed();
  const fetched: string[] = [];
  await convertIntoFolder({
    checkpoint: 'https://host.invalid/weights.model',
    to,
    half: true,
    fetch: async url => {
      fetched.push(String(url));
      return new Response(checkpoint);
    },
  });
  expect(fetched).toEqual(['https://host.invalid/weights.model']);
  expect(listed()).toHaveLength(4);
  expect(listed()[1]!.bytes).toBeLessThan(0.52 * exact[1]!.bytes);
});

test('a wrong or missing checkpoint leaves the folder as it was', async () => {
  const path = join(to, 'weights.model');
  writeFileSync(path, 'no checkpoint');
  const answer = (body: string, init?: ResponseInit) => async () => new Response(body, init);
  const request = { checkpoint: path, to, half: false };
  await expect(convertIntoFolder(request)).rejects.toThrow(/Expected a PyTorch zip checkpoint of LR-ASD/);
  const remote = { ...request, checkpoint: 'https://host.invalid/x' };
  await expect(convertIntoFolder({ ...remote, fetch: answer('', { status: 404 }) })).rejects.toThrow(
    /HTTP 404/,
  );
  const page = answer('<html>', { headers: { 'content-type': 'text/html' } });
  await expect(convertIntoFolder({ ...remote, fetch: page })).rejects.toThrow(/web page/);
  expect(readdirSync(to)).toEqual(['weights.model']);
});
