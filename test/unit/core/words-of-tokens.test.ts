import { expect, test } from 'vitest';
import { wordsOfTokens } from '../../../src/core/words-of-tokens.js';
import { writeTranscription } from '../../../src/core/write-transcription.js';

const token = (text: string, startSec: number, endSec: number, probability = 1) => ({
  text,
  startSec,
  endSec,
  logProbability: Math.log(probability),
});
/** Speech in the given seconds, in tenths. */
const speech = (...ranges: (readonly [number, number])[]) => ({
  stepSec: 0.1,
  values: Float32Array.from({ length: 100 }, (_, i) =>
    ranges.some(([from, to]) => i / 10 >= from - 1e-6 && i / 10 < to - 1e-6) ? 0.9 : 0,
  ),
});
const all = speech([0, 10]);

test('tokens become words; marks take no time and do not make a word less sure', () => {
  const tokens = [
    token(' How', 0, 0.3),
    token('ever', 0.3, 0.6, 0.5),
    token(',', 0.6, 1.4, 0.1),
    token(' yes', 1.4, 2),
  ];
  const words = wordsOfTokens(tokens, all);
  expect(words.map(({ word }) => word)).toEqual(['However,', 'yes']);
  expect([words[0]!.start, words[0]!.end]).toEqual([0, 0.6]);
  expect(words[0]!.confidence).toBeCloseTo(0.5, 6);
});

test('words begin and end with the speech that is heard', () => {
  const [word] = wordsOfTokens([token(' end', 1, 3)], speech([1.2, 1.8]));
  expect([word!.start, word!.end]).toEqual([expect.closeTo(1.2, 6), expect.closeTo(1.8, 6)]);
});

test('words where nobody speaks are left out', () => {
  const tokens = [token(' yes', 0, 0.5), token(' Thank', 3, 4), token(' you.', 4, 5)];
  expect(wordsOfTokens(tokens, speech([0, 1])).map(({ word }) => word)).toEqual(['yes']);
});

test('in scripts without spaces each token is a word, and the text has none', () => {
  const tokens = [token('你好', 0, 0.5), token('，', 0.5, 0.6), token('朋友', 0.6, 1), token('。', 1, 1.1)];
  const words = wordsOfTokens(tokens, all);
  expect(words.map(({ word }) => word)).toEqual(['你好，', '朋友。']);
  expect(writeTranscription(words, { model: 'm', language: 'zh', originSec: 0 }).text).toBe('你好，朋友。');
});

test('segments end with sentences, pauses and speakers; times are those of the source', () => {
  const word = (text: string, start: number, speaker?: string) => ({
    word: text,
    start,
    end: start + 0.4,
    confidence: 0.9,
    ...(speaker && { speaker }),
  });
  const words = [
    word('Hi', 0),
    word('Dr.', 0.5),
    word('Lee.', 1),
    word('So', 1.5),
    word('then', 4),
    word('no', 4.5, 'B'),
  ];
  const written = writeTranscription(words, { model: 'm', language: 'en', originSec: 10 });
  expect(written.segments.map(({ id, start, text }) => [id, start, text])).toEqual([
    [0, 10, 'Hi Dr. Lee.'],
    [1, 11.5, 'So'],
    [2, 14, 'then'],
    [3, 14.5, 'no'],
  ]);
  expect(written.segments[3]!.speaker).toBe('B');
  expect(written.words[0]).toEqual({ word: 'Hi', start: 10, end: 10.4, confidence: 0.9 });
});
