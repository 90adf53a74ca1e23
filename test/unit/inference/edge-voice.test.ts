import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { voiceSize } from '../../../src/core/speaker-evidence.js';
import { bundledUrl } from '../../../src/inference/bundled.js';
import { openSession } from '../../../src/inference/session.js';
import {
  createVoiceEmbedder,
  leastVoiceSamples,
  type VoiceEmbedder,
} from '../../../src/inference/voice-embedder.js';
import { buzzingVoice } from '../../fixtures/buzzing-voice.js';
import golden from '../../golden/voice_golden.json' with { type: 'json' };

const voices = fileURLToPath(new URL('../../../../shared/data/voices/', import.meta.url));
const cosineOf = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

let embedder: VoiceEmbedder;
beforeAll(async () => {
  const bytes = new Uint8Array(readFileSync(bundledUrl('edge-voice')!));
  const session = await openSession(bytes, 'edge-voice', { device: 'wasm', threads: 1 });
  embedder = createVoiceEmbedder(session, 'edge-voice');
}, 60_000);
afterAll(() => embedder.close());

test('a sound embeds as in training', async () => {
  const embedding = await embedder.embed(buzzingVoice());
  expect(embedding).toHaveLength(voiceSize);
  expect(cosineOf(embedding, embedding)).toBeCloseTo(1, 5);
  golden.embedding.forEach((value, i) => {
    expect(Math.abs(embedding[i]! - value)).toBeLessThan(1e-3);
  });
});

test('how loud a voice is recorded does not matter', async () => {
  const loud = await embedder.embed(buzzingVoice());
  const soft = await embedder.embed(buzzingVoice().map(value => value / 20));
  expect(cosineOf(loud, soft)).toBeGreaterThan(0.999);
});

test('silence has an embedding, and the shortest piece too; a shorter one is refused', async () => {
  for (const samples of [16_000, leastVoiceSamples]) {
    const embedding = await embedder.embed(new Float32Array(samples));
    expect(embedding.every(Number.isFinite)).toBe(true);
  }
  await expect(embedder.embed(new Float32Array(leastVoiceSamples - 1))).rejects.toThrow(RangeError);
});

type Piece = {
  readonly speaker: string;
  readonly recording: string;
  readonly split: string;
  readonly file: string;
};

/** Two recordings of each of so many speakers whom training did not hear. */
function unseenSpeakers(count: number): (readonly [Piece, Piece])[] {
  const bySpeaker = new Map<string, Piece[]>();
  for (const line of readFileSync(`${voices}meta.jsonl`, 'utf8').trim().split('\n')) {
    const piece = JSON.parse(line) as Piece;
    if (piece.split !== 'val') continue;
    const pieces = bySpeaker.get(piece.speaker) ?? [];
    if (pieces.every(({ recording }) => recording !== piece.recording)) pieces.push(piece);
    bySpeaker.set(piece.speaker, pieces);
  }
  const pairs = [...bySpeaker.values()].flatMap(([a, b]) => (a && b ? [[a, b] as const] : []));
  return pairs.filter((_, i) => i % Math.floor(pairs.length / count) === 0).slice(0, count);
}

test.skipIf(!existsSync(voices))(
  'recordings of one unseen speaker are closer than those of two (needs ../shared)',
  { timeout: 300_000 },
  async () => {
    const embed = ({ file }: Piece) => {
      const raw = execFileSync('ffmpeg', [
        '-v',
        'error',
        '-i',
        voices + file,
        '-ar',
        '16000',
        '-f',
        's16le',
        '-',
      ]);
      return embedder.embed(
        Float32Array.from({ length: raw.length / 2 }, (_, i) => raw.readInt16LE(2 * i) / 32_768),
      );
    };
    const speakers: (readonly [Float32Array, Float32Array])[] = [];
    for (const [a, b] of unseenSpeakers(24)) speakers.push([await embed(a), await embed(b)]);
    let closer = 0;
    let pairs = 0;
    for (const [i, [first, second]] of speakers.entries()) {
      for (const [j, [, other]] of speakers.entries()) {
        if (i === j) continue;
        pairs++;
        if (cosineOf(first, second) > cosineOf(first, other)) closer++;
      }
    }
    expect(pairs).toBe(24 * 23);
    // Chance is a half.
    expect(closer / pairs).toBeGreaterThan(0.95);
  },
);
