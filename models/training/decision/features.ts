import { agreementAt, type LipAgreement } from '../../../src/core/lip-agreement.js';
import { movingMean } from '../../../src/core/moving-mean.js';
import { clamp } from '../../../src/core/series.js';
import type { FaceEvidence } from '../../../src/core/speaker-evidence.js';

/** What a face's chance to be the speaker is reckoned from, per frame; see {@link speakerFeatures}. */
export const featureNames = [
  'score 0.2 s',
  'score 1 s',
  'score 4 s',
  'contrast 0.5 s',
  'contrast 2 s',
  'sync 0.5 s',
  'sync 1 s',
  'sync 2 s',
  'sync 4 s',
  'sync 2 s over the best other',
  'score 1 s over the best other',
  'contrast 2 s over the best other',
  'small',
  'small · score 1 s',
  'small · sync 2 s',
  'near · score 1 s',
  'near · contrast 0.5 s',
  'near · contrast 2 s',
] as const;
export const featureCount = featureNames.length;

/** One face on screen. */
export type Contender = {
  readonly evidence: FaceEvidence;
  readonly agreement: LipAgreement;
  /** Frames by which the lips follow the sound. */
  readonly offset: number;
  readonly facePx: number;
};

/** Scores beyond are alike. */
const cap = 4;
/** A face of so many pixels has all that the speaker model can see. */
const fullPx = 80;

/** Offsets at which the speaker model itself is at home: it was trained on picture and sound recorded together. */
const nearFrames = { at: 1, reach: 5 } as const;

const seconds = { tick: 5, half: 13, one: 25, two: 51, four: 101 } as const;

/**
 * What each frame of each face says: means of the score, of the score less its value at wrong moments, and of the
 * agreement of lips and sound at the face's own offset, and how they stand to those of the best other face on screen.
 *
 * @returns Per contender `[frames, featureCount]`, all of about the same size.
 */
export function speakerFeatures(contenders: readonly Contender[]): Float64Array[] {
  const measured = contenders.map(measure);
  return contenders.map(({ evidence, facePx, offset }, k) => {
    const own = measured[k]!;
    const frames = evidence.score.length;
    const near = clamp(1 - Math.abs(offset - nearFrames.at) / nearFrames.reach, 0, 1);
    const small = clamp(Math.log2(fullPx / facePx), 0, 2);
    const out = new Float64Array(frames * featureCount);
    for (let i = 0; i < frames; i++) {
      const others = {
        sync: Number.NEGATIVE_INFINITY,
        score: Number.NEGATIVE_INFINITY,
        contrast: Number.NEGATIVE_INFINITY,
      };
      contenders.forEach((other, j) => {
        const at = evidence.firstGridFrame + i - other.evidence.firstGridFrame;
        if (j === k || at < 0 || at >= other.evidence.score.length) return;
        others.sync = Math.max(others.sync, measured[j]!.sync2[at]!);
        others.score = Math.max(others.score, measured[j]!.score1[at]!);
        others.contrast = Math.max(others.contrast, measured[j]!.contrast2[at]!);
      });
      const over = (value: number, other: number, limit: number) =>
        other === Number.NEGATIVE_INFINITY ? 0 : clamp(value - other, -limit, limit);
      out.set(
        [
          own.scoreTick[i]!,
          own.score1[i]!,
          own.score4[i]!,
          own.contrastHalf[i]!,
          own.contrast2[i]!,
          own.syncHalf[i]!,
          own.sync1[i]!,
          own.sync2[i]!,
          own.sync4[i]!,
          over(own.sync2[i]!, others.sync, 2),
          over(own.score1[i]!, others.score, cap / 2),
          over(own.contrast2[i]!, others.contrast, cap / 2),
          small,
          small * own.score1[i]!,
          small * own.sync2[i]!,
          near * own.score1[i]!,
          near * own.contrastHalf[i]!,
          near * own.contrast2[i]!,
        ],
        i * featureCount,
      );
    }
    return out;
  });
}

function measure({ evidence, agreement, offset }: Contender) {
  const frames = evidence.score.length;
  const score = Float64Array.from(evidence.score, value => clamp(value, -cap, cap) / 2);
  const contrast = Float64Array.from(evidence.score, (value, i) => {
    const wrong = evidence.shifted[i]!;
    return Number.isNaN(wrong) ? 0 : clamp(value - wrong, -cap, cap) / 2;
  });
  const sync = agreement.frames ? agreementAt(agreement, offset) : new Float64Array(frames);
  return {
    scoreTick: movingMean(score, seconds.tick),
    score1: movingMean(score, seconds.one),
    score4: movingMean(score, seconds.four),
    contrastHalf: movingMean(contrast, seconds.half),
    contrast2: movingMean(contrast, seconds.two),
    syncHalf: movingMean(sync, seconds.half),
    sync1: movingMean(sync, seconds.one),
    sync2: movingMean(sync, seconds.two),
    sync4: movingMean(sync, seconds.four),
  };
}
