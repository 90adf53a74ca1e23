import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Session, SessionInput } from '../../../src/inference/session.js';
import { openSession } from '../../../src/inference/session.js';
import { createSpeechDetector } from '../../../src/inference/silero.js';

/** A session that answers with the mean of its input and writes down what it was given. */
function listener(inputNames: readonly string[]) {
  const seen: Readonly<Record<string, SessionInput>>[] = [];
  const dataOf = (input: SessionInput) => (input.kind === 'cpu' ? input.data : new Float32Array());
  const session: Session = {
    device: 'wasm',
    inputNames,
    inputShapes: {},
    outputNames: ['output', 'stateN'],
    async run(feeds) {
      seen.push(feeds);
      const input = dataOf(feeds.input!);
      const mean = input.reduce((sum, value) => sum + value, 0) / input.length;
      const state = dataOf(feeds.state!).map(value => value + 1);
      return {
        output: { dims: [1, 1], data: Float32Array.of(mean) },
        stateN: { dims: [2, 1, 128], data: state },
      };
    },
    async close() {},
  };
  return { session, seen, dataOf };
}

test('chunks carry 64 samples of the one before, and the state goes on', async () => {
  const { session, seen, dataOf } = listener(['input', 'state']);
  const detector = createSpeechDetector(session);
  const ramp = Float32Array.from({ length: 1200 }, (_, i) => i / 1200);
  expect(await detector.push(ramp.subarray(0, 300))).toHaveLength(0);
  expect(await detector.push(ramp.subarray(300))).toHaveLength(2);
  expect(await detector.finish()).toHaveLength(1);
  expect(await detector.finish()).toHaveLength(0);
  const inputs = seen.map(feeds => dataOf(feeds.input!));
  expect(inputs.map(input => input.length)).toEqual([576, 576, 576]);
  expect(inputs[0]!.slice(0, 64).every(value => value === 0)).toBe(true);
  expect(inputs[1]!.slice(0, 64)).toEqual(ramp.slice(448, 512));
  expect(inputs[2]!.slice(64, 64 + 176)).toEqual(ramp.slice(1024));
  expect(seen.map(feeds => dataOf(feeds.state!)[0])).toEqual([0, 1, 2]);
  expect(seen[0]!.sr).toBeUndefined();
});

test('a detector goes on from what another one saved', async () => {
  const ramp = Float32Array.from({ length: 1800 }, (_, i) => i / 1800);
  const [whole, halves] = [listener(['input', 'state']), listener(['input', 'state'])];
  const one = createSpeechDetector(whole.session);
  const expected = [...(await one.push(ramp)), ...(await one.finish())];
  const first = createSpeechDetector(halves.session);
  const before = await first.push(ramp.subarray(0, 700));
  const second = createSpeechDetector(halves.session, structuredClone(first.save()));
  expect([...before, ...(await second.push(ramp.subarray(700))), ...(await second.finish())]).toEqual(
    expected,
  );
  expect(halves.seen).toEqual(whole.seen);
});

test('the packaged form is told the sample rate', async () => {
  const { session, seen } = listener(['input', 'state', 'sr']);
  await createSpeechDetector(session).push(new Float32Array(512));
  expect(seen[0]!.sr).toEqual({ kind: 'int64', dims: [], data: BigInt64Array.of(16_000n) });
});

const shared = new URL('../../../../shared/', import.meta.url);
test.skipIf(!existsSync(shared))(
  'a minute of speech gives the reference’s probabilities (needs ../shared)',
  {
    timeout: 60_000,
  },
  async () => {
    const bytes = new Uint8Array(readFileSync(new URL('models/silero_vad_16k.onnx', shared)));
    const detector = createSpeechDetector(await openSession(bytes, 'silero', { device: 'wasm', threads: 1 }));
    const wave = new Uint8Array(readFileSync(new URL('golden/silero_test.wav', shared))).slice(44);
    const { probs } = JSON.parse(readFileSync(new URL('golden/silero_vad_test_wav.json', shared), 'utf8'));
    const found = [
      ...(await detector.push(Float32Array.from(new Int16Array(wave.buffer), value => value / 32_768))),
      ...(await detector.finish()),
    ];
    await detector.close();
    expect(found).toHaveLength(probs.length);
    expect(Math.max(...found.map((value, i) => Math.abs(value - probs[i])))).toBeLessThan(1e-3);
  },
);
