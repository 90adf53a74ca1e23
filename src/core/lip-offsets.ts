import { type LipAgreement, lagsFrames } from './lip-agreement.js';
import { movingMean } from './moving-mean.js';

/** Window over which agreement is judged when offsets are looked for. */
const windowFrames = 51;

/**
 * What two seconds of agreement are taken to be like: their mean where the face is heard, their spread there and
 * elsewhere, and how many of the seconds with speech are the face's own. Sharper than what scenes of training people
 * measure (0.50 ± 0.50 where heard, 0.06 ± 0.32 elsewhere, 0.32), because a lag is wanted that stands out: of 370 of
 * their faces 72 % have their offset within 2 frames, with the measured numbers 57 % (models/training/decision).
 */
const agreementModel = { matched: 1, spread: 0.5, heardRatio: 0.3 } as const;

/**
 * How likely each lag is to be the face's own, as log-likelihood over "this face is never heard": each second is
 * matched or not, and only at the right lag the matched ones stand out.
 *
 * @param heard - Per frame of the face: whether speech is heard.
 */
export function lagLikelihood(
  agreement: LipAgreement | undefined,
  heard: (frame: number) => boolean,
): Float64Array {
  const out = new Float64Array(lagsFrames.length);
  if (!agreement?.frames) return out;
  const { matched, spread, heardRatio } = agreementModel;
  const values = lagsFrames.map(lag => agreement.at(lag));
  const near = lagsFrames.map((_, l) => values.slice(Math.max(0, l - 1), l + 2));
  const mean = new Float64Array(agreement.frames);
  near.forEach((lags, l) => {
    for (let frame = 0; frame < mean.length; frame++)
      mean[frame] = lags.reduce((sum, lag) => sum + lag[frame]!, 0) / lags.length;
    const steady = movingMean(mean, windowFrames);
    for (let frame = 12; frame < steady.length; frame += 25) {
      if (!heard(frame)) continue;
      const ratio = (matched * steady[frame]! - (matched * matched) / 2) / (spread * spread);
      out[l]! += Math.log(1 - heardRatio + heardRatio * Math.exp(Math.min(30, ratio)));
    }
  });
  return out;
}

/**
 * Where lips lie to their sound, before anything was measured: the clip's own offset is anywhere, rather near
 * `usual`, and faces of one clip differ little. Costs in natural log units per frame.
 */
const offsetPrior = {
  /** Offset at which the encoders agree best where picture and sound were recorded together, frames. */
  usual: 1,
  clipCostPerFrame: 0.15,
  faceCostPerFrame: 0.5,
  /** Most that a face's own difference costs: two halves of one screen may come from two places. */
  faceCostMost: 3,
} as const;

/**
 * The offset of each face, jointly: a clip has one offset, and each face lies near it.
 *
 * @param likelihoods - Per face: log-likelihood of each of {@link lagsFrames}.
 * @returns Frames by which the lips of each face follow the sound.
 */
export function lipOffsets(likelihoods: readonly Float64Array[]): number[] {
  const { usual, clipCostPerFrame, faceCostPerFrame, faceCostMost } = offsetPrior;
  const inner = lagsFrames.slice(1, -1);
  const best = (likelihood: Float64Array, clip: number) => {
    let top = { lag: clip, value: Number.NEGATIVE_INFINITY };
    for (const lag of inner) {
      const apart = Math.min(faceCostMost, faceCostPerFrame * Math.abs(lag - clip));
      const value = likelihood[lagsFrames.indexOf(lag)]! - apart;
      if (value > top.value) top = { lag, value };
    }
    return top;
  };
  let chosen = { value: Number.NEGATIVE_INFINITY, lags: [] as number[] };
  for (const clip of inner) {
    const faces = likelihoods.map(likelihood => best(likelihood, clip));
    const value =
      faces.reduce((sum, face) => sum + face.value, 0) - clipCostPerFrame * Math.abs(clip - usual);
    if (value > chosen.value) chosen = { value, lags: faces.map(({ lag }) => lag) };
  }
  return chosen.lags;
}
