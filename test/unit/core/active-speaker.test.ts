import * as v from 'valibot';
import { expect, test } from 'vitest';
import { mulberry32 } from '../../../bench/harness/random.js';
import { decideSpeakers } from '../../../src/core/active-speaker.js';
import { toActiveSpeaker } from '../../../src/core/active-speaker-result.js';
import {
  type SpeakerCandidate,
  type SpeakerEvidence,
  sliceEvidence,
  voiceSize,
  voiceStepSec,
} from '../../../src/core/speaker-evidence.js';
import { activeSpeakerSchema } from '../../../src/schema/result.js';

type Level = { readonly score: number; readonly shifted?: number };
const seconds = 6;
/** A face over the whole scene whose measurements are given per second. */
const face = (faceId: number, levels: readonly Level[], rateHz = 25): SpeakerCandidate => {
  const perFrame = (pick: (level: Level) => number) =>
    Float32Array.from({ length: seconds * 25 }, (_, i) => pick(levels[Math.floor(i / 25) % levels.length]!));
  return {
    faceId,
    frames: Array.from({ length: seconds * rateHz }, (_, i) => ({ frameNumber: i, timeSec: i / rateHz })),
    evidence: {
      firstGridFrame: 0,
      score: perFrame(l => l.score),
      shifted: perFrame(l => l.shifted ?? l.score),
      lips: new Float32Array(0),
    },
  };
};
const scene = (
  candidates: readonly SpeakerCandidate[],
  heard: (sec: number) => boolean = () => true,
): SpeakerEvidence => ({
  candidates,
  originSec: 0,
  shots: [{ startSec: 0, endSec: seconds }],
  speech: {
    originSec: 0,
    stepSec: 0.032,
    values: Float32Array.from({ length: Math.ceil(seconds / 0.032) }, (_, i) =>
      heard(i * 0.032) ? 0.9 : 0.05,
    ),
  },
});
/** Share of each second in which each face speaks. */
const talk = (evidence: SpeakerEvidence) =>
  decideSpeakers(evidence).map(({ speaking }) =>
    Array.from({ length: seconds }, (_, sec) => {
      const part = speaking.subarray(
        (sec * speaking.length) / seconds,
        ((sec + 1) * speaking.length) / seconds,
      );
      return Math.round((10 * part.reduce((a, b) => a + b, 0)) / part.length) / 10;
    }),
  );
const [loud, shut] = [{ score: 2.5 }, { score: -3 }];

test('without speech nobody speaks, however much mouths move', () => {
  expect(
    talk(scene([face(1, [loud]), face(2, [loud])], () => false))
      .flat()
      .some(Boolean),
  ).toBe(false);
  const { speech: _, ...silent } = scene([face(1, [loud])]);
  expect(talk(silent).flat().some(Boolean)).toBe(false);
});

test('turns go to the face that talks', () => {
  const turns = (first: boolean) => [0, 1, 2, 3, 4, 5].map(s => (s < 3 === first ? loud : shut));
  const [a, b] = talk(scene([face(1, turns(true)), face(2, turns(false))]));
  expect(a).toEqual([1, 1, 1, 0, 0, 0]);
  expect(b).toEqual([0, 0, 0, 1, 1, 1]);
});

test('of two moving mouths the one that fits the sound speaks, alone', () => {
  const own = { score: 2, shifted: 0.5 };
  const foreign = { score: 2.4, shifted: 2.6 };
  expect(talk(scene([face(1, [own]), face(2, [foreign])]))).toEqual([
    [1, 1, 1, 1, 1, 1],
    [0, 0, 0, 0, 0, 0],
  ]);
});

test('a voice over shut mouths belongs to nobody', () => {
  expect(
    talk(scene([face(1, [shut]), face(2, [shut])]))
      .flat()
      .some(Boolean),
  ).toBe(false);
  expect(
    talk(scene([face(1, [shut])]))
      .flat()
      .some(Boolean),
  ).toBe(false);
});

test('a moment of doubt does not interrupt a turn', () => {
  const doubtful = face(1, [loud]);
  doubtful.evidence.score.fill(-1.5, 60, 66);
  expect(talk(scene([doubtful]))).toEqual([[1, 1, 1, 1, 1, 1]]);
});

/** A voice like no other, with what one piece differs from the next by. */
function voiceOf(person: number, piece: number): number[] {
  const [own, noise] = [mulberry32(person), mulberry32(99 * person + piece)];
  const raw = Array.from({ length: voiceSize }, () => own() - 0.5 + 0.3 * (noise() - 0.5));
  return raw.map(value => Math.round((127 * value) / Math.hypot(...raw)));
}
const voices = (personAt: (sec: number) => number) =>
  Int8Array.from(
    Array.from({ length: Math.floor(seconds / voiceStepSec) - 1 }, (_, piece) =>
      voiceOf(personAt((piece + 1) * voiceStepSec), piece),
    ).flat(),
  );
const unsure = { score: 0.8 };
/** Two turns that are plain, then two mouths that move alike. */
const likeMouths = [
  face(1, [loud, loud, shut, shut, unsure, unsure]),
  face(2, [shut, shut, loud, loud, unsure, unsure]),
];

test.each([1, 2])('where two mouths move alike, the face whose voice it is speaks: %i', person => {
  const heard = voices(sec => (sec < 2 ? 1 : sec < 4 ? 2 : person));
  const decisions = talk({
    ...scene(likeMouths),
    sound: { lips: new Float32Array(0), voices: heard },
  });
  const [owner, other] = person === 1 ? decisions : [...decisions].reverse();
  // Not the second before: pieces of sound that lie over the change hold two voices.
  expect(owner![5]).toBe(1);
  expect(other![5]).toBe(0);
});

test('confidence says how sure it is, and adds up to no more than one voice', () => {
  const sure = decideSpeakers(scene([face(1, [loud]), face(2, [shut])]));
  const torn = decideSpeakers(scene([face(1, [loud]), face(2, [loud])]));
  expect(sure[0]!.confidence[75]).toBeGreaterThan(0.9);
  expect(sure[1]!.confidence[75]).toBeLessThan(0.1);
  expect(torn[0]!.confidence[75]).toBeCloseTo(torn[1]!.confidence[75]!, 6);
  expect(torn[0]!.confidence[75]! + torn[1]!.confidence[75]!).toBeLessThanOrEqual(1);
});

test('each shot is decided on its own', () => {
  const all = face(1, [loud]);
  const part = (candidate: SpeakerCandidate, from: number, to: number): SpeakerCandidate => ({
    ...candidate,
    frames: candidate.frames.slice(from, to),
    evidence: sliceEvidence(candidate.evidence, from, to),
  });
  const decisions = decideSpeakers({
    ...scene([part(all, 0, 75), part(face(2, [{ score: 1 }]), 75, 150)]),
    shots: [
      { startSec: 0, endSec: 3 },
      { startSec: 3, endSec: seconds },
    ],
  });
  expect(decisions.map(d => d.speaking.every(Boolean))).toEqual([true, true]);
});

test('the result follows the service’s layout, at the source’s frame rate, stretches of a face in one track', () => {
  const decisions = decideSpeakers(scene([face(7, [loud], 30), face(9, [shut], 30)]));
  const again = {
    ...decisions[0]!,
    frames: decisions[0]!.frames.map(f => ({ ...f, frameNumber: f.frameNumber + 180 })),
  };
  const result = toActiveSpeaker([...decisions, again], { frameRateHz: 30, totalFrames: 360 });
  expect(v.parse(activeSpeakerSchema, result)).toEqual(result);
  expect(result.tracks.map(t => [t.face_id, t.scores.length, t.speaking_fraction])).toEqual([
    [7, 360, 1],
    [9, 180, 0],
  ]);
  expect(result.tracks[0]!.scores[100]).toMatchObject({ frame_number: 100, score: 2.5, speaking: true });
});

test('scores are linear between grid frames', () => {
  const ramp = face(1, [{ score: 0 }], 50);
  ramp.evidence.score.forEach((_, i, values) => {
    values[i] = i;
  });
  const [decision] = decideSpeakers(scene([ramp]));
  expect(decision!.score[101]).toBeCloseTo(50.5, 5);
});
