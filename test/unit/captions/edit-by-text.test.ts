import { expect, test } from 'vitest';
import { findFillers, removeFillers } from '../../../src/captions/fillers.js';
import { removeSilences } from '../../../src/captions/remove-silences.js';
import { selectWords } from '../../../src/captions/select-words.js';
import { suggestClips } from '../../../src/captions/suggest-clips.js';
import { spoken } from './spoken.js';

const at = (start: number, end: number, word = 'la') => ({ word, start, end, confidence: 1 });
const pauses = { words: [at(1, 2), at(2.1, 3), at(5, 6), at(6.2, 7)] };

test('chosen words give their stretches with half of the pause around, at most 0.15 s', () => {
  expect(selectWords(pauses, [{ firstWord: 1, lastWord: 2 }])).toEqual([{ startSec: 2.05, endSec: 6.1 }]);
  expect(selectWords(pauses, [{ firstWord: 0, lastWord: 0 }])[0]).toEqual({ startSec: 0.85, endSec: 2.05 });
});

test('spans that touch become one stretch, in the order of the source', () => {
  const spans = [
    { firstWord: 3, lastWord: 3 },
    { firstWord: 0, lastWord: 0 },
    { firstWord: 0, lastWord: 1 },
  ];
  expect(selectWords(pauses, spans).map(({ startSec }) => startSec)).toEqual([0.85, 6.1]);
  const all = [0, 1, 2, 3].map(i => ({ firstWord: i, lastWord: i }));
  expect(selectWords(pauses, all)).toEqual([{ startSec: 0.85, endSec: 7.15 }]);
});

test('words that are not there are refused', () => {
  for (const [firstWord, lastWord] of [
    [-1, 0],
    [0, 4],
    [2, 1],
    [0.5, 1],
  ] as const)
    expect(() => selectWords(pauses, [{ firstWord, lastWord }])).toThrow(RangeError);
});

test('long pauses go but for a margin on either side', () => {
  expect(removeSilences(pauses, { totalSec: 7.4 })).toEqual([
    { startSec: 0.85, endSec: 3.15 },
    { startSec: 4.85, endSec: 7.4 },
  ]);
  expect(removeSilences(pauses, { totalSec: 9 }).at(-1)).toEqual({ startSec: 4.85, endSec: 7.15 });
  expect(removeSilences(pauses, { totalSec: 7.4, longerThanSec: 3 })).toEqual([{ startSec: 0, endSec: 7.4 }]);
  expect(removeSilences({ words: [] }, { totalSec: 5 })).toEqual([{ startSec: 0, endSec: 5 }]);
  expect(() => removeSilences(pauses, { totalSec: 5, keepSec: 1 })).toThrow(/keepSec/);
});

test('sounds of thinking and starts said again are listed; emphasis is not', () => {
  const transcript = spoken(
    'Um, I think, I think we were, uh, we were very very happy. No, no. The the end, umbrella.',
  );
  expect(findFillers(transcript).map(({ kind, text }) => [kind, text])).toEqual([
    ['sound', 'Um,'],
    ['repeat', 'I think,'],
    ['repeat', 'we were,'],
    ['sound', 'uh,'],
    ['repeat', 'The'],
  ]);
});

test('a start that somebody else says again, or much later, is none', () => {
  expect(findFillers(spoken('A: We go B: we go'))).toEqual([]);
  expect(findFillers(spoken('we go | | we go'))).toEqual([]);
});

test('only the fillers that were agreed to are removed', () => {
  const transcript = { words: [at(0, 1, 'So'), at(1.2, 1.6, 'um'), at(1.7, 2, 'we'), at(2.1, 3, 'go')] };
  const fillers = findFillers(transcript);
  expect(removeFillers(transcript, [], 4)).toEqual([{ startSec: 0, endSec: 4 }]);
  expect(removeFillers(transcript, fillers, 4)).toEqual([
    { startSec: 0, endSec: 1.2 },
    { startSec: 1.7, endSec: 4 },
  ]);
});

const dull = 'we walk | down the road | and then we stop. | '.repeat(12);
const lively = `Why does nobody talk about this? ${'Because it is hard and everybody knows it very well. '.repeat(7)}`;

test('clips begin and end with sentences, last 20–90 s, and the liveliest comes first', () => {
  const transcript = spoken(`${dull} | | ${lively} | | ${dull}`, 12);
  const clips = suggestClips(transcript);
  expect(clips[0]!.text).toMatch(/^Why does nobody/);
  expect(clips[0]!.reasons.question).toBe(1);
  expect(clips.length).toBeGreaterThan(1);
  for (const { firstWord, lastWord, startSec, endSec } of clips) {
    expect(transcript.words[lastWord]!.word).toMatch(/[.?]$/);
    if (firstWord)
      expect(transcript.words[firstWord]!.start - transcript.words[firstWord - 1]!.end).toBeGreaterThan(0);
    expect(endSec - startSec).toBeGreaterThanOrEqual(20);
    expect(endSec - startSec).toBeLessThanOrEqual(90.3);
  }
  const inOrder = [...clips].sort((a, b) => a.startSec - b.startSec);
  for (const [i, clip] of inOrder.slice(1).entries())
    expect(clip.firstWord).toBeGreaterThan(inOrder[i]!.lastWord);
});

test('speech that is seen comes before speech that is not', () => {
  const transcript = spoken(`${lively} | | ${lively}`, 12);
  const second = transcript.words.length / 2;
  const scores = transcript.words.slice(second).map(({ start, end }) => ({
    timestamp: (start + end) / 2,
    frame_number: 0,
    score: 1,
    speaking: true,
  }));
  const track = { face_id: 0, first_seen: 0, last_seen: 99, speaking_fraction: 1, scores };
  const faces = {
    model: 'active_speaker',
    video_fps: 25,
    total_frames: 1,
    track_count: 1,
    tracks: [track],
  } as const;
  const [best] = suggestClips(transcript, { faces: { ...faces, tracks: [...faces.tracks] } });
  expect(best!.firstWord).toBeGreaterThanOrEqual(second);
});

test('too little talk makes no clip', () => expect(suggestClips(spoken('Hello there.'))).toEqual([]));
