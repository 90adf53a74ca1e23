import { parseTfjsManifest } from '../schema/tfjs-manifest.js';
import { corrupt } from './corrupt.js';

/** A tensor as it is stored: a number stands for `number * step + offset`. */
export type StoredTensor = {
  readonly dims: readonly number[];
  /** Bytes where the tensor is quantised; else the values, with a step of 1 and an offset of 0. */
  readonly numbers: Uint8Array | Float32Array;
  readonly step: number;
  readonly offset: number;
};

/** What the stored numbers stand for. */
export const valuesOf = ({ numbers, step, offset }: StoredTensor): Float64Array =>
  Float64Array.from(numbers, number => number * step + offset);

/**
 * Reads weights as TensorFlow.js stores them: a manifest, and all tensors one after the other, as bytes or float32.
 *
 * @param manifest - Text of the manifest.
 * @throws ReframeError `model_corrupt` for another format, or where there are more or fewer bytes than the manifest says.
 */
export function readTfjsWeights(manifest: string, bytes: Uint8Array): ReadonlyMap<string, StoredTensor> {
  const entries = parseTfjsManifest(manifest);
  if (!entries) throw corrupt('This is no manifest of weights for TensorFlow.js.');
  const sizeBytes = ({ shape, quantization }: (typeof entries)[number]) =>
    shape.reduce((product, dim) => product * dim, quantization ? 1 : 4);
  const told = entries.reduce((sum, entry) => sum + sizeBytes(entry), 0);
  if (told !== bytes.length) throw corrupt(`The manifest tells of ${told} bytes; there are ${bytes.length}.`);
  let at = 0;
  return new Map(
    entries.map(entry => {
      const { name, shape: dims, quantization } = entry;
      // A copy, because float32 numbers may lie anywhere in the file.
      const own = new Uint8Array(bytes.subarray(at, at + sizeBytes(entry)));
      at += own.length;
      const numbers = quantization ? own : new Float32Array(own.buffer);
      return [name, { dims, numbers, step: quantization?.scale ?? 1, offset: quantization?.min ?? 0 }];
    }),
  );
}
