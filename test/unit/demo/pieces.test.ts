import { expect, test } from 'vitest';
import { isLeftOut, keptOf, piecesOf, selectedPieces, skipTo, withPieces } from '../../../demo/pieces.js';
import { firstEdit, type State } from '../../../demo/state.js';
import { spoken } from '../captions/spoken.js';

const transcription = spoken('So um we go. | | And the the end. | |', 10);
const durationSec = transcription.words.at(-1)!.end + 2;
const stateOf = (change: Partial<State> = {}, leftOut: State['edit']['leftOut'] = []) =>
  ({
    source: { facts: { durationSec } },
    analysis: { status: 'done', known: { parts: { transcription } } },
    edit: { ...firstEdit, leftOut },
    ...change,
  }) as unknown as State;
const found = piecesOf(stateOf());

test('pauses, sounds and starts said again are listed in order, and none is left out unasked', () => {
  expect(found.map(({ kind, text }) => [kind, text])).toEqual([
    ['filler', 'um'],
    ['silence', 'pause'],
    ['filler', 'the'],
    ['silence', 'pause'],
  ]);
  expect(found.some(({ isOut }) => isOut)).toBe(false);
  expect(keptOf(stateOf())).toBe(undefined);
  expect(piecesOf(stateOf({ analysis: { status: 'running' } as State['analysis'] }))).toEqual([]);
});

test('what is ticked is left out, what is unticked comes back', () => {
  const out = withPieces([], found, true);
  const state = stateOf({}, out);
  expect(piecesOf(state).every(({ isOut }) => isOut)).toBe(true);
  const kept = keptOf(state)!;
  const keptSec = kept.reduce((sum, range) => sum + range.endSec - range.startSec, 0);
  const outSec = out.reduce((sum, range) => sum + range.endSec - range.startSec, 0);
  expect(keptSec + outSec).toBeCloseTo(durationSec, 6);
  const fewer = withPieces(out, [found[1]!], false);
  expect(piecesOf(stateOf({}, fewer)).map(({ isOut }) => isOut)).toEqual([true, false, true, true]);
  expect(withPieces(fewer, found, false)).toEqual([]);
});

test('words that are left out are listed with the others and are gone from the clip, also from a selected part', () => {
  const selected = { firstWord: 2, lastWord: 3 };
  const pieces = selectedPieces(stateOf({ selected }));
  const state = stateOf({}, withPieces([], pieces, true));
  expect(piecesOf(state).filter(({ kind }) => kind === 'words')).toMatchObject([
    { text: 'we go.', isOut: true },
  ]);
  expect(transcription.words.map(word => isLeftOut(state, word))).toEqual(
    transcription.words.map((_, rank) => rank === 2 || rank === 3),
  );
  const part = keptOf(stateOf({ selected: { firstWord: 1, lastWord: 6 } }, state.edit.leftOut))!;
  expect(part).toHaveLength(2);
  expect(part[0]!.endSec).toBeCloseTo(transcription.words[2]!.start, 6);
});

test('a video that plays goes on behind what is left out', () => {
  const state = stateOf({}, [{ startSec: 1, endSec: 3 }]);
  expect([0.9, 1, 2, 2.95, 3].map(timeSec => skipTo(state, timeSec))).toEqual([
    ...[undefined, 3, 3, undefined, undefined],
  ]);
});
