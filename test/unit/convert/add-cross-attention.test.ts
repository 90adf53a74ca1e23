import { expect, test } from 'vitest';
import { addCrossAttention } from '../../../src/convert/add-cross-attention.js';
import { openSession, type SessionInput } from '../../../src/inference/session.js';
import { writeTinyModels } from '../../fixtures/tiny-onnx.js';
import { tinyDecoder } from '../../fixtures/tiny-words.js';

const open = (bytes: Uint8Array) => openSession(bytes, 'tiny', { device: 'wasm', threads: 1 });
const hidden = Float32Array.from({ length: 40 }, (_, i) => [0.1, 0.3, 0.4, 0][Math.floor(i / 10)]!);
const feeds = (step: number): Record<string, SessionInput> => ({
  input_ids: { kind: 'int64', dims: [1, 1], data: BigInt64Array.of(1n) },
  encoder_hidden_states: { kind: 'cpu', dims: [1, 40, 1], data: hidden },
  use_cache_branch: { kind: 'bool', dims: [1], data: Uint8Array.of(step ? 1 : 0) },
  ...Object.fromEntries(
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map(name => [
      `past_key_values.0.${name}`,
      { kind: 'cpu' as const, dims: [1, 1, step, 1], data: new Float32Array(step) },
    ]),
  ),
});

test('both branches give the weights of their attention, and the tokens stay the same', async () => {
  const [plain, attentive] = await Promise.all([open(tinyDecoder()), open(addCrossAttention(tinyDecoder()))]);
  expect(plain.outputNames).not.toContain('cross_attentions.0');
  expect(attentive.outputNames.at(-1)).toBe('cross_attentions.0');
  for (const step of [0, 1, 2]) {
    const [before, after] = [await plain.run(feeds(step)), await attentive.run(feeds(step))];
    expect(after.logits!.data).toEqual(before.logits!.data);
    const weights = after['cross_attentions.0']!;
    expect(weights.dims).toEqual([1, 1, 1, 40]);
    expect(weights.data.indexOf(Math.max(...weights.data))).toBe(10 * step + 5);
    expect(weights.data.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 5);
  }
  await plain.close();
  await attentive.close();
});

test('what is no merged decoder is refused', () => {
  expect(() => addCrossAttention(Uint8Array.of(1, 2, 3))).toThrow(/Not an ONNX file/);
  expect(() => addCrossAttention(new Uint8Array(0))).toThrow(/no graph/);
  expect(() => addCrossAttention(writeTinyModels().get('silero-vad')!)).toThrow(/this graph has 0/);
});

test('a file that was cut off is refused', () =>
  expect(() => addCrossAttention(tinyDecoder().subarray(0, 900))).toThrow(/Not an ONNX file/));
