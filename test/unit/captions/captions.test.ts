import { describe, expect, test } from 'vitest';
import { type Caption, captions } from '../../../src/captions/captions.js';
import { babble, spoken } from './spoken.js';

const texts = (made: readonly Caption[]) => made.map(({ lines }) => lines.map(({ text }) => text));
const seeds = [1, 2, 3, 4, 5];

test('a sentence is broken where its phrases end', () => {
  const made = captions(spoken('I told you that the people who live here know the way to the river.'));
  expect(texts(made)).toEqual([
    ['I told you that the people', 'who live here know the way'],
    ['to the river.'],
  ]);
});

describe.each(seeds)('600 words, seed %i', seed => {
  const transcript = babble(seed, 600);
  const cutsSec = Array.from({ length: 100 }, (_, i) => 2.7 * i);
  const made = captions(transcript, { cutsSec });

  test('every word is there once, in order', () => {
    const said = made.flatMap(({ lines }) => lines.flatMap(({ words }) => words.map(({ text }) => text)));
    expect(said).toEqual(transcript.words.map(({ word }) => word));
  });

  test('at most two lines of 32 characters', () => {
    expect(Math.max(...made.map(({ lines }) => lines.length))).toBe(2);
    expect(
      Math.max(...made.flatMap(({ lines }) => lines.map(({ text }) => text.length))),
    ).toBeLessThanOrEqual(32);
  });

  test('captions follow one another without overlap, none longer than 7 s', () => {
    made.forEach(({ startSec, endSec }, i) => {
      expect(endSec).toBeGreaterThan(startSec);
      expect(endSec - startSec).toBeLessThanOrEqual(7);
      if (i) expect(startSec).toBeGreaterThanOrEqual(made[i - 1]!.endSec);
    });
  });

  test('no caption is seen on both sides of a cut for more than 0.3 s', () => {
    const across = made.flatMap(({ startSec, endSec }) =>
      cutsSec.map(cutSec => Math.min(cutSec - startSec, endSec - cutSec)),
    );
    expect(Math.max(...across)).toBeLessThanOrEqual(0.3 + 1e-9);
  });

  test('a caption has one speaker', () => {
    let at = 0;
    for (const { lines, speaker } of made) {
      for (const _ of lines.flatMap(({ words }) => words))
        expect(transcript.words[at++]!.speaker).toBe(speaker);
    }
  });

  test('no word stands alone on a line where cuts leave room', () => {
    const free = captions(transcript);
    const alone = free.flatMap(({ lines }) =>
      lines.length > 1 ? lines.filter(({ words }) => words.length === 1) : [],
    );
    expect(alone).toEqual([]);
  });

  test('the pace of the words can be read', () => {
    const fast = captions(transcript).filter(
      ({ startSec, endSec, lines }) =>
        lines.reduce((sum, { text }) => sum + text.length, 0) / (endSec - startSec) > 17,
    );
    expect(fast).toEqual([]);
  });
});

test('a caption stays in the pause behind it until it can be read', () => {
  const [caption] = captions(spoken('Everybody understood immediately.', 30));
  expect(caption!.endSec).toBeCloseTo(32 / 17, 5);
  const [slow] = captions(spoken('Everybody understood immediately.', 30), { maxCharactersPerSec: 30 });
  expect(slow!.endSec).toBeLessThan(1.2);
});

test('a word that alone lasts across a cut leaves soon after the cut', () => {
  const transcript = { ...spoken('Gooooal'), words: [{ word: 'Gooooal', start: 0, end: 4, confidence: 1 }] };
  const [caption] = captions(transcript, { cutsSec: [2] });
  expect(caption!.endSec).toBeCloseTo(2.3, 9);
});

test('Chinese and Japanese break between words, count double and begin no line with a mark', () => {
  const said = '我们今天去北京看望朋友，然后一起吃饭。大家都很高兴，因为天气非常好。';
  // As recognisers give it: a letter a word.
  const words = [...said].map((word, i) => ({ word, start: i * 0.25, end: (i + 1) * 0.25, confidence: 1 }));
  const made = captions({ words, language: 'zh' }, { maxCharacters: 16 });
  const lines = texts(made).flat();
  expect(lines.join('')).toBe(said);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(8);
  expect(lines.filter(line => /^[，。]/.test(line))).toEqual([]);
  // 北京 and 朋友 are words.
  expect(lines.some(line => line.endsWith('北') || line.endsWith('朋'))).toBe(false);
});

test('right-to-left text stays as it was said', () => {
  const said = 'مرحبا بكم في هذا البرنامج الجديد، نتحدث اليوم عن اللغة العربية وتاريخها.';
  const made = captions(spoken(said, 12, 'ar'));
  expect(texts(made).flat().join(' ')).toBe(said);
  expect(
    texts(made)
      .flat()
      .every(line => line.length <= 32),
  ).toBe(true);
});

test('what is longer than a line is cut to fit', () => {
  const made = captions(spoken(`https://example.org/${'a'.repeat(60)}`));
  const lines = texts(made).flat();
  expect(lines.join('')).toBe(`https://example.org/${'a'.repeat(60)}`);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(32);
});

test('no words, no captions', () => expect(captions(spoken(''))).toEqual([]));

test.each([
  [{ maxCharacters: 4 }, /maxCharacters is 4/],
  [{ maxLines: 1.5 }, /whole/],
  [{ maxCharactersPerSec: Number.NaN }, /maxCharactersPerSec is NaN/],
])('an option out of its range is refused: %o', (options, message) =>
  expect(() => captions(spoken('Hello.'), options)).toThrow(message),
);
