import { expect, test } from 'vitest';
import { voiceOf } from '../../../../src/core/diarization/cluster-voices.js';
import { type DescribedLook, findPeople as find } from '../../../../src/core/people/find-people.js';
import type { FaceTrack } from '../../../../src/core/tracks.js';

type Who = 'ann' | 'bob' | 'cid';
/** A direction for each person, a little of the moment, and `far` to one side. */
const descriptorOf = (who: Who, moment: number, far = 0) =>
  Float32Array.from({ length: 128 }, (_, i) => {
    const own = Math.sin(i * { ann: 0.7, bob: 1.9, cid: 2.6 }[who]) / 12;
    return own + 0.012 * Math.sin(i * 1.3 + moment) + (i === 5 ? far : 0);
  });

type Voices = Parameters<typeof find>[1]['voices'];
const findPeople = (
  faces: readonly FaceTrack[],
  looks: readonly DescribedLook[],
  voices: Voices = new Map(),
) => find(faces, { looks, voices });

const box = { x: 100, y: 100, width: 100, height: 120 };
const at = (frameNumber: number, x = 100) => ({ frameNumber, timeSec: frameNumber / 25, ...box, x });
const track = (faceId: number, from: number, to: number, x = 100): FaceTrack => ({
  faceId,
  boxes: Array.from({ length: to - from }, (_, i) => ({ ...at(from + i, x), confidence: 0.9 })),
});
const look = (who: Who, frame: number, { x = 100, quality = 0.8, far = 0 } = {}): DescribedLook => ({
  ...at(frame, x),
  quality,
  descriptor: descriptorOf(who, frame, far),
});

const cuts = [track(0, 0, 50), track(1, 50, 100), track(2, 100, 150), track(3, 150, 200)];

test('faces of one person have one number, over cuts', () => {
  const looks = [look('ann', 10), look('ann', 40), look('bob', 60), look('ann', 120), look('bob', 170)];
  const people = findPeople(cuts, looks);
  expect([...people].map(([face, { personId }]) => [face, personId])).toEqual([
    [0, 0],
    [1, 1],
    [2, 0],
    [3, 1],
  ]);
  for (const { confidence } of people.values()) expect(confidence).toBeGreaterThan(0.95);
});

test('the number of a person is no face’s of which nothing is known', () => {
  const people = findPeople(cuts, [look('bob', 60), look('bob', 170), look('ann', 120, { quality: 0.02 })]);
  expect([...people].map(([face, { personId }]) => [face, personId])).toEqual([
    [1, 1],
    [3, 1],
  ]);
});

test('two faces in one frame are two people, however alike they look', () => {
  const faces = [track(0, 0, 50, 100), track(1, 40, 80, 400), track(2, 80, 120, 250)];
  const twins = [look('ann', 20), look('ann', 60, { x: 400 }), look('ann', 100, { x: 250 })];
  const people = findPeople(faces, twins);
  expect(people.get(0)!.personId).not.toBe(people.get(1)!.personId);
  // Whoever comes later is one of both, and it is in doubt which.
  expect([0, 1]).toContain(people.get(2)!.personId);
  expect(people.get(2)!.confidence).toBeLessThan(0.9);
  // They are surely two while both are in sight.
  const both = findPeople(faces.slice(0, 2), twins);
  for (const { confidence } of both.values()) expect(confidence).toBeGreaterThan(0.99);
});

test('people who look a little alike stay two, however often each is seen', () => {
  const faces = Array.from({ length: 40 }, (_, i) => track(i, 10 * i, 10 * i + 10));
  // Each person's faces differ, and those of both by a little more than one person's do.
  const looks = faces.map(({ faceId }) => {
    const plain = look('ann', 10 * faceId + 5);
    const descriptor = plain.descriptor.map(
      (value, i) => value + 0.027 * Math.sin(i * (faceId + 3) * 1.7) + (i === 5 && faceId % 2 ? 0.4 : 0),
    );
    return { ...plain, descriptor };
  });
  const people = findPeople(faces, looks);
  expect(new Set([...people.values()].map(({ personId }) => personId))).toEqual(new Set([0, 1]));
  for (const [face, { personId }] of people) expect(personId).toBe(face % 2);
});

test('the less two faces look alike, the less sure it is that they are one', () => {
  const confidence = (far: number) => findPeople(cuts, [look('ann', 10), look('ann', 60, { far })]).get(1)!;
  const [near, between, away] = [confidence(0), confidence(0.42), confidence(0.6)];
  expect([near.personId, between.personId, away.personId]).toEqual([0, 0, 1]);
  expect(near.confidence).toBeGreaterThan(between.confidence);
  expect(between.confidence).toBeGreaterThan(0.8);
  expect(away.confidence).toBeGreaterThan(0.99);
});

/** Two seconds of a voice. */
const voice = (pitch: number) =>
  voiceOf(
    Float64Array.from({ length: 96 }, (_, i) => Math.sin(i * pitch)),
    2,
  );

test('a voice decides where faces are in doubt, and only there', () => {
  const told = (far: number, pitches: readonly number[]) => {
    const looks = [look('ann', 10), look('ann', 60, { far })];
    const people = findPeople(cuts, looks, new Map(pitches.map((pitch, face) => [face, voice(pitch)])));
    return people.get(0)!.personId === people.get(1)!.personId;
  };
  const [one, two] = [
    [0.7, 0.7],
    [0.7, 1.9],
  ];
  expect([told(0.44, one), told(0.44, two)]).toEqual([true, false]);
  expect([told(0.48, []), told(0.48, one)]).toEqual([false, true]);
  // Faces that are surely one person's, or surely two people's.
  expect([told(0.2, two), told(0.6, one)]).toEqual([true, false]);
});

test('a look belongs to the face that it overlaps most', () => {
  const faces = [track(0, 0, 50, 100), track(1, 0, 50, 150), track(2, 60, 90, 300)];
  const looks = [look('ann', 10, { x: 102 }), look('bob', 10, { x: 149 }), look('bob', 70, { x: 300 })];
  const people = findPeople(faces, looks);
  expect(people.get(2)!.personId).toBe(1);
  // What is nowhere near a face is nobody's.
  expect(findPeople(faces, [look('ann', 10, { x: 500 })]).size).toBe(0);
});

test('a face that nobody heard is one with those that were, whatever the size of a voice', () => {
  const looks = [look('ann', 10), look('ann', 60), look('ann', 120), look('bob', 170)];
  const voice = (seed: number) =>
    voiceOf(
      Float64Array.from({ length: 192 }, (_, i) => Math.sin(seed * i)),
      3,
    );
  const people = findPeople(
    cuts,
    looks,
    new Map([
      [1, voice(1)],
      [2, voice(1)],
      [3, voice(2)],
    ]),
  );
  expect([...people.values()].map(({ personId }) => personId)).toEqual([0, 0, 0, 3]);
  for (const { confidence } of people.values()) expect(confidence).toBeGreaterThan(0.95);
});
