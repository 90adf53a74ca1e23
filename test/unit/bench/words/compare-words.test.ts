import { expect, test } from 'vitest';
import { compareWords, plainWord } from '../../../../bench/words/compare-words.js';

const compare = (said: string, heard: string) => compareWords(said.split(' '), heard.split(' '));

test('words left out, put in and changed are errors; the same words are paired', () => {
  expect(compare('a b c', 'a b c')).toEqual({
    errors: 0,
    pairs: [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
  });
  expect(compare('a b c d', 'a c d e')).toEqual({
    errors: 2,
    pairs: [
      [0, 0],
      [2, 1],
      [3, 2],
    ],
  });
  expect(compare('a b c', 'a x c').errors).toBe(1);
  expect(compareWords(['a', 'b'], []).errors).toBe(2);
});

test('case, marks and the way of writing a digit do not count', () =>
  expect(['Set,', '2', "Don't!", '15'].map(plainWord)).toEqual(['set', 'two', "don't", '15']));
