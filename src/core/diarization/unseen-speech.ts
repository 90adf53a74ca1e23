import type { TimeRange } from '../../schema/time.js';
import type { SpeakingTurn } from './speaking-turns.js';

/** Less speech beside a turn belongs to that turn, seconds: lips and gate do not agree to the frame on where it ends. */
const leastUnseenSec = 0.5;

/** Speech that no face was seen to say, and the turns, stretched over what is too short beside them. */
export type UnseenSpeech = {
  readonly turns: readonly SpeakingTurn[];
  readonly unseen: readonly TimeRange[];
};

/**
 * Divides speech into what faces say and what nobody on screen says.
 *
 * @param speech - Intervals in order that do not overlap.
 * @param turns - In order of their starts.
 * @param changesSec - Where the voice changes, in order: unseen speech is divided there.
 */
export function unseenSpeech(
  speech: readonly TimeRange[],
  turns: readonly SpeakingTurn[],
  changesSec: readonly number[],
): UnseenSpeech {
  const stretched = turns.map(turn => ({ ...turn }));
  const unseen: TimeRange[] = [];
  for (const { startSec, endSec } of speech)
    for (const gap of without({ startSec, endSec }, stretched)) {
      if (gap.endSec - gap.startSec >= leastUnseenSec) unseen.push(...divide(gap, changesSec));
      else stretch(gap, stretched);
    }
  return { turns: stretched, unseen };
}

/** What turns leave of an interval. */
function without({ startSec, endSec }: TimeRange, turns: readonly SpeakingTurn[]): TimeRange[] {
  const left: TimeRange[] = [];
  let atSec = startSec;
  for (const turn of turns) {
    if (turn.startSec >= endSec) break;
    if (turn.endSec <= atSec) continue;
    if (turn.startSec > atSec) left.push({ startSec: atSec, endSec: turn.startSec });
    atSec = turn.endSec;
  }
  if (atSec < endSec) left.push({ startSec: atSec, endSec });
  return left;
}

/** Gives a short gap to the turn that ends where the gap begins, else to the one that begins where it ends. */
function stretch(gap: TimeRange, turns: { startSec: number; endSec: number }[]): void {
  const before = turns.find(({ endSec }) => Math.abs(endSec - gap.startSec) < 1e-6);
  const after = turns.find(({ startSec }) => Math.abs(startSec - gap.endSec) < 1e-6);
  if (before) before.endSec = gap.endSec;
  else if (after) after.startSec = gap.startSec;
}

/** Parts between changes of the voice; those too short to tell a voice by are not cut off. */
function divide({ startSec, endSec }: TimeRange, changesSec: readonly number[]): TimeRange[] {
  const parts: TimeRange[] = [];
  let fromSec = startSec;
  for (const atSec of changesSec) {
    if (atSec - fromSec < leastUnseenSec) continue;
    if (endSec - atSec < leastUnseenSec) break;
    parts.push({ startSec: fromSec, endSec: atSec });
    fromSec = atSec;
  }
  return [...parts, { startSec: fromSec, endSec }];
}
