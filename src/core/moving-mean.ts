/** Centred mean over an odd number of values; the window shrinks at the ends. */
export function movingMean(values: ArrayLike<number>, window: number): Float64Array {
  const reach = (window - 1) >> 1;
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i]! + values[i]!;
  return Float64Array.from({ length: values.length }, (_, i) => {
    const from = Math.max(0, i - reach);
    const to = Math.min(values.length, i + reach + 1);
    return (sums[to]! - sums[from]!) / (to - from);
  });
}
