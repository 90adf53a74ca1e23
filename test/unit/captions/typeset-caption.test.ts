import { describe, expect, test } from 'vitest';
import { captionStateAt } from '../../../src/captions/burn/caption-state.js';
import { safeArea } from '../../../src/captions/burn/safe-area.js';
import { visualOrder } from '../../../src/captions/burn/text-direction.js';
import { typesetCaption } from '../../../src/captions/burn/typeset-caption.js';
import { columnsOf } from '../../../src/captions/caption-units.js';
import { captions } from '../../../src/captions/captions.js';
import { completeCaptionStyle, defaultCaptionStyle } from '../../../src/schema/caption-style.js';
import { spoken } from './spoken.js';

const output = { width: 720, height: 1280 };
/** Every column is 0.6 font sizes wide. */
const measure = (text: string, fontSizePx: number) => 0.6 * fontSizePx * columnsOf(text);
const set = (text: string, style = {}, language = 'en') => {
  const [caption] = captions(spoken(text, 15, language), { maxCharacters: 20 });
  const options = { style: completeCaptionStyle(style), output, language, scaleRatio: 1 };
  return typesetCaption(caption!, options, measure);
};
const leftToRight = (words: readonly { text: string; x: number }[]) =>
  [...words].sort((a, b) => a.x - b.x).map(({ text }) => text);

describe('lines are set', () => {
  test('in the size that is asked for, centred, words apart by a space', () => {
    const { words, fontSizePx, size } = set('so we go');
    expect(fontSizePx).toBeCloseTo(0.066 * 720);
    expect(leftToRight(words)).toEqual(['so', 'we', 'go']);
    expect(words[1]!.x - words[0]!.x - words[0]!.width).toBeCloseTo(0.6 * fontSizePx);
    const right = words[2]!.x + words[2]!.width;
    expect(words[0]!.x + right).toBeCloseTo(size.width);
  });

  test('smaller where a line would leave the safe area', () => {
    const { fontSizePx, size } = set('seventeenletters abc', { sizeRatio: 0.1 });
    expect(fontSizePx).toBeLessThan(72);
    expect(size.width).toBeLessThanOrEqual(safeArea(output).width);
  });

  test('in capitals of the language', () => {
    expect(set('izin ilk', { uppercase: true }, 'tr').words.map(({ text }) => text)).toEqual(['İZİN', 'İLK']);
  });

  test('from right to left, with the time of each word where the word is', () => {
    const { words, direction } = set('שלום לכולם חברים', {}, 'he');
    expect(direction).toBe('rtl');
    expect(words.map(({ text }) => text)).toEqual(['שלום', 'לכולם', 'חברים']);
    expect(leftToRight(words)).toEqual(['חברים', 'לכולם', 'שלום']);
    const times = words.map(({ startSec }) => startSec);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('without spaces, broken between words', () => {
    const { words } = set('我们今天去北京看朋友。', {}, 'zh');
    expect(words.map(({ text }) => text).join('')).toBe('我们今天去北京看朋友。');
    const line = words.filter(({ middleY }) => middleY === words[0]!.middleY);
    line.slice(1).forEach((word, i) => {
      expect(word.x).toBeCloseTo(line[i]!.x + line[i]!.width);
    });
    expect(line.map(({ text }) => text)).toContain('今天');
  });
});

test.each([
  { words: ['a', 'b', 'c'], line: 'ltr', order: [0, 1, 2] },
  { words: ['א', 'ב', 'ג'], line: 'rtl', order: [2, 1, 0] },
  // Latin names keep their own order inside of a Hebrew line.
  { words: ['א', 'New', 'York', 'ב'], line: 'rtl', order: [3, 1, 2, 0] },
  { words: ['say', 'א', 'ב', 'twice'], line: 'ltr', order: [0, 2, 1, 3] },
  // A number goes with what stands before it.
  { words: ['א', '20', 'ב'], line: 'rtl', order: [2, 1, 0] },
  { words: ['א', 'Ubuntu', '24', 'ב'], line: 'rtl', order: [3, 1, 2, 0] },
] as const)('$words stand as readers of $line expect', ({ words, line, order }) => {
  expect(visualOrder(words, line)).toEqual(order);
});

describe('the state of a caption', () => {
  const words = [{ startSec: 1 }, { startSec: 1.5 }, { startSec: 2 }];
  test('follows the words that are heard', () => {
    expect(captionStateAt(words, 0.9, 'karaoke')).toEqual({ shown: 3, heard: -1, swell: 1 });
    expect(captionStateAt(words, 1.5, 'karaoke')).toEqual({ shown: 3, heard: 1, swell: 1 });
    expect(captionStateAt(words, 9, 'karaoke')).toEqual({ shown: 3, heard: 2, swell: 1 });
  });
  test('lets words pop', () => {
    expect(captionStateAt(words, 0.9, 'pop').shown).toBe(0);
    const first = captionStateAt(words, 1.5, 'pop');
    expect(first).toMatchObject({ shown: 2, heard: 1 });
    expect(first.swell).toBeGreaterThan(1.1);
    expect(captionStateAt(words, 1.9, 'pop').swell).toBe(1);
  });
  test.each(['plain', 'box'] as const)('never changes for %s', look => {
    expect(captionStateAt(words, 0.9, look)).toEqual(captionStateAt(words, 2.5, look));
  });
});

test('a wrong style is refused by name', () => {
  expect(completeCaptionStyle()).toEqual(defaultCaptionStyle);
  expect(() => completeCaptionStyle({ sizeRatio: 2 })).toThrow(/sizeRatio/);
  expect(() => completeCaptionStyle({ colour: 'red' })).toThrow(/colour/);
  expect(() => completeCaptionStyle({ look: 'neon' as never })).toThrow(/look/);
  expect(() => completeCaptionStyle({ shadow: 1 } as never)).toThrow(TypeError);
});
