import { expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { convertLrAsd } from '../../src/convert/convert-lr-asd.js';
import { openSession } from '../../src/inference/session.js';

const checkpoint = await commands
  .readFile('../shared/models/lr-asd-pretrain_AVA.model', 'base64')
  .then(base64 => Uint8Array.from(atob(base64), character => character.charCodeAt(0)))
  .catch(() => undefined);

test.skipIf(!checkpoint)('a page converts the authors’ checkpoint itself (needs ../shared)', async () => {
  const files = convertLrAsd(checkpoint!);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', files.visual));
  // The bytes that Node gives: nothing in it depends on the machine.
  expect([...digest.subarray(0, 4)]).toEqual([0xac, 0x3c, 0x2c, 0xd1]);
  const session = await openSession(files.backend, 'backend', { device: 'wasm', threads: 1 });
  const silence = { kind: 'cpu', dims: [1, 2, 128], data: new Float32Array(256) } as const;
  const { score } = await session.run({ audio_embed: silence, visual: silence });
  await session.close();
  expect(score!.dims).toEqual([1, 2]);
});

test('a page is told what it should have given', () => {
  expect(() => convertLrAsd(new Uint8Array(1000))).toThrow(/Expected a PyTorch zip checkpoint of LR-ASD/);
});
