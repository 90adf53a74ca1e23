import { cpus, loadavg } from 'node:os';

/** How busy the machine is: figures taken beside other work are only good as ratios. */
export const describeLoad = (): string =>
  `${cpus().length} cores, load ${loadavg()
    .map(value => value.toFixed(1))
    .join(' ')}`;

/** The middle one of a few values. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
