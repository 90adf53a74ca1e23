/** Samples that Whisper listens to at once: 30 s at 16 kHz. */
export const whisperSamples = 480_000;
/** Rows of features for them, one each 10 ms. */
export const whisperRows = 3000;

const windowSamples = 400;
const stepSamples = 160;
const sampleRateHz = 16_000;
const half = windowSamples / 2;
const leastEnergy = 1e-10;
/** What is this much below the loudest, in powers of ten, is as good as silent. */
const rangeDecades = 8;

/**
 * What Whisper (Radford et al. 2022, https://arxiv.org/abs/2212.04356) listens to: energies in mel bands of Slaney's scale
 * and area, of Hann windows of 25 ms each 10 ms whose middles begin at the first sample, mirrored at both ends; decimal
 * logarithms, at most eight below the loudest, brought to about ±1. The numbers of openai/whisper's `audio.py`.
 *
 * @param samples - 16 kHz mono in ±1, at most 30 s; the rest of 30 s is silence.
 * @param bands - 80, or 128 for the third large model.
 * @returns Float32 `[bands, 3000]`.
 */
export function whisperMel(samples: Float32Array, bands: number): Float32Array {
  const filters = filtersOf(bands);
  const out = new Float32Array(bands * whisperRows).fill(Math.log10(leastEnergy));
  const frame = new Float64Array(windowSamples);
  // Behind the last sample every row is silence.
  const heardRows = Math.min(whisperRows, Math.ceil((samples.length + half) / stepSamples));
  let loudest = Math.log10(leastEnergy);
  for (let row = 0; row < heardRows; row++) {
    for (let i = 0; i < windowSamples; i++)
      frame[i] = sampleAt(samples, row * stepSamples + i - half) * hann[i]!;
    const power = powersOf(frame);
    filters.forEach(({ start, weights }, band) => {
      let energy = 0;
      for (let i = 0; i < weights.length; i++) energy += power[start + i]! * weights[i]!;
      const level = Math.log10(Math.max(leastEnergy, energy));
      out[band * whisperRows + row] = level;
      loudest = Math.max(loudest, level);
    });
  }
  const least = loudest - rangeDecades;
  return out.map(level => (Math.max(level, least) + 4) / 4);
}

const hann = Float64Array.from(
  { length: windowSamples },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowSamples),
);

/** The sound, mirrored at the ends of its 30 s. */
function sampleAt(samples: Float32Array, at: number): number {
  const place = at < 0 ? -at : at >= whisperSamples ? 2 * (whisperSamples - 1) - at : at;
  return samples[place] ?? 0;
}

/** `[201, 199]`: what a sample and its mirror image give each frequency. 400 is no power of two. */
const [cosines, sines] = [Math.cos, Math.sin].map(wave =>
  Float64Array.from({ length: (half + 1) * (half - 1) }, (_, at) => {
    const [frequency, sample] = [Math.floor(at / (half - 1)), (at % (half - 1)) + 1];
    return wave((2 * Math.PI * ((frequency * sample) % windowSamples)) / windowSamples);
  }),
) as [Float64Array, Float64Array];

/** |DFT|² of a real frame, 0 Hz to half the sample rate, by its even and odd parts. */
function powersOf(frame: Float64Array): Float64Array {
  const even = new Float64Array(half - 1);
  const odd = new Float64Array(half - 1);
  for (let i = 1; i < half; i++) {
    even[i - 1] = frame[i]! + frame[windowSamples - i]!;
    odd[i - 1] = frame[i]! - frame[windowSamples - i]!;
  }
  const powers = new Float64Array(half + 1);
  for (let k = 0; k <= half; k++) {
    let re = frame[0]! + (k % 2 ? -1 : 1) * frame[half]!;
    let im = 0;
    const row = k * (half - 1);
    for (let i = 0; i < half - 1; i++) {
      re += even[i]! * cosines[row + i]!;
      im += odd[i]! * sines[row + i]!;
    }
    powers[k] = re * re + im * im;
  }
  return powers;
}

type Filter = { readonly start: number; readonly weights: Float64Array };
const known = new Map<number, readonly Filter[]>();

/** Triangles on Slaney's mel scale (linear up to 1 kHz, then 27 steps to 6.4 times as much), each of the same area. */
function filtersOf(bands: number): readonly Filter[] {
  const found = known.get(bands);
  if (found) return found;
  const lineHz = 200 / 3;
  const bendMel = 1000 / lineHz;
  const step = Math.log(6.4) / 27;
  const topMel = bendMel + Math.log(sampleRateHz / 2 / 1000) / step;
  const edges = Array.from({ length: bands + 2 }, (_, i) => {
    const mel = (topMel * i) / (bands + 1);
    return mel < bendMel ? mel * lineHz : 1000 * Math.exp(step * (mel - bendMel));
  });
  const binHz = sampleRateHz / windowSamples;
  const made = Array.from({ length: bands }, (_, band): Filter => {
    const [low, peak, high] = edges.slice(band, band + 3) as [number, number, number];
    const start = Math.ceil(low / binHz);
    const count = Math.max(0, Math.floor(high / binHz) - start + 1);
    const weights = Float64Array.from({ length: count }, (_, i) => {
      const hz = (start + i) * binHz;
      return (Math.min((hz - low) / (peak - low), (high - hz) / (high - peak)) * 2) / (high - low);
    });
    return { start, weights };
  });
  known.set(bands, made);
  return made;
}
