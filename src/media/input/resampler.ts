/** Tuned numbers of {@link createResampler}. */
export type ResamplerOptions = {
  /** Width of the slope between pass and stop band, in output Nyquist frequencies. 0.1: flat to 7.2 kHz at 16 kHz. */
  readonly transitionRatio: number;
  /** Attenuation of what would alias, in decibels. 16-bit sound has 96; speech models are content with 60. */
  readonly stopBandDb: number;
};

export const defaultResamplerOptions: ResamplerOptions = { transitionRatio: 0.1, stopBandDb: 70 };

/** Streaming change of sample rate: same start, no delay, whatever the size of the pieces. */
export type Resampler = {
  /** Takes samples, gives those that are complete. */
  push(samples: Float32Array): Float32Array;
  /** The rest: as many samples as the input lasts at the output rate, rounded up. */
  finish(): Float32Array;
};

/**
 * A windowed-sinc resampler: output sample `k` is the band-limited input at time `k / outputRateHz`, counted from the
 * first input sample; before and after the input lies silence. The kernel is symmetric about that time, so the
 * filter's constant delay never shows.
 *
 * @param inputRateHz - Whole number of samples per second.
 * @param outputRateHz - Whole number of samples per second.
 * @see Oppenheim and Schafer, "Discrete-Time Signal Processing", 7.6, for the Kaiser window's formulas.
 */
export function createResampler(
  inputRateHz: number,
  outputRateHz: number,
  options: ResamplerOptions = defaultResamplerOptions,
): Resampler {
  const shared = gcd(inputRateHz, outputRateHz);
  /** Output positions repeat relative to the input after this many outputs (`phases`) and inputs (`stride`). */
  const phases = outputRateHz / shared;
  const stride = inputRateHz / shared;
  const half = halfTaps(inputRateHz, outputRateHz, options);
  const taps = 2 * half;
  const kernels = buildKernels(phases, half, inputRateHz, outputRateHz, options);

  // `pending` holds input from `pendingStart` on; silence before the first sample fills the kernel's left half.
  let pending = new Float32Array(half - 1);
  let pendingStart = 1 - half;
  let received = 0;
  let produced = 0;

  const run = (available: number, limit: number): Float32Array => {
    const out: number[] = [];
    for (; produced < limit; produced++) {
      const scaled = produced * stride;
      const base = Math.floor(scaled / phases);
      if (base + half >= available) break;
      const from = base - half + 1 - pendingStart;
      const kernel = (scaled % phases) * taps;
      let sum = 0;
      for (let i = 0; i < taps; i++) sum += pending[from + i]! * kernels[kernel + i]!;
      out.push(sum);
    }
    const keepFrom = Math.floor((produced * stride) / phases) - half + 1;
    if (keepFrom > pendingStart) {
      pending = pending.slice(Math.min(keepFrom - pendingStart, pending.length));
      pendingStart = keepFrom;
    }
    return Float32Array.from(out);
  };
  const append = (samples: Float32Array) => {
    const joined = new Float32Array(pending.length + samples.length);
    joined.set(pending);
    joined.set(samples, pending.length);
    pending = joined;
  };

  if (phases === 1 && stride === 1)
    return { push: samples => samples.slice(), finish: () => new Float32Array() };
  return {
    push(samples) {
      append(samples);
      received += samples.length;
      return run(received, Number.POSITIVE_INFINITY);
    },
    finish() {
      append(new Float32Array(half + 1));
      return run(received + half + 1, Math.ceil((received * phases) / stride));
    },
  };
}

/** Half the kernel's length in input samples, by Kaiser's rule for the wanted slope and attenuation. */
function halfTaps(inputRateHz: number, outputRateHz: number, options: ResamplerOptions): number {
  const nyquist = Math.min(inputRateHz, outputRateHz) / 2;
  const slope = (2 * Math.PI * nyquist * options.transitionRatio) / inputRateHz;
  return Math.ceil((options.stopBandDb - 8) / (2.285 * slope) / 2) + 1;
}

/** One kernel per phase, each of unit gain at 0 Hz: `[phases][2 * half]`. */
function buildKernels(
  phases: number,
  half: number,
  inputRateHz: number,
  outputRateHz: number,
  { transitionRatio, stopBandDb }: ResamplerOptions,
): Float32Array {
  const nyquist = Math.min(inputRateHz, outputRateHz) / 2;
  // The stop band begins at the Nyquist frequency itself: nothing above it survives.
  const cutoff = (nyquist * (1 - transitionRatio / 2)) / inputRateHz;
  const beta = stopBandDb > 50 ? 0.1102 * (stopBandDb - 8.7) : 5.65;
  const taps = 2 * half;
  const kernels = new Float32Array(phases * taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    const row = new Float64Array(taps);
    for (let i = 0; i < taps; i++) {
      const distance = i - (half - 1) - phase / phases;
      const place = distance / half;
      const window = Math.abs(place) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - place * place)) / bessel(beta);
      const x = 2 * Math.PI * cutoff * distance;
      row[i] = window * (x === 0 ? 1 : Math.sin(x) / x);
      sum += row[i]!;
    }
    for (let i = 0; i < taps; i++) kernels[phase * taps + i] = row[i]! / sum;
  }
  return kernels;
}

/** Modified Bessel function of the first kind, order 0, by its series. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
