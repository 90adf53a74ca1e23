import { expect, test } from 'vitest';
import { mulberry32 } from '../../../bench/harness/random.js';
import { enrolVoices, type VoicePiece } from '../../../src/core/enrol-voices.js';
import { voiceSize } from '../../../src/core/speaker-evidence.js';

/** A piece of one of several voices, never the same twice. */
function voiceOf(person: number, piece: number): Int8Array {
  const [own, noise] = [mulberry32(person), mulberry32(1000 * person + piece + 7)];
  const raw = Float64Array.from({ length: voiceSize }, () => own() - 0.5 + 0.3 * (noise() - 0.5));
  const norm = Math.hypot(...raw);
  return Int8Array.from(raw, value => Math.round((127 * value) / norm));
}
/** Pieces two steps apart, which share no sound; owners as given. */
const pieces = (rows: readonly { person: number; owners: Record<number, number> }[]): VoicePiece[] =>
  rows.map(({ person, owners }, i) => ({
    index: 2 * i,
    voice: voiceOf(person, i),
    speechSec: 1.5,
    owners: new Map(Object.entries(owners).map(([face, p]) => [Number(face), p])),
  }));
const sure = (face: number) => (face === 1 ? { 1: 1, 2: 0 } : { 1: 0, 2: 1 });
const doubt = { 1: 0.5, 2: 0.5 };

test('a piece of which nobody knows whose it is fits the face whose voice it is', () => {
  const turns = [1, 1, 2, 2].map(person => ({ person, owners: sure(person) }));
  const [first, second] = enrolVoices(
    pieces([...turns, { person: 1, owners: doubt }, { person: 2, owners: doubt }]),
  ).slice(-2);
  expect(first!.get(1)).toBeGreaterThan(0.5);
  expect(first!.get(2)).toBeLessThan(-1);
  expect(second!.get(1)).toBeLessThan(-1);
  expect(second!.get(2)).toBeGreaterThan(0.5);
});

test('a stranger’s voice fits no face', () => {
  const turns = [1, 1, 2, 2].map(person => ({ person, owners: sure(person) }));
  const ratios = enrolVoices(pieces([...turns, { person: 3, owners: doubt }])).at(-1)!;
  for (const face of [1, 2]) expect(ratios.get(face)).toBeLessThan(-1);
});

test('without a sure turn nothing is said of a face', () => {
  const ratios = enrolVoices(pieces([1, 1, 2].map(person => ({ person, owners: { ...sure(1), 2: 0.4 } }))));
  expect(ratios.map(of => of.has(2))).toEqual([false, false, false]);
});

test('a piece does not speak for itself, nor does its neighbour', () => {
  // Face 1 is sure of two pieces that share sound and are another voice's than its own.
  const [wrong, overlapping, ...own] = pieces([2, 2, 1, 1, 1].map(person => ({ person, owners: sure(1) })));
  const ratios = enrolVoices([
    wrong!,
    { ...overlapping!, index: 1 },
    ...own.map((p, i) => ({ ...p, index: 10 + 2 * i })),
  ]);
  for (const of of ratios.slice(0, 2)) expect(of.get(1)).toBeLessThan(-1);
});
