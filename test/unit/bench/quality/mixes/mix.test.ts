import { describe, expect, test } from 'vitest';
import { castOf } from '../../../../../bench/quality/mixes/cast.js';
import { cuesAt } from '../../../../../bench/quality/mixes/footage.js';
import { frameRateHz } from '../../../../../bench/quality/mixes/layout.js';
import { kinds, type Mix, mixesOf } from '../../../../../bench/quality/mixes/mix.js';
import { truthOf } from '../../../../../bench/quality/mixes/truth.js';
import { endOf, type Turn } from '../../../../../bench/quality/mixes/turns.js';
import { names, tinyPack } from './tiny-cast.js';

const cast = castOf(tinyPack(names(24)));
const mixes = [...mixesOf(cast, 'tune'), ...mixesOf(cast, 'judge')];
const ofKind = (kind: string) => mixes.filter(mix => mix.kind === kind);
const seenIn = ({ shots }: Mix) => new Set(shots.flatMap(({ panels }) => panels.map(({ person }) => person)));
const overlap = (a: Turn, b: Turn) => Math.min(endOf(a), endOf(b)) - Math.max(a.from, b.from);

test('the same seed gives the same mixes, another half others', () => {
  expect(mixesOf(cast, 'tune')).toEqual(mixesOf(cast, 'tune'));
  expect(mixesOf(cast, 'tune').map(({ turns }) => turns)).not.toEqual(
    mixesOf(cast, 'judge').map(({ turns }) => turns),
  );
});

test('every kind is in both halves, and names are unique', () => {
  for (const half of ['tune', 'judge'] as const)
    expect(new Set(mixesOf(cast, half).map(({ kind }) => kind))).toEqual(new Set(kinds));
  expect(new Set(mixes.map(({ name }) => name)).size).toBe(mixes.length);
});

describe.each(mixes.map(mix => [mix.name, mix] as const))('%s', (_name, mix) => {
  test('turns lie inside of the clip, and a mouth does one thing at a time', () => {
    expect(mix.turns.length).toBeGreaterThan(1);
    for (const turn of mix.turns) {
      expect(turn.from).toBeGreaterThanOrEqual(0);
      expect(endOf(turn)).toBeLessThanOrEqual(mix.frames);
      for (const other of mix.turns)
        if (other !== turn && other.person === turn.person)
          expect(overlap(turn, other)).toBeLessThanOrEqual(0);
    }
  });

  test('a turn is footage of speech by its person', () => {
    for (const { person, frames, source } of mix.turns) {
      const { talks } = cast.find(({ id }) => id === person)!;
      expect(
        talks.some(
          ({ track, from, to }) =>
            track === source.track && from <= source.from && source.from + frames <= to,
        ),
      ).toBe(true);
    }
  });

  test('faces are 30 to 200 px high and fit their panels', () => {
    for (const { area, facePx } of mix.shots.flatMap(({ panels }) => panels)) {
      expect(facePx).toBeGreaterThanOrEqual(30);
      expect(facePx).toBeLessThanOrEqual(200);
      expect(facePx).toBeLessThan(0.75 * area.width);
      expect(facePx).toBeLessThan(0.62 * area.height);
    }
  });

  test('the truth says who is heard when, and whether they are seen', () => {
    const { speech, pauses, shots, duration } = truthOf(mix);
    expect(duration).toBe(mix.frames / frameRateHz);
    for (let frame = 0; frame < mix.frames; frame++) {
      const sec = (frame + 0.5) / frameRateHz;
      if (pauses.some(([start, end]) => start <= sec && sec < end)) continue;
      const shot = mix.shots.find(({ from, to }) => from <= frame && frame < to)!;
      const heard = mix.turns
        .filter(turn => turn.heard && turn.from <= frame && frame < endOf(turn))
        .map(({ person }) => ({
          id: person,
          visible: shot.panels.some(panel => panel.person === person && !panel.isPhoto),
        }));
      const told = speech
        .filter(({ start, end }) => start <= sec && sec < end)
        .map(({ id, visible }) => ({ id, visible }));
      const sorted = (list: typeof told) => list.sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(sorted(told)).toEqual(sorted(heard));
    }
    expect(shots.map(({ faces }) => faces.length)).toEqual(mix.shots.map(({ panels }) => panels.length));
  });
});

test('turn taking leaves half a second of overlap to a second of silence', () => {
  for (const { turns } of ofKind('two-up turns'))
    for (const [i, turn] of turns.slice(1).entries()) {
      const gap = turn.from - endOf(turns[i]!);
      expect(gap).toBeGreaterThanOrEqual(-12);
      expect(gap).toBeLessThanOrEqual(25);
    }
});

test('an interjection is short and inside of somebody else’s turn', () => {
  for (const { turns } of ofKind('two-up interjections')) {
    const inside = turns.filter(turn =>
      turns.some(
        other => other.person !== turn.person && other.from < turn.from && endOf(turn) < endOf(other),
      ),
    );
    expect(inside.length).toBeGreaterThan(0);
    for (const { frames } of inside) expect(frames).toBeLessThanOrEqual(20);
  }
});

test('who talks over somebody does so for a second', () => {
  for (const { turns } of ofKind('two-up overlap')) {
    const long = turns.filter(turn =>
      turns.some(other => other.person !== turn.person && overlap(turn, other) >= 25),
    );
    expect(long.length).toBeGreaterThanOrEqual(2);
  }
});

test('a dubbed mouth moves beside a voice that is heard, and is not in the truth', () => {
  for (const mix of [...ofKind('dub'), ...ofKind('three-up dub'), ...ofKind('off-screen dub')]) {
    const dubbed = mix.turns.filter(({ heard }) => !heard);
    expect(dubbed.length).toBeGreaterThan(0);
    for (const turn of dubbed) {
      expect(seenIn(mix)).toContain(turn.person);
      expect(mix.turns.some(other => other.heard && overlap(turn, other) > 0)).toBe(true);
    }
    expect(truthOf(mix).speech).toHaveLength(mix.turns.length - dubbed.length);
  }
});

test('somebody off screen speaks, whose photo is not seen either', () => {
  for (const mix of [...ofKind('off-screen voice'), ...ofKind('off-screen dub'), ...ofKind('still photo')])
    expect(mix.turns.some(({ person }) => !seenIn(mix).has(person))).toBe(true);
});

test('a photo shows somebody who can talk and says nothing', () => {
  for (const mix of ofKind('still photo')) {
    const photos = mix.shots.flatMap(({ panels }) => panels.filter(({ isPhoto }) => isPhoto));
    expect(photos).toHaveLength(1);
    expect(mix.turns.map(({ person }) => person)).not.toContain(photos[0]!.person);
    expect(truthOf(mix).shots[0]!.faces.map(({ id }) => id)).toContain(`photo of ${photos[0]!.person}`);
  }
});

test('sound is moved by two to eight frames, of all faces or of one, and what only mouth or voice does is a pause', () => {
  const moved = ofKind('moved sound');
  expect(new Set(moved.map(({ soundLagFrames }) => Object.keys(soundLagFrames).length))).toEqual(
    new Set([1, 2]),
  );
  for (const mix of moved) {
    const [lag] = Object.values(mix.soundLagFrames);
    expect(Math.abs(lag!)).toBeGreaterThanOrEqual(2);
    expect(Math.abs(lag!)).toBeLessThanOrEqual(8);
    const turn = mix.turns.find(({ person }) => person in mix.soundLagFrames)!;
    const { speech, pauses, sound_lag_frames } = truthOf(mix);
    expect(sound_lag_frames).toEqual(mix.soundLagFrames);
    const [from, to] = [turn.from + Math.min(0, lag!), endOf(turn) + Math.max(0, lag!)];
    expect(speech).toContainEqual({
      id: turn.person,
      start: Math.max(0, from) / frameRateHz,
      end: to / frameRateHz,
      visible: true,
    });
    expect(pauses).toContainEqual([(to - Math.abs(lag!)) / frameRateHz, to / frameRateHz]);
  }
});

test('a cut shows one face at a time and comes while somebody else talks', () => {
  for (const mix of ofKind('cut to listener')) {
    expect(mix.shots.length).toBeGreaterThan(1);
    for (const { panels } of mix.shots) expect(panels).toHaveLength(1);
    expect(truthOf(mix).cuts.map(({ frame }) => frame)).toEqual(mix.shots.slice(1).map(({ from }) => from));
  }
  const voices = ofKind('cut to listener').flatMap(mix => truthOf(mix).speech);
  expect(voices.some(({ visible }) => !visible)).toBe(true);
});

test('the picture is the footage of a turn, else quiet footage there and back; they dissolve next to a turn', () => {
  const [person] = cast;
  const [quiet] = person!.quiet;
  const turn: Turn = {
    person: person!.id,
    from: 100,
    frames: 20,
    source: { track: 'talking', from: 7 },
    heard: true,
  };
  const at = (frame: number) => cuesAt(person!, [turn], frame);
  expect(at(100)).toEqual([{ track: 'talking', frame: 7, share: 1 }]);
  expect(at(119)).toEqual([{ track: 'talking', frame: 26, share: 1 }]);
  expect(at(0)).toEqual([{ track: quiet!.track, frame: quiet!.from, share: 1 }]);
  const length = quiet!.to - quiet!.from;
  expect(at(length)[0]!.frame).toBe(quiet!.to - 2);
  expect(at(98).map(({ share }) => share)).toEqual([0.5, 0.5]);
  expect(at(120)[0]).toEqual({ track: 'talking', frame: 26, share: 0.75 });
});
