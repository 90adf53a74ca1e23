import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedSpeakerPack } from '../../../../../bench/harness/clips.js';
import { readTracks } from '../../../../../bench/models/speakers/speaker-pack.js';
import { castOf, type PackedTrack } from '../../../../../bench/quality/mixes/cast.js';
import { mixesOf } from '../../../../../bench/quality/mixes/mix.js';
import { names, tinyPack } from './tiny-cast.js';

test('nobody who has any trained track is cast, by whatever split the other tracks are', () => {
  const cast = castOf([...tinyPack(['a', 'b', 'c']), ...tinyPack(['b', 'd'], 'train')]);
  expect(cast.map(({ id }) => id).sort()).toEqual(['a', 'c']);
});

test('generated faces are left out', () => {
  const [real, made] = tinyPack(['a', 'b']);
  expect(castOf([real!, { ...made!, generated: 'lip-sync' }]).map(({ id }) => id)).toEqual(['a']);
});

test('people of one group are in one half, and both halves have as much to say', () => {
  const tracks = tinyPack(names(12)).map((track, i) => ({ ...track, group: i < 2 ? 'pair' : track.group }));
  const cast = castOf(tracks);
  const pair = cast.filter(({ group }) => group === 'pair');
  expect(new Set(pair.map(({ half }) => half)).size).toBe(1);
  const said = (name: string) =>
    cast
      .filter(({ half }) => half === name)
      .flatMap(({ talks }) => talks)
      .reduce((sum, { from, to }) => sum + to - from, 0);
  expect(Math.abs(said('tune') - said('judge'))).toBeLessThan(130);
});

test('speech ends at a pause and begins and ends with a spoken frame; rest is what is labelled quiet', () => {
  const label = [0, 0, ...ones(20), -1, -1, ...ones(20), ...new Array<number>(15).fill(0), ...ones(5)];
  const [track] = tinyPack(['a']) as [PackedTrack];
  const [person] = castOf([{ ...track, label, vad: label }]);
  expect(person!.talks).toEqual([{ track: 'a_val', from: 2, to: 44 }]);
  expect(person!.quiet).toEqual([{ track: 'a_val', from: 44, to: 59 }]);
});

describe.skipIf(!hasShared() || !existsSync(sharedSpeakerPack))('with the pack of ../shared', () => {
  const tracks = hasShared() ? (readTracks(sharedSpeakerPack) as PackedTrack[]) : [];
  const cast = castOf(tracks);
  const trained = new Set(tracks.flatMap(({ split, person }) => (split === 'train' ? [person] : [])));

  test('no mix shows or sounds anybody of the trained split, nor any of their tracks', () => {
    const mixes = [...mixesOf(cast, 'tune'), ...mixesOf(cast, 'judge')];
    const people = mixes.flatMap(({ turns, shots }) => [
      ...turns.map(({ person }) => person),
      ...shots.flatMap(({ panels }) => panels.map(({ person }) => person)),
    ]);
    expect(people.filter(person => trained.has(person))).toEqual([]);
    const used = new Set([
      ...mixes.flatMap(({ turns }) => turns.map(({ source }) => source.track)),
      ...cast.flatMap(({ quiet, held }) => [...quiet, held].map(({ track }) => track)),
    ]);
    expect(tracks.filter(({ id, split }) => split === 'train' && used.has(id))).toEqual([]);
  });

  test('forty clips or more, and nobody of the judging half in the tuning half', () => {
    const [tune, judge] = [mixesOf(cast, 'tune'), mixesOf(cast, 'judge')];
    expect(tune.length + judge.length).toBeGreaterThanOrEqual(40);
    const peopleOf = (mixes: typeof tune) =>
      new Set(
        mixes.flatMap(({ turns, shots }) => [
          ...turns.map(({ person }) => person),
          ...shots.flatMap(({ panels }) => panels.map(({ person }) => person)),
        ]),
      );
    expect([...peopleOf(tune)].filter(person => peopleOf(judge).has(person))).toEqual([]);
  });
});

function ones(count: number): number[] {
  return new Array<number>(count).fill(1);
}
