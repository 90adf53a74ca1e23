import { expect, test } from 'vitest';
import { endsSentence, sentencesOf } from '../../../src/core/sentences.js';

const word = (text: string, start: number, speaker?: string) => ({
  word: text,
  start,
  end: start + 0.4,
  confidence: 1,
  ...(speaker && { speaker }),
});

test.each(['No.', 'yes?', 'well…', '“done.”', '好。', 'نعم؟'])('%s ends a sentence', text =>
  expect(endsSentence(text)).toBe(true),
);

test.each(['Dr.', 'J.', 'e.g.', 'so,', '3.5', 'and'])('%s does not', text =>
  expect(endsSentence(text)).toBe(false),
);

test('sentences tile the words; pauses of a second and speakers end them too', () => {
  const words = [word('No.', 0), word('And', 0.5), word('then', 1), word('he', 2.5), word('Yes', 3, 'B')];
  expect(sentencesOf(words)).toEqual([
    { firstWord: 0, lastWord: 0 },
    { firstWord: 1, lastWord: 2 },
    { firstWord: 3, lastWord: 3 },
    { firstWord: 4, lastWord: 4 },
  ]);
});
