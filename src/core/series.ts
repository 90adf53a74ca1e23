/** The number nearest to `value` within `low`–`high`. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** Linear interpolation: `a` at 0, `b` at 1. */
export const lerp = (a: number, b: number, ratio: number): number => a + (b - a) * ratio;

/** The median of the values (the lower middle one of an even count); NaN for none. */
export function median(values: ArrayLike<number>): number {
  const sorted = new Float64Array(values).sort();
  return sorted.length ? sorted[(sorted.length - 1) >> 1]! : Number.NaN;
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
