import { powerSpectrum } from './spectrum.js';

/** Numbers in one row. */
export const fbankSize = 80;

const sampleRateHz = 16_000;
const stepSamples = 160;
const frameSamples = 400;
const fftSize = 512;
const lowHz = 20;
/** The reference reads 16-bit files. */
const fullScale = 32_768;
/** Epsilon of float32, for energies that have no logarithm. */
const epsilon = 2 ** -23;

const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** Triangles on Kaldi's mel scale, from 20 Hz to half the sample rate; straight on that scale, not in Hz. */
const filters = (() => {
  const low = melOf(lowHz);
  const delta = (melOf(sampleRateHz / 2) - low) / (fbankSize + 1);
  const bins = Array.from({ length: fftSize / 2 }, (_, k) => melOf((sampleRateHz / fftSize) * k));
  return Array.from({ length: fbankSize }, (_, band) => {
    const left = low + band * delta;
    return Float64Array.from(bins, bin => Math.max(0, Math.min(bin - left, left + 2 * delta - bin) / delta));
  });
})();
const hamming = Float64Array.from(
  { length: frameSamples },
  (_, i) => 0.54 - 0.46 * Math.cos((2 * Math.PI * i) / (frameSamples - 1)),
);

/**
 * What speaker embeddings of the WeSpeaker kind listen to: `torchaudio.compliance.kaldi.fbank` with 80 bands, Hamming
 * windows of 25 ms each 10 ms, no dither and no energy, less the mean of each band over the piece.
 *
 * @param samples - 16 kHz mono in ±1, at least 25 ms.
 * @returns Float32 `[rows, 80]`, a row for each whole window.
 */
export function kaldiFbank(samples: Float32Array): Float32Array {
  const rows = Math.max(0, Math.floor((samples.length - frameSamples) / stepSamples) + 1);
  const out = new Float32Array(rows * fbankSize);
  const means = new Float64Array(fbankSize);
  for (let row = 0; row < rows; row++) {
    const power = powerSpectrum(frameAt(samples, row * stepSamples), fftSize);
    filters.forEach((weights, band) => {
      let energy = 0;
      for (let k = 0; k < weights.length; k++) energy += fftSize * power[k]! * weights[k]!;
      const level = Math.log(Math.max(epsilon, energy));
      out[row * fbankSize + band] = level;
      means[band]! += level / rows;
    });
  }
  return out.map((level, at) => level - means[at % fbankSize]!);
}

/** A window's samples less their mean, with the highs raised. */
function frameAt(samples: Float32Array, from: number): Float64Array {
  const frame = Float64Array.from(samples.subarray(from, from + frameSamples), sample => fullScale * sample);
  const mean = frame.reduce((sum, sample) => sum + sample, 0) / frameSamples;
  let before = frame[0]! - mean;
  return frame.map((sample, i) => {
    const own = sample - mean;
    const raised = own - 0.97 * before;
    before = own;
    return raised * hamming[i]!;
  });
}
