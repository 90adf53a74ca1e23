import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEvidence } from '../../../bench/harness/evidence-text.js';
import { lipAgreement, soundLips } from '../../../src/core/lip-agreement.js';
import { lagLikelihood, lipOffsets } from '../../../src/core/lip-offsets.js';
import type { SpeakerEvidence } from '../../../src/core/speaker-evidence.js';
import { featureCount, speakerFeatures } from '../../../src/core/speaker-features.js';

export type Truth = {
  readonly kind: string;
  readonly faces: readonly { readonly facePx: number; readonly rest: string; readonly offset: number }[];
  /** `[frames, faces + 1]`. */
  readonly heard: readonly number[];
};
export type Mix = { readonly truth: Truth; readonly evidence: SpeakerEvidence };

export function readMixes(folder: string, most = Number.POSITIVE_INFINITY): Mix[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .slice(0, most)
    .map(name => {
      const text = readFileSync(join(folder, name), 'utf8');
      const cut = text.indexOf(',"evidence":');
      return {
        truth: JSON.parse(text.slice('{"truth":'.length, cut)) as Truth,
        evidence: readEvidence(text.slice(cut + ',"evidence":'.length, -1)),
      };
    });
}

/** Per frame: the one face that is heard, the number of faces for somebody off screen, −1 for nobody, −2 for several. */
export function ownersOf({ heard, faces }: Truth): Int8Array {
  const states = faces.length + 1;
  return Int8Array.from({ length: heard.length / states }, (_, i) => {
    const row = heard.slice(i * states, (i + 1) * states);
    const count = row.reduce((sum, value) => sum + value, 0);
    return count === 0 ? -1 : count > 1 ? -2 : row.indexOf(1);
  });
}

/** Frames away from changes of the owner. */
export const isSteady = (owners: Int8Array, i: number, reach = 5): boolean =>
  owners.slice(Math.max(0, i - reach), i + reach + 1).every(owner => owner === owners[i]);

/** Offsets of the faces, and what their frames say: `[featureCount]` series per face. */
export function measure({ candidates, sound, speech }: SpeakerEvidence): {
  offsets: number[];
  features: Float64Array[][];
} {
  const lips = soundLips(sound!);
  const agreements = candidates.map(({ evidence }) => lipAgreement(evidence, lips));
  const heard = (frame: number) => speech!.values[frame]! >= 0.5;
  const offsets = lipOffsets(agreements.map(agreement => lagLikelihood(agreement, heard)));
  const features = candidates.map(({ evidence }, k) => speakerFeatures(evidence, agreements[k], offsets[k]!));
  return { offsets, features };
}

/** Features of one frame in which speech is heard, and whose it is. */
export type Example = {
  /** `[faces, featureCount]` */
  readonly features: Float64Array;
  readonly faces: number;
  /** The face, or `faces` for nobody on screen. */
  readonly owner: number;
};

export function examplesOf(mixes: readonly Mix[], step = 5): Example[] {
  return mixes.flatMap(({ truth, evidence }) => {
    const { features } = measure(evidence);
    const owners = ownersOf(truth);
    const faces = truth.faces.length;
    const found: Example[] = [];
    for (let i = 0; i < owners.length; i += step) {
      if (owners[i]! < 0 || !isSteady(owners, i)) continue;
      const row = Float64Array.from(
        { length: faces * featureCount },
        (_, at) => features[Math.floor(at / featureCount)]![at % featureCount]![i]!,
      );
      found.push({ features: row, faces, owner: owners[i]! });
    }
    return found;
  });
}
