import type { Random } from '../../harness/random.js';
import type { Person } from './cast.js';

/** Somebody's mouth talks, for as long as this footage lasts. */
export type Turn = {
  readonly person: string;
  /** First frame of the clip, and how many. */
  readonly from: number;
  readonly frames: number;
  /** Where the footage begins. */
  readonly source: { readonly track: string; readonly from: number };
  /** A dub: the mouth moves and nothing is heard of it. */
  readonly heard: boolean;
};

/** Inclusive range that a number of frames is drawn from. */
export type FrameRange = readonly [least: number, most: number];

/** From half a second into the turn before to a second after, as people talk. */
export const usualGap: FrameRange = [-12, 25];
const usualTurn: FrameRange = [25, 90];
/** A face needs a moment between two turns of its own, to come back to rest. */
const restFrames = 6;

/** Draws turns out of people's footage; what has been used least is used next. */
export class TurnDrawer {
  readonly #random: Random;
  readonly #used = new Map<string, number>();

  constructor(random: Random) {
    this.#random = random;
  }

  between([least, most]: FrameRange): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** A turn from frame `from` on; shorter than asked for where no footage is as long. */
  turn(person: Person, from: number, [least, most]: FrameRange = usualTurn, heard = true): Turn {
    const wanted = this.between([least, most]);
    const uses = (track: string, at: number) => this.#used.get(`${track} ${at}`) ?? 0;
    const long = person.talks.filter(stretch => stretch.to - stretch.from >= wanted);
    const pool = long.length ? long : person.talks;
    const fewest = Math.min(...pool.map(({ track, from: at }) => uses(track, at)));
    const fresh = pool.filter(({ track, from: at }) => uses(track, at) === fewest);
    const stretch = fresh[this.between([0, fresh.length - 1])]!;
    this.#used.set(`${stretch.track} ${stretch.from}`, fewest + 1);
    const frames = Math.min(wanted, stretch.to - stretch.from);
    const slack = stretch.to - stretch.from - frames;
    const source = { track: stretch.track, from: stretch.from + this.between([0, slack]) };
    return { person: person.id, from, frames, source, heard };
  }

  /** People take turns until `frames`: nobody twice in a row, and everybody once before anybody comes again. */
  takeTurns(
    people: readonly Person[],
    frames: number,
    { gap = usualGap, length = usualTurn }: { readonly gap?: FrameRange; readonly length?: FrameRange } = {},
  ): Turn[] {
    const turns: Turn[] = [];
    let at = this.between([6, 25]);
    while (at < frames - 20) {
      const others = people.filter(({ id }) => id !== turns.at(-1)?.person);
      const silent = others.filter(({ id }) => !turns.some(({ person }) => person === id));
      const pool = silent.length ? silent : others;
      const person = pool[this.between([0, pool.length - 1])]!;
      const drawn = this.turn(person, Math.max(at, freeFrom(turns, person.id)), length);
      const turn = { ...drawn, frames: Math.min(drawn.frames, frames - 4 - drawn.from) };
      if (turn.frames < 12) break;
      turns.push(turn);
      at = endOf(turn) + this.between(gap);
    }
    return turns;
  }

  /** Somebody else says a word or two in the middle of each long turn. */
  interject(people: readonly Person[], turns: readonly Turn[]): Turn[] {
    const said = [...turns];
    for (const turn of turns) {
      if (turn.frames < 45) continue;
      const short = this.between([9, 20]);
      const from = turn.from + this.between([12, turn.frames - short - 8]);
      const person = this.#freeOne(people, said, turn.person, [from, from + short]);
      if (person) said.push(this.turn(person, from, [short, short]));
    }
    return said.sort((a, b) => a.from - b.from);
  }

  /** Two begin within half a second of each other and both go on. */
  talkOver(people: readonly Person[], frames: number): Turn[] {
    const turns: Turn[] = [];
    let at = this.between([6, 20]);
    while (at < frames - 50) {
      const [first, second] = this.shuffle(people);
      const a = this.turn(first!, Math.max(at, freeFrom(turns, first!.id)), [45, 80]);
      const b = this.turn(
        second!,
        Math.max(a.from + this.between([2, 14]), freeFrom(turns, second!.id)),
        [40, 80],
      );
      turns.push(...[a, b].map(turn => ({ ...turn, frames: Math.min(turn.frames, frames - 4 - turn.from) })));
      at = Math.max(endOf(a), endOf(b)) + this.between([8, 25]);
    }
    return turns.filter(turn => turn.frames >= 12);
  }

  /** Mouths that move unheard: beside whoever is heard, where the face has nothing to say itself. */
  dub(people: readonly Person[], turns: readonly Turn[]): Turn[] {
    const all = [...turns];
    for (const turn of turns) {
      const length = Math.max(16, turn.frames - this.between([0, 12]));
      const from = turn.from + this.between([0, 6]);
      const person = this.#freeOne(people, all, turn.person, [from, from + length]);
      if (person) all.push(this.turn(person, from, [length, length], false));
    }
    return all.sort((a, b) => a.from - b.from);
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => left.splice(this.between([0, left.length - 1]), 1)[0]!);
  }

  #freeOne(people: readonly Person[], turns: readonly Turn[], not: string, [from, to]: FrameRange) {
    const isFree = ({ id }: Person) =>
      turns.every(
        turn => turn.person !== id || endOf(turn) + restFrames <= from || turn.from - restFrames >= to,
      );
    return this.shuffle(people).find(person => person.id !== not && person.talks.length && isFree(person));
  }
}

export const endOf = ({ from, frames }: Turn): number => from + frames;

/** The first frame in which a person may speak again. */
const freeFrom = (turns: readonly Turn[], person: string): number =>
  Math.max(0, ...turns.filter(turn => turn.person === person).map(turn => endOf(turn) + restFrames));
