/** A triangular filter: `weights` apply from spectrum bin `start` on. */
export type MelFilter = { readonly start: number; readonly weights: Float64Array };

/**
 * Triangular filters whose edges are equally spaced on the mel scale from 0 Hz to half the sample rate and
 * rounded down to spectrum bins (the usual textbook bank, as python_speech_features builds it).
 *
 * @param count - Number of filters.
 */
export function melFilters(count: number, fftSize: number, sampleRateHz: number): MelFilter[] {
  const topMel = 2595 * Math.log10(1 + sampleRateHz / 2 / 700);
  const bins = Array.from({ length: count + 2 }, (_, i) => {
    const hz = 700 * (10 ** ((topMel * i) / (count + 1) / 2595) - 1);
    // The top edge is half the sample rate itself; rounding in the power must not push it one bin down.
    return Math.floor(((fftSize + 1) * hz) / sampleRateHz + 1e-9);
  });
  return Array.from({ length: count }, (_, m) => {
    const [low, peak, high] = [bins[m]!, bins[m + 1]!, bins[m + 2]!];
    const weights = Float64Array.from({ length: high - low }, (_, i) =>
      low + i < peak ? i / (peak - low) : (high - low - i) / (high - peak),
    );
    return { start: low, weights };
  });
}

const twiddles = new Map<number, { cos: Float64Array; sin: Float64Array; reversed: Uint16Array }>();

/**
 * Power spectrum |FFT|² / size of a real signal, zero-padded to `size` (a power of two up to 65536).
 *
 * @returns `size / 2 + 1` bins, from 0 Hz to half the sample rate.
 */
export function powerSpectrum(signal: Float64Array, size: number): Float64Array {
  const { cos, sin, reversed } = tablesOf(size);
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < signal.length; i++) re[reversed[i]!] = signal[i]!;
  for (let half = 1; half < size; half *= 2) {
    const stride = size / 2 / half;
    for (let start = 0; start < size; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const a = start + k;
        const b = a + half;
        const c = cos[k * stride]!;
        const s = sin[k * stride]!;
        const realPart = re[b]! * c + im[b]! * s;
        const imagPart = im[b]! * c - re[b]! * s;
        re[b] = re[a]! - realPart;
        im[b] = im[a]! - imagPart;
        re[a]! += realPart;
        im[a]! += imagPart;
      }
    }
  }
  return Float64Array.from({ length: size / 2 + 1 }, (_, k) => (re[k]! ** 2 + im[k]! ** 2) / size);
}

function tablesOf(size: number) {
  let tables = twiddles.get(size);
  if (tables) return tables;
  const bits = Math.log2(size);
  tables = {
    cos: Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size)),
    sin: Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((2 * Math.PI * k) / size)),
    reversed: Uint16Array.from({ length: size }, (_, i) => {
      let flipped = 0;
      for (let bit = 0; bit < bits; bit++) if (i & (1 << bit)) flipped |= 1 << (bits - 1 - bit);
      return flipped;
    }),
  };
  twiddles.set(size, tables);
  return tables;
}
