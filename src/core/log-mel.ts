import { melFilters, powerSpectrum } from './spectrum.js';

/** Numbers in one log-mel row. */
export const logMelSize = 40;

const stepSamples = 160;
const frameSamples = 400;
const fftSize = 512;
/** Least energy of a band: what stands in for digital silence. */
const leastEnergy = 1e-10;
const filters = melFilters(logMelSize, fftSize, 16_000);
const hann = Float64Array.from(
  { length: frameSamples },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frameSamples),
);

/**
 * Natural logarithms of the energies in 40 mel bands, for every whole Hann window of 25 ms, one each 10 ms. What
 * the voice embedding is trained on: `models/training/voice/features.py` computes the same numbers.
 *
 * @param samples - 16 kHz mono sound in ±1.
 * @returns Float32 `[rows, 40]`; no rows for sound of less than 25 ms.
 */
export function logMel(samples: Float32Array): Float32Array {
  const rows = Math.max(0, Math.floor((samples.length - frameSamples) / stepSamples) + 1);
  const out = new Float32Array(rows * logMelSize);
  const frame = new Float64Array(frameSamples);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < frameSamples; i++) frame[i] = samples[row * stepSamples + i]! * hann[i]!;
    const power = powerSpectrum(frame, fftSize);
    filters.forEach(({ start, weights }, band) => {
      let energy = 0;
      for (let i = 0; i < weights.length; i++) energy += power[start + i]! * weights[i]!;
      out[row * logMelSize + band] = Math.log(Math.max(leastEnergy, energy));
    });
  }
  return out;
}
