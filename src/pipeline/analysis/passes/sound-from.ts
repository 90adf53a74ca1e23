import { type AudioBlock, audioRateHz, type Media, type ReadRange } from '../../../media/media.js';

/** A decoder that begins anew is given this much sound that is thrown away, seconds: it remembers, and must forget. */
const warmUpSec = 1;

/**
 * The sound behind what a lane has heard. The sound is read from a whole second on, at least
 * {@link warmUpSec} before: a resampler that starts there meets the same sampling moments as the resampler
 * before did, whatever the source's rate.
 *
 * @param heardSamples - Samples that the saved lane has heard; 0 for a lane that begins.
 */
export async function* soundFrom(
  media: Media,
  range: ReadRange,
  heardSamples: number,
): AsyncGenerator<AudioBlock, void, void> {
  const earlierSec = Math.max(0, Math.floor(heardSamples / audioRateHz) - warmUpSec);
  let skip = heardSamples - earlierSec * audioRateHz;
  const startSec = (range.startSec ?? 0) + earlierSec;
  for await (const { timeSec, samples } of media.audio(earlierSec ? { ...range, startSec } : range)) {
    const rest = samples.subarray(skip);
    const dropped = samples.length - rest.length;
    skip -= dropped;
    if (rest.length) yield { timeSec: timeSec + dropped / audioRateHz, samples: rest };
  }
}
