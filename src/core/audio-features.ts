import { melFilters, powerSpectrum } from './spectrum.js';

/** Sound analysis frames per second of sound; four of them make one 25 Hz frame of the speaker model. */
export const featureRateHz = 100;
/** Numbers in one row of features. */
export const featureSize = 13;

const stepSamples = 160;
const frameSamples = 400;
const fftSize = 512;
/**
 * Stands in for an energy of zero, so that its logarithm exists: the float64 epsilon, as in the reference.
 */
const epsilon = 2 ** -52;

/** Turns sound into features piece by piece; the same rows however the sound is cut. */
export interface FeatureStream {
  /** @returns The rows that are complete now, float64 `[rows, 13]`. */
  push(samples: Float32Array): Float64Array;
  /** Ends the sound: the last rows, their windows filled with zeros. In all there are ceil(samples / 160) rows. */
  finish(): Float64Array;
  /** What another stream goes on from. */
  save(): FeatureState;
}

/** A feature stream between two pushes: the samples that wait for their windows, and counts. */
export type FeatureState = {
  readonly pending: Float64Array;
  /** The last sample, for pre-emphasis; absent before the first. */
  readonly last?: number;
  readonly consumedRows: number;
  readonly receivedSamples: number;
};

/**
 * Mel-frequency cepstral coefficients, number for number those of the Python package python_speech_features
 * with `numcep=13, winlen=0.025, winstep=0.01` and its defaults: pre-emphasis 0.97, rectangular 25 ms windows
 * every 10 ms, 512-point power spectrum, 26 mel filters, orthonormal DCT, lifter 22, log energy in place of
 * the first coefficient. Speaker models were trained on exactly these; samples in ±1 are brought to the int16
 * range first, because the log energy depends on the range.
 *
 * @param saved - State of another stream; the new stream goes on from there.
 * @returns A stream that takes 16 kHz mono sound in ±1.
 */
export function createFeatureStream(saved?: FeatureState): FeatureStream {
  let pending = saved?.pending ?? new Float64Array(0);
  let last = saved?.last;
  let consumed = saved?.consumedRows ?? 0;
  let received = saved?.receivedSamples ?? 0;
  const take = (rows: number) => {
    const out = new Float64Array(rows * featureSize);
    for (let row = 0; row < rows; row++) {
      const start = row * stepSamples;
      featuresOf(pending.subarray(start, start + frameSamples), out.subarray(row * featureSize));
    }
    pending = pending.slice(rows * stepSamples);
    consumed += rows;
    return out;
  };
  return {
    push(samples) {
      const joined = new Float64Array(pending.length + samples.length);
      joined.set(pending);
      for (let i = 0; i < samples.length; i++) {
        const sample = toInt16(samples[i]!);
        joined[pending.length + i] = last === undefined ? sample : sample - 0.97 * last;
        last = sample;
      }
      pending = joined;
      received += samples.length;
      return take(Math.max(0, Math.floor((pending.length - frameSamples) / stepSamples) + 1));
    },
    finish() {
      const rows = Math.ceil(received / stepSamples) - consumed;
      const padded = new Float64Array(Math.max(0, rows - 1) * stepSamples + frameSamples);
      padded.set(pending.subarray(0, padded.length));
      pending = padded;
      return take(rows);
    },
    save: () => ({
      pending,
      ...(last !== undefined && { last }),
      consumedRows: consumed,
      receivedSamples: received,
    }),
  };
}

/** Features of a whole sound at once, float64 `[ceil(samples / 160), 13]`; see {@link createFeatureStream}. */
export function audioFeatures(samples: Float32Array): Float64Array {
  const stream = createFeatureStream();
  const head = stream.push(samples);
  const tail = stream.finish();
  const out = new Float64Array(head.length + tail.length);
  out.set(head);
  out.set(tail, head.length);
  return out;
}

/** The reference reads 16-bit files, so the fraction that a resampler leaves is rounded away here too. */
const toInt16 = (sample: number) => Math.min(32767, Math.max(-32768, Math.round(sample * 32768)));

const filters = melFilters(26, fftSize, 16_000);

/** `[13, 26]`: orthonormal DCT-II times the lifter, which the reference applies one after the other. */
const cepstrum = Array.from({ length: featureSize }, (_, k) =>
  Float64Array.from(
    { length: filters.length },
    (_, m) =>
      (1 + 11 * Math.sin((Math.PI * k) / 22)) *
      Math.sqrt((k ? 2 : 1) / filters.length) *
      Math.cos((Math.PI * k * (2 * m + 1)) / (2 * filters.length)),
  ),
);

function featuresOf(frame: Float64Array, out: Float64Array): void {
  const power = powerSpectrum(frame, fftSize);
  let energy = 0;
  for (const value of power) energy += value;
  const logs = filters.map(({ start, weights }) => {
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += power[start + i]! * weights[i]!;
    return Math.log(sum || epsilon);
  });
  out[0] = Math.log(energy || epsilon);
  for (let k = 1; k < featureSize; k++) {
    const row = cepstrum[k]!;
    let sum = 0;
    for (let m = 0; m < row.length; m++) sum += logs[m]! * row[m]!;
    out[k] = sum;
  }
}
