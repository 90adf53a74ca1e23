import { corrupt } from './corrupt.js';
import { readStoredZip } from './stored-zip.js';
import { unpickleStateDict } from './unpickle.js';

/** Reads float32 tensors of a checkpoint by name. */
export interface Checkpoint {
  /**
   * Gives a tensor's numbers, row by row, by its name in the state dict.
   *
   * @param shape - The shape that the tensor must have.
   * @throws ReframeError `model_corrupt` when the tensor is missing or has another shape.
   */
  tensor(name: string, shape: readonly number[]): Float32Array;
}

/**
 * Opens a checkpoint as `torch.save(model.state_dict())` writes it since PyTorch 1.6: a zip archive with `data.pkl` and
 * a file for each storage.
 *
 * @param expected - What the file should be, for messages.
 * @throws ReframeError `model_corrupt` when the file is cut short, damaged, or holds anything but tensors.
 */
export function openCheckpoint(bytes: Uint8Array, expected: string): Checkpoint {
  const files = readStoredZip(bytes, expected);
  const pickle = [...files.keys()].find(name => /^[^/]+\/data\.pkl$/.test(name));
  if (!pickle) throw corrupt(`Expected ${expected}, which holds "data.pkl"; this archive does not.`);
  const folder = pickle.slice(0, -'data.pkl'.length);
  const order = files.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(order) !== 'little')
    throw corrupt(`Expected ${expected} in little-endian byte order.`);
  const tensors = unpickleStateDict(files.get(pickle)!);
  return {
    tensor(name, shape) {
      const record = tensors.get(name);
      if (!record) throw corrupt(`Expected ${expected} with a tensor "${name}"; it has none.`);
      const { storage, offset } = record;
      if (storage.type !== 'float32' || record.shape.join() !== shape.join())
        throw corrupt(
          `Expected ${expected}, whose "${name}" is float32 [${shape}], not ${storage.type} [${record.shape}].`,
        );
      const file = files.get(`${folder}data/${storage.key}`);
      if (file?.length !== storage.length * Float32Array.BYTES_PER_ELEMENT)
        throw corrupt(
          `Expected ${storage.length} numbers for "${name}" in ${expected}; its file has ${file?.length ?? 0} bytes.`,
        );
      const length = shape.reduce((product, size) => product * size, 1);
      // A copy: files lie at odd places of the archive, typed arrays must not.
      const from = offset * Float32Array.BYTES_PER_ELEMENT;
      return new Float32Array(file.slice(from, from + length * Float32Array.BYTES_PER_ELEMENT).buffer);
    },
  };
}
