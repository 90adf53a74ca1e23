import { expect, test } from 'vitest';
import { marginChunks, nextSpeechPiece } from '../../../src/core/speech-pieces.js';

/** Chunks of speech and silence: `[count, probability]` after one another. */
const curve = (...runs: (readonly [number, number])[]) =>
  Float32Array.from(runs.flatMap(([count, value]) => Array.from({ length: count }, () => value)));
const longest = 312;

test('silence before speech is done with but for a margin, then speech up to a pause, with a margin', () => {
  const speech = curve([20, 0], [30, 0.9], [60, 0]);
  const silent = 20 - marginChunks;
  expect(nextSpeechPiece(speech, longest, false)).toEqual({ isSpeech: false, done: silent });
  const rest = speech.subarray(silent);
  expect(nextSpeechPiece(rest, longest, false)).toEqual({ isSpeech: true, done: 30 + 2 * marginChunks });
});

test('a short pause does not end a piece', () => {
  const speech = curve([30, 0.9], [10, 0], [30, 0.9], [30, 0]);
  expect(nextSpeechPiece(speech, longest, false)).toEqual({ isSpeech: true, done: 70 + marginChunks });
});

test('speech without a pause is cut where it is quietest, late in the longest piece', () => {
  const speech = curve([100, 0.9], [1, 0.4], [150, 0.9], [2, 0.5], [200, 0.9]);
  expect(nextSpeechPiece(speech, longest, false)).toEqual({ isSpeech: true, done: 253 });
});

test('it waits until it knows where a piece ends, or that nothing follows', () => {
  const speech = curve([30, 0.9], [10, 0]);
  expect(nextSpeechPiece(speech, longest, false)).toBeUndefined();
  expect(nextSpeechPiece(speech, longest, true)).toEqual({ isSpeech: true, done: 30 + marginChunks });
});

test('silence is done with but for a margin; a click is no speech', () => {
  expect(nextSpeechPiece(curve([100, 0.1]), longest, false)).toEqual({
    isSpeech: false,
    done: 100 - marginChunks,
  });
  expect(nextSpeechPiece(curve([100, 0.1]), longest, true)).toEqual({ isSpeech: false, done: 100 });
  expect(nextSpeechPiece(curve([3, 0.1]), longest, false)).toBeUndefined();
  const click = curve([2, 0.9], [40, 0]);
  expect(nextSpeechPiece(click, longest, false)).toEqual({ isSpeech: false, done: 2 + marginChunks });
});
