import { sha256Hex } from './sha256-hex.js';

/**
 * Tells files apart without reading them whole: length and hash of the first, middle and last MiB. A file that is
 * picked again has the same one.
 */
export async function fingerprint(blob: Blob): Promise<string> {
  const mib = 1 << 20;
  const middle = Math.max(0, Math.floor(blob.size / 2 - mib / 2));
  const parts = [
    blob.slice(0, mib),
    blob.slice(middle, middle + mib),
    blob.slice(Math.max(0, blob.size - mib)),
  ];
  return shortHash(await new Blob([`${blob.size} `, ...parts]).arrayBuffer());
}

/** The first half of a SHA-256, as 32 hexadecimal digits: enough to tell files of one person apart. */
export const shortHash = async (bytes: BufferSource): Promise<string> =>
  (await sha256Hex(bytes)).slice(0, 32);
