import type { TimeRange } from '../schema/time.js';

/** How likely each piece of the sound is speech. */
export type SpeechProbability = {
  /** Time of the first piece's start. */
  readonly originSec: number;
  /** Length of a piece; Silero's is 0.032 s. */
  readonly stepSec: number;
  /** 0–1 per piece. */
  readonly values: Float32Array;
};

/** When sound counts as speech. */
export type SpeechOptions = {
  /** Probability that starts speech. Silero's own default. */
  readonly enter: number;
  /** Probability below which speech ends; lower than `enter`, so that a doubtful syllable does not split a word. Silero's own default. */
  readonly leave: number;
  /** Pauses up to this long, in seconds, belong to the speech around them: people breathe and think within a turn. Chosen on the development clips. */
  readonly bridgeSec: number;
  /** Bursts up to this long, in seconds, are clicks and coughs. Chosen on the development clips. */
  readonly burstSec: number;
};

export const defaultSpeechOptions: SpeechOptions = {
  enter: 0.5,
  leave: 0.35,
  bridgeSec: 0.4,
  burstSec: 0.12,
};

/**
 * Finds the stretches of speech: hysteresis, then short bursts dropped, then short gaps bridged.
 *
 * @returns Intervals in order that neither touch nor overlap.
 */
export function speechIntervals(
  speech: SpeechProbability,
  options: SpeechOptions = defaultSpeechOptions,
): TimeRange[] {
  const found: { startSec: number; endSec: number }[] = [];
  let on = false;
  speech.values.forEach((probability, i) => {
    const startSec = speech.originSec + i * speech.stepSec;
    const next = probability >= (on ? options.leave : options.enter);
    if (next && !on) found.push({ startSec, endSec: startSec });
    if (next) found.at(-1)!.endSec = startSec + speech.stepSec;
    on = next;
  });
  const joined: { startSec: number; endSec: number }[] = [];
  for (const interval of found) {
    if (interval.endSec - interval.startSec <= options.burstSec) continue;
    const before = joined.at(-1);
    if (before && interval.startSec - before.endSec <= options.bridgeSec) before.endSec = interval.endSec;
    else joined.push(interval);
  }
  return joined;
}
