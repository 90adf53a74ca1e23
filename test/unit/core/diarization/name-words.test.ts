import { expect, test } from 'vitest';
import { nameWords } from '../../../../src/core/diarization/name-words.js';

const word = (start: number, end: number) => ({ word: 'so', start, end, confidence: 1 });
const segment = (speaker: string, start: number, end: number) => ({ speaker, start, end, confidence: 1 });

test('a word is its segment’s, at the border the one that covers more of it, beside it the nearest one’s', () => {
  const segments = [segment('a', 10, 12), segment('b', 12, 14), segment('a', 20, 21)];
  const words = [word(0.5, 1), word(1.9, 2.5), word(1.5, 2.1), word(4.2, 4.4), word(6, 7), word(9.7, 9.9)];
  const named = nameWords(words, segments, 10);
  expect(named.map(({ speaker }) => speaker)).toEqual(['a', 'b', 'a', 'b', undefined, 'a']);
  expect(nameWords(words, [])).toEqual(words);
});
