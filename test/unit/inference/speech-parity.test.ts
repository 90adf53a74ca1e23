import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSession } from '../../../src/inference/session.js';
import { createSpeechDetector } from '../../../src/inference/silero.js';

const shared = new URL('../../../../shared/', import.meta.url);
const read = (path: string) => new Uint8Array(readFileSync(new URL(path, shared)));

test.skipIf(!existsSync(shared))(
  'speech probabilities over a minute are the reference’s (needs ../shared)',
  { timeout: 60_000 },
  async () => {
    const name = 'silero_vad_16k';
    const session = await openSession(read(`models/${name}.onnx`), name, { device: 'wasm', threads: 1 });
    const detector = createSpeechDetector(session);
    const { probs } = JSON.parse(new TextDecoder().decode(read('golden/silero_vad_test_wav.json')));
    const samples = new Int16Array(read('golden/silero_test.wav').slice(44).buffer);
    const found = await detector.push(Float32Array.from(samples, value => value / 32768));
    await detector.close();
    expect(found).toHaveLength(probs.length);
    const gaps = (probs as number[]).map((value, i) => Math.abs(value - found[i]!));
    expect(Math.max(...gaps)).toBeLessThan(1e-3);
  },
);
