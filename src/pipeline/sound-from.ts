import { type AudioBlock, audioRateHz, type Media, type ReadRange } from '../media/media.js';

/**
 * The sound behind what a lane has heard. A resampler that starts at a whole second from the origin meets the same
 * sampling moments as the one before did, whatever the source's rate; what was heard of that second is cut off.
 *
 * @param heardSamples - Of the saved lane; 0 for one that begins.
 */
export async function* soundFrom(
  media: Media,
  range: ReadRange,
  heardSamples: number,
): AsyncGenerator<AudioBlock, void, void> {
  let skip = heardSamples % audioRateHz;
  const startSec = (range.startSec ?? 0) + (heardSamples - skip) / audioRateHz;
  if (startSec >= (range.endSec ?? Number.POSITIVE_INFINITY)) return;
  for await (const { timeSec, samples } of media.audio(heardSamples ? { ...range, startSec } : range)) {
    const rest = samples.subarray(skip);
    const dropped = samples.length - rest.length;
    skip -= dropped;
    if (rest.length) yield { timeSec: timeSec + dropped / audioRateHz, samples: rest };
  }
}
