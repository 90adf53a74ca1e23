import { expect, test } from 'vitest';
import { voiceSize } from '../../../src/core/speaker-evidence.js';
import { sameVoice, voiceStretches } from '../../../src/core/voices.js';

/** Repeatable noise about −1…1. */
const noise = (i: number) => {
  const value = Math.sin(i * 12.9898) * 43_758.5453;
  return 2 * (value - Math.floor(value)) - 1;
};
/** Rows of a speaker: another mean and spread per component, changing from row to row. */
const voiceOf = (speaker: number, rows: number, seed: number) =>
  Array.from({ length: rows * voiceSize }, (_, i) => {
    const k = i % voiceSize;
    return Math.round(
      15 * Math.sin(speaker * (k + 1)) + (10 + 4 * Math.cos(speaker + k)) * 1.7 * noise(i + seed),
    );
  });
const soundOf = (...parts: number[][]) => ({
  lips: new Float32Array(0),
  voice: Int8Array.from(parts.flat()),
});
const alwaysSpeech = (rows: number) => ({
  originSec: 0,
  stepSec: 0.032,
  values: new Float32Array(Math.ceil(rows / 3.2)).fill(1),
});

test('speech is divided where the voice changes', () => {
  const stretches = voiceStretches(
    soundOf(voiceOf(1, 300, 0), voiceOf(2, 250, 9000), voiceOf(1, 300, 20_000)),
    alwaysSpeech(850),
  );
  const changes = stretches.slice(1).map(s => s.begin / 25);
  expect(changes).toHaveLength(2);
  expect(Math.abs(changes[0]! - 3)).toBeLessThan(0.15);
  expect(Math.abs(changes[1]! - 5.5)).toBeLessThan(0.15);
  const [a, b, c] = stretches.map(s => s.rows);
  expect(sameVoice(a!, c!)).toBeGreaterThan(0.5);
  expect(sameVoice(a!, b!)).toBeLessThan(-0.5);
});

test('one steady voice stays whole, and silence divides it', () => {
  const sound = soundOf(voiceOf(1, 600, 0));
  expect(voiceStretches(sound, alwaysSpeech(600))).toHaveLength(1);
  const speech = alwaysSpeech(600);
  speech.values.fill(0, 80, 100);
  const [before, after] = voiceStretches(sound, speech);
  expect(before!.end / 25).toBeCloseTo(2.56, 1);
  expect(after!.begin / 25).toBeCloseTo(3.2, 1);
});

test('pieces too short to tell are undecided', () => {
  const piece = (speaker: number) => Float64Array.from(voiceOf(speaker, 15, 0));
  expect(sameVoice(piece(1), piece(2))).toBe(0);
});

test('no speech, no stretches', () => {
  const speech = alwaysSpeech(300);
  speech.values.fill(0);
  expect(voiceStretches(soundOf(voiceOf(1, 300, 0)), speech)).toEqual([]);
});
