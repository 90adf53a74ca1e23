import { mulberry32 } from '../../harness/random.js';
import { type Half, halves, type Person } from './cast.js';
import { type Area, areasOf, drawFacePx, frameRateHz, type Layout } from './layout.js';
import { type Turn, TurnDrawer } from './turns.js';

/** Somebody in a part of the picture. */
export type Panel = {
  readonly person: string;
  readonly area: Area;
  readonly facePx: number;
  /** A photo of somebody who talks: no frame differs from another. */
  readonly isPhoto: boolean;
};
export type MixShot = { readonly from: number; readonly to: number; readonly panels: readonly Panel[] };

/** Everything that a clip is made of: the same for the same seed. */
export type Mix = {
  readonly name: string;
  readonly kind: Kind;
  readonly half: Half;
  readonly seed: number;
  readonly frames: number;
  readonly shots: readonly MixShot[];
  readonly turns: readonly Turn[];
  /** By how many frames a person's sound comes late (below 0: early). */
  readonly soundLagFrames: Readonly<Record<string, number>>;
  /** What is heard beside voices. */
  readonly bed?: 'music' | 'laughter';
  readonly videoKbps: number;
  readonly audioKbps: number;
};

/** Who sits where and what happens; turns are drawn for those who may speak. */
type Script = {
  readonly layout: Layout;
  /** People who speak and are seen. */
  readonly talkers: number;
  /** Whether only those talk of whom there are turns of two seconds. */
  readonly isLong?: boolean;
  /** Whether one of the faces is a photo. */
  readonly hasPhoto?: boolean;
  readonly bed?: Mix['bed'];
  /** Whether sound comes too early or too late. */
  readonly isMoved?: boolean;
  /** Whether one face at a time is seen. */
  readonly hasCuts?: boolean;
  /** Turns of those who are seen, and of one who is not. */
  readonly turns: (drawer: TurnDrawer, seen: readonly Person[], unseen: Person, frames: number) => Turn[];
};

const inTurn: Script['turns'] = (drawer, seen, _unseen, frames) => drawer.takeTurns(seen, frames);
const withVoiceFromOff: Script['turns'] = (drawer, seen, unseen, frames) =>
  drawer.takeTurns([...seen, unseen], frames, { gap: [2, 20] });

const scripts = {
  'two-up turns': { layout: 'two', talkers: 2, turns: inTurn },
  'two-up interjections': {
    layout: 'two',
    isLong: true,
    talkers: 2,
    turns: (drawer, seen, _unseen, frames) =>
      drawer.interject(seen, drawer.takeTurns(seen, frames, { gap: [0, 20], length: [50, 110] })),
  },
  'two-up overlap': {
    layout: 'two',
    isLong: true,
    talkers: 2,
    turns: (drawer, seen, _unseen, frames) => drawer.talkOver(seen, frames),
  },
  'three-up turns': { layout: 'three', talkers: 3, turns: inTurn },
  'grid turns': { layout: 'four', talkers: 3, turns: inTurn },
  dub: {
    layout: 'two',
    isLong: true,
    talkers: 2,
    turns: (drawer, seen, _unseen, frames) =>
      drawer.dub(seen, drawer.takeTurns(seen, frames, { gap: [4, 25] })),
  },
  'three-up dub': {
    layout: 'three',
    isLong: true,
    talkers: 3,
    turns: (drawer, seen, _unseen, frames) =>
      drawer.dub(seen, drawer.takeTurns(seen, frames, { gap: [4, 25] })),
  },
  'off-screen voice': { layout: 'two', talkers: 1, turns: withVoiceFromOff },
  'off-screen dub': {
    layout: 'two',
    talkers: 2,
    turns: (drawer, seen, unseen, frames) => drawer.dub(seen, withVoiceFromOff(drawer, seen, unseen, frames)),
  },
  music: { layout: 'two', talkers: 2, bed: 'music', turns: inTurn },
  laughter: {
    layout: 'three',
    talkers: 2,
    bed: 'laughter',
    turns: (drawer, seen, _unseen, frames) =>
      drawer.takeTurns(seen, frames, { gap: [10, 45], length: [25, 60] }),
  },
  'still photo': { layout: 'three', talkers: 2, hasPhoto: true, turns: withVoiceFromOff },
  'cut to listener': { layout: 'full', talkers: 2, hasCuts: true, turns: inTurn },
  'moved sound': { layout: 'two', talkers: 2, isMoved: true, turns: inTurn },
} as const satisfies Record<string, Script>;

export type Kind = keyof typeof scripts;
export const kinds = Object.keys(scripts) as readonly Kind[];

/** Clips of each kind in each half. */
const takes = 2;
const videoRates = [150, 350, 900] as const;
const audioRates = [32, 64, 128] as const;
const furthestLag = 8;
/** Frames of a turn that somebody else can talk into. */
const longFrames = 50;

/** Every mix of one half of the cast; whoever has appeared least appears next. */
export function mixesOf(cast: readonly Person[], half: Half): Mix[] {
  const own = cast.filter(person => person.half === half);
  const appearances = new Map<string, number>();
  return kinds.flatMap((kind, k) =>
    Array.from({ length: takes }, (_, take) => {
      const seed = 1000 * (halves.indexOf(half) + 1) + 10 * k + take;
      const mix = composeMix(own, { kind, half, seed, take, appearances });
      for (const id of new Set(mix.turns.map(({ person }) => person)))
        appearances.set(id, (appearances.get(id) ?? 0) + 1);
      return mix;
    }),
  );
}

type Take = {
  readonly kind: Kind;
  readonly half: Half;
  readonly seed: number;
  readonly take: number;
  /** In how many mixes people spoke so far, by their ids. */
  readonly appearances: ReadonlyMap<string, number>;
};

function composeMix(cast: readonly Person[], { kind, half, seed, take, appearances }: Take): Mix {
  const script: Script = scripts[kind];
  const random = mulberry32(seed);
  const drawer = new TurnDrawer(random);
  const frames = drawer.between([220, 300]);
  const drawn = onePerGroup(drawer.shuffle(cast));
  const isTalker = ({ talks }: Person) =>
    talks.some(({ from, to }) => to - from >= (script.isLong ? longFrames : 0));
  const rank = ({ id }: Person) => appearances.get(id) ?? 0;
  const talkers = drawn.filter(isTalker).sort((a, b) => rank(a) - rank(b));
  const seen = talkers.slice(0, script.talkers);
  const unseen = talkers[script.talkers]!;
  const photo = script.hasPhoto ? talkers[script.talkers + 1] : undefined;
  const areas = areasOf(script.layout);
  const listeners = drawn.filter(person => person.quiet.length && ![...seen, unseen, photo].includes(person));
  const sitting = [...seen, ...(photo ? [photo] : []), ...listeners];
  const people = drawer.shuffle(sitting.slice(0, Math.max(areas.length, seen.length)));
  const turns = script.turns(drawer, seen, unseen, frames);
  const panel = (person: Person, area: Area): Panel => ({
    person: person.id,
    area,
    facePx: drawFacePx(random, script.layout),
    isPhoto: person === photo,
  });
  const panels = people.map((person, i) => panel(person, areas[i % areas.length]!));
  const shots = script.hasCuts ? alternate(drawer, panels, frames) : [{ from: 0, to: frames, panels }];
  return {
    name: `mix_${half}_${kind.replace(/\W/g, '_')}_${take + 1}`,
    kind,
    half,
    seed,
    frames,
    shots,
    turns,
    soundLagFrames: script.isMoved ? drawLags(drawer, seen, take) : {},
    ...(script.bed && { bed: script.bed }),
    videoKbps: videoRates[drawer.between([0, 2])]!,
    audioKbps: audioRates[drawer.between([0, 2])]!,
  };
}

/** In the given order, the first of each group. */
function onePerGroup(people: readonly Person[]): Person[] {
  const groups = new Set<string>();
  return people.filter(({ group }) => !groups.has(group) && groups.add(group));
}

/** One face at a time, cut to another every two to four seconds whoever speaks. */
function alternate(drawer: TurnDrawer, panels: readonly Panel[], frames: number): MixShot[] {
  const shots: MixShot[] = [];
  for (let from = 0; from < frames; ) {
    const drawn = from + drawer.between([2 * frameRateHz, 4 * frameRateHz]);
    const to = frames - drawn < frameRateHz ? frames : drawn;
    shots.push({ from, to, panels: [panels[shots.length % panels.length]!] });
    from = to;
  }
  return shots;
}

/** Every face's sound by the same lag in one take, only one face's in the other; never by nothing. */
function drawLags(drawer: TurnDrawer, seen: readonly Person[], take: number): Record<string, number> {
  const lag = drawer.between([2, furthestLag]) * (drawer.between([0, 1]) ? 1 : -1);
  return Object.fromEntries((take % 2 ? seen.slice(0, 1) : seen).map(({ id }) => [id, lag]));
}
