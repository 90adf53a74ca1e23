import type { TrackMeta } from '../../models/speakers/speaker-pack.js';

/** Half of the people tunes, the other half only judges. */
export type Half = 'tune' | 'judge';
export const halves: readonly Half[] = ['tune', 'judge'];

/** A line of the pack, as far as mixes use it. */
export type PackedTrack = TrackMeta & {
  readonly group: string;
  readonly clip: string;
  /** The track's first frame in its clip, at 25 Hz. */
  readonly start_frame: number;
  /** Height of the face in pixels of the clip. */
  readonly face_px: number;
};

/** Frames of one track of the pack, `to` excluded. */
export type Stretch = { readonly track: string; readonly from: number; readonly to: number };

/** Somebody unseen in training, and the footage there is. */
export type Person = {
  readonly id: string;
  /** People of one recording, who may even be one person under several ids. */
  readonly group: string;
  readonly half: Half;
  /** Speech of this person's own, by label; empty for those who only listen. */
  readonly talks: readonly Stretch[];
  /** A quiet face, by label. */
  readonly quiet: readonly Stretch[];
  /** One frame that is held where there is no quiet footage. */
  readonly held: Stretch;
};

/** A pause that ends a stretch of speech, in frames. */
const pauseFrames = 8;
/** The shortest footage that is used, in frames. */
const shortestTalk = 16;
const shortestQuiet = 12;
/** Eyes and brows lie outside of these people's crops: no head can be drawn around them. */
const faceless = ['fhl_public_videos_testimonial_3', 'uth_public_videos_testimonial_2'];

/**
 * The people of validation and test tracks, by halves: groups of a pack (a person, or people of one recording) stay
 * together and are dealt out by how much they say, so that both halves hold as much. Nobody of whom any track was
 * trained on is among them.
 *
 * @param tracks - All lines of the pack, those of training too.
 */
export function castOf(tracks: readonly PackedTrack[]): Person[] {
  const trained = new Set(tracks.flatMap(({ split, person }) => (split === 'train' ? [person] : [])));
  const unseen = tracks.filter(
    ({ split, person, generated }) =>
      split !== 'train' && !generated && !trained.has(person) && !faceless.includes(person),
  );
  const groups = groupBy(unseen, ({ group }) => group)
    .map(([name, members]) => ({ name, members, said: members.flatMap(talksOf).reduce(addFrames, 0) }))
    .sort((a, b) => b.said - a.said || (a.name < b.name ? -1 : 1));
  return groups
    .flatMap(({ members }, i) => {
      // There and back, so that the first of each pair of groups is not always in the same half.
      const half = halves[[0, 1, 1, 0][i % 4]!]!;
      return groupBy(members, ({ person }) => person).map(([id, own]) =>
        toPerson({ id, group: own[0]!.group, half }, own),
      );
    })
    .filter(({ talks, quiet }) => talks.length || quiet.length);
}

function toPerson(who: Pick<Person, 'id' | 'group' | 'half'>, tracks: readonly PackedTrack[]): Person {
  const moving = tracks.filter(({ still }) => !still);
  const quiet = moving.flatMap(track =>
    runs(track.label.length, i => track.label[i] === 0)
      .filter(([from, to]) => to - from >= shortestQuiet)
      .map(([from, to]) => ({ track: track.id, from, to })),
  );
  return { ...who, talks: moving.flatMap(talksOf), quiet, held: heldOf(tracks) };
}

/** Speech without long pauses, from a spoken frame to a spoken frame. */
function talksOf({ id, talker, label }: PackedTrack): Stretch[] {
  if (!talker) return [];
  const spoken = runs(label.length, i => label[i] === 1);
  const joined: [number, number][] = [];
  for (const [from, to] of spoken) {
    const last = joined.at(-1);
    if (last && from - last[1] < pauseFrames) last[1] = to;
    else joined.push([from, to]);
  }
  return joined
    .filter(([from, to]) => to - from >= shortestTalk)
    .map(([from, to]) => ({ track: id, from, to }));
}

/** The frame in which speech is least probable. */
function heldOf(tracks: readonly PackedTrack[]): Stretch {
  const all = tracks.flatMap(({ id, vad }) => vad.map((value, from) => ({ track: id, from, value })));
  const { track, from } = all.reduce((best, frame) => (frame.value < best.value ? frame : best));
  return { track, from, to: from + 1 };
}

/** Runs of frames for which something holds, [first, one after the last]. */
export function runs(count: number, holds: (i: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0; i < count; i++) {
    if (!holds(i)) continue;
    const last = found.at(-1);
    if (last?.[1] === i) last[1]++;
    else found.push([i, i + 1]);
  }
  return found;
}

const addFrames = (sum: number, { from, to }: Stretch) => sum + to - from;

function groupBy<T>(items: readonly T[], key: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const list = groups.get(key(item));
    if (list) list.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups];
}
