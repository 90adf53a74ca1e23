/** Bytes `start` to `end` (exclusive) of a file. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * Reads a `Range` header (RFC 9110 §14).
 *
 * @returns The range, `unsatisfiable`, or undefined for the whole file: also for several ranges and for what is no
 *   range at all, which a server may ignore.
 */
export function readRange(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (!match[1] && !match[2])) return undefined;
  const [first, last] = [match[1]!, match[2]!];
  if (!first) {
    const length = Math.min(Number(last), sizeBytes);
    return length > 0 ? { start: sizeBytes - length, end: sizeBytes } : 'unsatisfiable';
  }
  const start = Number(first);
  const end = last ? Math.min(Number(last) + 1, sizeBytes) : sizeBytes;
  if (last && Number(last) < start) return undefined;
  return start < sizeBytes ? { start, end } : 'unsatisfiable';
}
