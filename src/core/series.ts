/** The number nearest to `value` within `low`–`high`. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** Linear interpolation: `a` at 0, `b` at 1. */
export const lerp = (a: number, b: number, ratio: number): number => a + (b - a) * ratio;

/** The median of the values (the lower middle one of an even count); NaN for none. */
export function median(values: ArrayLike<number>): number {
  const own = sample(values, 1);
  return own.length ? nth(own, (own.length - 1) >> 1) : Number.NaN;
}

/** How many items have a value below a limit: the rank of the first that has not. Their values must rise. */
export function countBelow<Item>(items: readonly Item[], limit: number, of: (item: Item) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(items[middle]!) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Every `stride`th value, from the first on. */
export function sample(values: ArrayLike<number>, stride: number): number[] {
  const sampled: number[] = [];
  for (let i = 0; i < values.length; i += stride) sampled.push(values[i]!);
  return sampled;
}

/**
 * The value that has a rank among values, 0 being the smallest: selection (Hoare 1961), in time linear in their number,
 * where sorting short series was a sixth of planning. Reorders the values.
 */
export function nth(values: number[], rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank]!;
}

/** The parts, one after the other. */
export function concat(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The mean of the values; NaN for none. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}
