import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { convertLrAsd, type LrAsdFiles } from '../../../src/convert/convert-lr-asd.js';
import { packagedManifest } from '../../../src/inference/manifest.js';
import { openSession } from '../../../src/inference/session.js';
import { isReframeError } from '../../../src/schema/error.js';
import { type Flaws, writeCheckpoint } from '../../fixtures/checkpoint-writer.js';
import { lrAsdTensors } from '../../fixtures/lr-asd-checkpoint.js';

const shared = new URL('../../../../shared/', import.meta.url);
const read = (path: string) => new Uint8Array(readFileSync(new URL(path, shared)));
const cpu = (dims: readonly number[], data: Float32Array) => ({ kind: 'cpu', dims, data }) as const;
const open = (bytes: Uint8Array, name: string) => openSession(bytes, name, { device: 'wasm', threads: 1 });
const bytesOf = (value: string) => new TextEncoder().encode(value);

/** What the conversion rejects with; fails the test when it is no `model_corrupt`. */
function refusal(bytes: Uint8Array): string {
  try {
    convertLrAsd(bytes);
  } catch (error) {
    if (isReframeError(error) && error.code === 'model_corrupt') return error.message;
    throw error;
  }
  throw new Error('It was converted.');
}

/** Scores of `frames` frames through the three parts. */
async function scoresOf(files: LrAsdFiles, crops: Float32Array, features: Float32Array, frames: number) {
  const parts = await Promise.all([
    open(files.visual, 'visual'),
    open(files.audio, 'audio'),
    open(files.backend, 'backend'),
  ]);
  const [visualModel, audioModel, backend] = parts;
  const { visual } = await visualModel.run({ video: cpu([1, frames, 112, 112], crops) });
  const { audio_embed } = await audioModel.run({ audio: cpu([1, 4 * frames, 13], features) });
  const { score, logits } = await backend.run({
    visual: cpu(visual!.dims, visual!.data),
    audio_embed: cpu(audio_embed!.dims, audio_embed!.data),
  });
  await Promise.all(parts.map(part => part.close()));
  return { score: score!, logits: logits! };
}

describe('a checkpoint of the right shape', () => {
  const checkpoint = writeCheckpoint(lrAsdTensors());

  test('becomes three files with the inputs and outputs of the manifest', async () => {
    const files = convertLrAsd(checkpoint);
    for (const [part, bytes] of Object.entries(files)) {
      const entry = packagedManifest().models.find(({ id }) => id === `lr-asd-${part}`)!;
      const session = await open(bytes, part);
      expect(session.inputNames).toEqual(entry.inputs.map(({ name }) => name));
      expect(session.outputNames).toEqual(entry.outputs.map(({ name }) => name));
      await session.close();
    }
    const frames = 3;
    const crops = Float32Array.from({ length: frames * 112 * 112 }, (_, i) => i % 256);
    const features = Float32Array.from({ length: 4 * frames * 13 }, (_, i) => Math.sin(i));
    const { score, logits } = await scoresOf(files, crops, features, frames);
    expect([score.dims, logits.dims]).toEqual([
      [1, frames],
      [1, frames, 2],
    ]);
    expect([...score.data]).toEqual([...logits.data].filter((_, i) => i % 2 === 1));
  });

  test('gives the same bytes each time, and smaller ones with half the precision', () => {
    const [once, again] = [convertLrAsd(checkpoint), convertLrAsd(checkpoint.slice().buffer)];
    const half = convertLrAsd(checkpoint, { half: true });
    // Compared as buffers: the test runner's comparison of large arrays takes half a minute.
    const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
    expect(same(again.visual, once.visual) && same(again.audio, once.audio)).toBe(true);
    expect(same(again.backend, once.backend) && same(half.backend, once.backend)).toBe(true);
    expect(half.visual.length).toBeLessThan(0.52 * once.visual.length);
  });

  test('is refused wherever it is cut short', () => {
    for (let part = 0; part < 40; part++) {
      const cut = checkpoint.subarray(0, Math.floor((checkpoint.length * part) / 40));
      expect(refusal(cut)).toMatch(/Expected a PyTorch zip checkpoint of LR-ASD/);
    }
    for (let missing = 1; missing <= 60; missing++)
      refusal(checkpoint.subarray(0, checkpoint.length - missing));
  });

  test('is refused when a bit of any file in it fell over', () => {
    for (const at of [200, 5000, Math.floor(checkpoint.length / 2), checkpoint.length - 40_000]) {
      const damaged = checkpoint.slice();
      damaged[at]! ^= 0x10;
      expect(refusal(damaged)).toMatch(/damaged|directory|expected/i);
    }
  });
});

describe('hostile files', () => {
  const small = new Map([['a', { shape: [2, 3], data: new Float32Array(6) }]]);
  const refused = (flaws: Flaws) => refusal(writeCheckpoint(small, flaws));
  /** `callable(argument)` in pickle's words. */
  const reduce = (callable: string, argument: string) =>
    new Uint8Array([
      ...bytesOf(`c${callable}\n(X`),
      ...new Uint8Array(Uint32Array.of(argument.length).buffer),
      ...bytesOf(`${argument}tR`),
    ]);

  /** A table whose one key is a tuple of two tuples of two tuples …, 60 deep, in 400 bytes. */
  const endlessName = new Uint8Array([
    ...bytesOf('})'),
    ...Array.from({ length: 60 }, (_, i) => [0x71, i, 0x68, i, 0x86]).flat(),
    ...bytesOf('K'),
    1,
    ...bytesOf('s'),
  ]);

  test.each([
    ['a shell command', reduce('os\nsystem', 'id'), /asks for "os system"/],
    ['eval', reduce('builtins\neval', '1'), /asks for "builtins eval"/],
    [
      'a name that every object has',
      reduce('__proto__\nconstructor', ''),
      /asks for "__proto__ constructor"/,
    ],
    [
      'the tensor function with other arguments',
      reduce('torch._utils\n_rebuild_tensor_v2', 'x'),
      /calls "torch/,
    ],
    ['INST', bytesOf('(ios\nsystem\n'), /opcode 0x69/],
    ['OBJ', bytesOf('(o'), /opcode 0x6f/],
    ['NEWOBJ', new Uint8Array([0x81]), /opcode 0x81/],
    ['STACK_GLOBAL', new Uint8Array([0x93]), /opcode 0x93/],
    ['EXT1', new Uint8Array([0x82, 1]), /opcode 0x82/],
    ['a number of two gigabytes', new Uint8Array([0x8b, 0, 0, 0, 0x80]), /opcode 0x8b/],
    ['a text of four gigabytes', new Uint8Array([0x58, 255, 255, 255, 255]), /ends early/],
    ['more than the stack holds', bytesOf('RRRRRR'), /broken|without arguments|calls/],
    ['a mark that is not there', bytesOf('t'), /broken/],
    ['a memory that is not there', new Uint8Array([0x68, 9]), /broken/],
    ['the state of a tuple', bytesOf('))b'), /state of something/],
    ['a name that would be an endless text', endlessName, /tensors have names/],
    ['a number instead of a table', new Uint8Array([0x4b, 1]), /state dict/],
  ])('%s in the pickle is refused', (_, pickleTail, message) => {
    expect(refused({ pickleTail })).toMatch(message);
  });

  test('claims of two gigabytes cost nothing and are refused', () => {
    expect(refused({ claimedBytes: 2 ** 31 })).toMatch(/claims 2147483648 bytes/);
    expect(refused({ claimedBytes: 0xffffffff })).toMatch(/4 GB/);
    const tensors = lrAsdTensors();
    expect(refusal(writeCheckpoint(tensors, { claimedLength: 2 ** 29 }))).toMatch(
      /Expected 536870912 numbers/,
    );
    const huge = new Map([['a', { shape: [2 ** 16, 2 ** 15], data: new Float32Array(6) }]]);
    expect(refusal(writeCheckpoint(huge))).toMatch(/does not fit a storage/);
  });

  test('compressed archives are refused, so that none can grow', () => {
    const bomb = deflateRawSync(new Uint8Array(1 << 20));
    const tensors = new Map([['a', { shape: [1], data: new Float32Array(bomb.buffer.slice(0, 4)) }]]);
    expect(refusal(writeCheckpoint(tensors, { method: 8 }))).toMatch(/is compressed/);
  });

  test('an archive whose files lie over one another is refused', () => {
    const bytes = writeCheckpoint(small);
    const view = new DataView(bytes.buffer);
    // 2000 times the same entry: the directory is written anew behind the files.
    const start = view.getUint32(bytes.length - 6, true);
    const length = 46 + view.getUint16(start + 28, true);
    const entry = bytes.slice(start, start + length);
    const count = 2000;
    const end = bytes.slice(-22);
    const endView = new DataView(end.buffer);
    endView.setUint16(10, count, true);
    endView.setUint32(12, count * length, true);
    const parts = [bytes.slice(0, start), ...Array.from({ length: count }, () => entry), end];
    expect(refusal(new Uint8Array(Buffer.concat(parts)))).toMatch(/overlap/);
  });

  test('other files are refused with what was expected', () => {
    const other = [new Uint8Array(), new Uint8Array(100), bytesOf('<!doctype html>'), new Uint8Array(70_000)];
    for (const bytes of other) expect(refusal(bytes)).toMatch(/Expected a PyTorch zip checkpoint of LR-ASD/);
    expect(refusal(writeCheckpoint(small))).toMatch(/with a tensor "model\.visualEncoder/);
    expect(refused({ storageClass: 'HalfStorage' })).toMatch(/asks for "torch HalfStorage"/);
    expect(refused({ strides: () => [1, 2] })).toMatch(/row by row/);
    expect(refused({ byteOrder: 'big' })).toMatch(/little-endian/);
    expect(refused({ byteOrder: 'little' })).toMatch(/with a tensor/);
  });

  test('missing and misshapen tensors are named', () => {
    const name = 'model.detector.gru_forward.weight_hh_l0';
    const without = lrAsdTensors();
    without.delete(name);
    expect(refusal(writeCheckpoint(without))).toContain(`with a tensor "${name}"`);
    const turned = lrAsdTensors();
    turned.set(name, { ...turned.get(name)!, shape: [64, 192] });
    expect(refusal(writeCheckpoint(turned))).toContain(`"${name}" is float32 [192,64], not float32 [64,192]`);
    const whole = lrAsdTensors();
    const integers = writeCheckpoint(whole, { storageClass: 'LongStorage' });
    expect(refusal(integers)).toMatch(/is float32 \[16,1,1,5,5\], not int64/);
  });
});

describe.skipIf(!existsSync(shared))('the authors’ checkpoint (needs ../shared)', () => {
  const frames = 199;
  const checkpoint = () => read('models/lr-asd-pretrain_AVA.model');
  const crops = () =>
    Float32Array.from(read('golden/kh_mpeg4_track0_crops112_u8.bin').subarray(0, frames * 112 * 112));
  const features = () => {
    const bytes = read('golden/kh_mpeg4_track0_mfcc_f64.bin').slice();
    return Float32Array.from(new Float64Array(bytes.buffer).subarray(0, frames * 4 * 13));
  };
  const largestGap = (a: Float32Array, b: Float32Array) =>
    a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

  test.each([
    ['float32', false, 1e-4],
    ['float16', true, 3e-3],
  ])('scores as its own graph does with weights in %s', async (_, half, tolerance) => {
    const { score, logits } = await scoresOf(
      convertLrAsd(checkpoint(), { half }),
      crops(),
      features(),
      frames,
    );
    const whole = await open(read('models/lr-asd-ava.onnx'), 'whole');
    const expected = await whole.run({
      audio: cpu([1, frames * 4, 13], features()),
      video: cpu([1, frames, 112, 112], crops()),
    });
    await whole.close();
    expect(largestGap(score.data, expected.score!.data)).toBeLessThan(tolerance);
    expect(largestGap(logits.data, expected.logits!.data)).toBeLessThan(tolerance);
  });

  test('always becomes the same files', () => {
    const hashes = Object.values(convertLrAsd(checkpoint())).map(bytes =>
      createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    );
    expect(hashes).toEqual(['ac3c2cd1d5fe27b4', 'ced46e3d5b3e1388', 'cbf0aec6825a92d6']);
  });

  test('is refused wherever it is cut short, and other models are refused', () => {
    const whole = checkpoint();
    for (let part = 0; part < 20; part++)
      expect(refusal(whole.subarray(0, Math.floor((whole.length * part) / 20)))).toMatch(
        /Expected a PyTorch/,
      );
    expect(refusal(read('models/yunet_n_dynamic.onnx'))).toMatch(/Expected a PyTorch/);
  });
});
