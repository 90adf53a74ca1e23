import { expect, test } from 'vitest';
import { firstEdit, type State } from '../../../demo/state.js';
import { captionTrackOf, keyOfWord, selectedRange, transcriptOf, wordAt } from '../../../demo/transcript.js';
import { spoken } from '../captions/spoken.js';

const transcription = spoken('A: One two three. Four five. | B: Six seven eight.');
const stateOf = (change: Partial<State> = {}, edit: Partial<State['edit']> = {}) =>
  ({
    analysis: { known: { parts: { transcription } } },
    edit: { ...firstEdit, ...edit },
    ...change,
  }) as unknown as State;

test('corrected words and names stand where they were heard, also in captions, and nothing else changes', () => {
  const edit = { words: { [keyOfWord(transcription.words[1]!)]: 'too' }, speakers: { B: 'Ann' } };
  const corrected = transcriptOf(stateOf({}, edit))!;
  expect(corrected.words.map(({ word }) => word)).toEqual(
    transcription.words.map(({ word }, i) => (i === 1 ? 'too' : word)),
  );
  expect(new Set(corrected.words.map(({ speaker }) => speaker))).toEqual(new Set(['A', 'Ann']));
  expect(transcriptOf(stateOf({}, edit))).toBe(corrected);
  const { captions } = captionTrackOf(stateOf({}, edit))!;
  expect(captions.flatMap(({ lines }) => lines.map(({ text }) => text)).join(' ')).toContain('too');
  expect(captions.at(-1)!.speaker).toBe('Ann');
  expect(transcriptOf(stateOf())).toEqual(transcription);
});

test('the word at a time is the one that is said, or was said last', () => {
  expect(wordAt(transcription, transcription.words[0]!.start - 1)).toBe(-1);
  transcription.words.forEach((word, rank) => {
    expect(wordAt(transcription, word.start)).toBe(rank);
    expect(wordAt(transcription, word.end - 0.01)).toBe(rank);
  });
});

test('selected words are a stretch of the source; another transcript with fewer words has none of them', () => {
  const range = selectedRange(stateOf({ selected: { firstWord: 1, lastWord: 3 } }))!;
  expect(range.startSec).toBeLessThanOrEqual(transcription.words[1]!.start);
  expect(range.endSec).toBeGreaterThanOrEqual(transcription.words[3]!.end);
  expect(selectedRange(stateOf())).toBe(undefined);
  expect(selectedRange(stateOf({ selected: { firstWord: 1, lastWord: 99 } }))).toBe(undefined);
});
