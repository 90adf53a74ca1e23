import { mulberry32 } from './random.js';

/** A figure with the interval that resampling its groups gives. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number };

export type BootstrapOptions = {
  /** Resampled sets; 500 move the ends of an interval by about a tenth of its width. */
  readonly rounds: number;
  readonly seed: number;
};

export const defaultBootstrapOptions: BootstrapOptions = { rounds: 500, seed: 1 };

/**
 * The 95 % percentile interval of a figure over independent groups (pictures, people, clips).
 *
 * @param groups - How many groups there are.
 * @param measure - The figure when group i counts `weights[i]` times; all ones is the plain figure.
 */
export function bootstrap(
  groups: number,
  measure: (weights: Uint16Array) => number,
  { rounds, seed }: BootstrapOptions = defaultBootstrapOptions,
): Estimate {
  const value = measure(new Uint16Array(groups).fill(1));
  const random = mulberry32(seed);
  const drawn = Array.from({ length: rounds }, () => {
    const weights = new Uint16Array(groups);
    for (let i = 0; i < groups; i++) weights[Math.floor(random() * groups)]!++;
    return measure(weights);
  })
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.floor(share * (drawn.length - 1))] ?? Number.NaN;
  return { value, low: at(0.025), high: at(0.975) };
}
