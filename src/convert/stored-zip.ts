import { corrupt } from './corrupt.js';

// Signatures and offsets: PKWARE's APPNOTE.TXT, sections 4.3.7 (file header), 4.3.12 (directory) and 4.3.16 (its end).
const fileSignature = 0x04034b50;
const entrySignature = 0x02014b50;
const endSignature = 0x06054b50;
const fileHeaderBytes = 30;
const entryHeaderBytes = 46;
const endBytes = 22;
/** The comment after the directory's end is at most this long. */
const longestComment = 0xffff;
/** Stands where the true value is in a 64-bit record: of a file too large to be a speaker model. */
const isElsewhere = 0xffffffff;

/**
 * Reads a zip archive whose files are stored as they are, as PyTorch writes checkpoints. Compressed files are
 * refused, so nothing here ever grows: what comes back are views of `bytes`, checked against their CRC-32.
 *
 * @param expected - What the archive should be, for messages.
 * @returns Contents by name.
 * @throws ReframeError `model_corrupt` when the archive is cut short, damaged, compressed, encrypted or no
 *   archive at all.
 */
export function readStoredZip(bytes: Uint8Array, expected: string): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined)
    throw corrupt(
      `Expected ${expected}, which ends with a zip directory; these ${bytes.length} bytes do not.`,
    );
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  let total = 0;
  const files = new Map<string, Uint8Array>();
  for (let i = 0; i < count; i++) {
    if (at + entryHeaderBytes > end || view.getUint32(at, true) !== entrySignature)
      throw corrupt(`Expected ${expected}; entry ${i + 1} of ${count} is not in the zip directory.`);
    const nameLength = view.getUint16(at + 28, true);
    const name = text(bytes, at + entryHeaderBytes, nameLength);
    const content = readEntry(view, at, `"${name}" of ${expected}`);
    // Files that lie over one another make a small archive cost without end.
    total += content.length;
    if (total > bytes.length) throw corrupt(`The files of ${expected} overlap.`);
    if (crc32(content) !== view.getUint32(at + 16, true))
      throw corrupt(`"${name}" of ${expected} is damaged: its CRC-32 is another one.`);
    files.set(name, content);
    at += entryHeaderBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return files;
}

/** Where the directory's end begins: at the very end, but for a comment. */
function findEnd(view: DataView): number | undefined {
  const last = view.byteLength - endBytes;
  for (let at = last; at >= Math.max(0, last - longestComment); at--)
    if (view.getUint32(at, true) === endSignature) return at;
  return undefined;
}

/** The bytes that the directory's entry at `at` speaks of. */
function readEntry(view: DataView, at: number, what: string): Uint8Array {
  if (view.getUint16(at + 8, true) & 1) throw corrupt(`${what} is encrypted.`);
  if (view.getUint16(at + 10, true) !== 0)
    throw corrupt(`${what} is compressed; PyTorch stores checkpoints as they are.`);
  const size = view.getUint32(at + 24, true);
  const header = view.getUint32(at + 42, true);
  if (size === isElsewhere || header === isElsewhere) throw corrupt(`${what} claims 4 GB or more.`);
  if (header + fileHeaderBytes > view.byteLength || view.getUint32(header, true) !== fileSignature)
    throw corrupt(`${what} is not where the zip directory says.`);
  const from =
    header + fileHeaderBytes + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
  if (from + size > view.byteLength)
    throw corrupt(`${what} claims ${size} bytes where the file has ${Math.max(0, view.byteLength - from)}.`);
  return new Uint8Array(view.buffer, view.byteOffset + from, size);
}

const text = (bytes: Uint8Array, at: number, length: number): string =>
  new TextDecoder().decode(bytes.subarray(at, at + length));

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32 as zip archives use it (reflected polynomial 0xEDB88320). */
function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = crcTable[(rest ^ byte) & 0xff]! ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}
