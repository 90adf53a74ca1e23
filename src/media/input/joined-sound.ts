import type { TimeRange } from '../../schema/time.js';
import { continuousSound, type Sound, type SoundBlock } from './sound.js';

/**
 * On each side of a join the sound goes down and comes up within this time, seconds: waves that do not meet would click.
 * Editors' defaults lie at 5–20 ms; syllables are ten times as long.
 */
export const joinFadeSec = 0.015;

/** What is heard of a sound, without the time that a block begins. */
type Heard = Omit<SoundBlock, 'timeSec'>;

/**
 * Stretches of a sound one after another, to the sample as long as the stretches are, faded at each join but not at the
 * ends of the whole. Where a sound stops before its stretch does, silence goes on, so that what follows is in time.
 *
 * @param ranges - In order, without overlaps, at least one. A single one comes as it is.
 */
export async function* joinedSound(
  sound: Sound,
  ranges: readonly TimeRange[],
  signal: AbortSignal,
): AsyncGenerator<Heard, void, void> {
  let untilSec = 0;
  let given = 0;
  let like: Heard = { sampleRateHz: sound.sampleRateHz, channels: Array(sound.channels).fill(nothing) };
  for (const [index, range] of ranges.entries()) {
    const isLast = index === ranges.length - 1;
    untilSec += range.endSec - range.startSec;
    const from = given;
    for await (const block of continuousSound(sound, { ...range, signal })) {
      like = block;
      const until = Math.round(untilSec * block.sampleRateHz);
      const take = Math.min(block.channels[0]!.length, until - given);
      if (take <= 0) break;
      const fadeSamples = joinFadeSec * block.sampleRateHz;
      const gainAt = (at: number) => {
        const up = index ? (at - from + 0.5) / fadeSamples : 1;
        const down = isLast ? 1 : (until - at - 0.5) / fadeSamples;
        return Math.min(1, up, down);
      };
      yield {
        ...block,
        channels: block.channels.map(channel => faded(channel.subarray(0, take), given, gainAt)),
      };
      given += take;
    }
    // Behind the last stretch nothing has to be in time.
    const missing = isLast ? 0 : Math.round(untilSec * like.sampleRateHz) - given;
    if (missing > 0) yield { ...like, channels: like.channels.map(() => new Float32Array(missing)) };
    given += missing;
  }
}

const nothing = new Float32Array(0);

/** @param first - Place of the first sample in the whole. */
function faded(samples: Float32Array, first: number, gainAt: (at: number) => number): Float32Array {
  // Most blocks touch no join, where both of their ends sound in full, and are handed on as they are.
  if (gainAt(first) >= 1 && gainAt(first + samples.length - 1) >= 1) return samples;
  return samples.map((sample, i) => sample * gainAt(first + i));
}
