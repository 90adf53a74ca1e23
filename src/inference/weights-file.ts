import { sha256Hex } from '../identity/sha256-hex.js';
import type { ModelEntry } from '../schema/model.js';

/** A file's bytes, or in words why there are none. */
export type FileAnswer =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'missing'; readonly why: string };

export type ReadFileOptions = {
  readonly fetch: typeof fetch;
  /** Bytes that the file should have; reading stops as soon as there are more. Absent: any number. */
  readonly expectedBytes?: number;
  /** Called for every piece; `totalBytes` is what is expected, else what the server says, else what came. */
  readonly onBytes?: (receivedBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
};

/**
 * Streams a file into memory.
 *
 * @throws The signal's reason.
 */
export async function readFile(url: string, options: ReadFileOptions): Promise<FileAnswer> {
  // Taken off its object: the global fetch refuses any other `this`.
  const { fetch: read, signal, expectedBytes } = options;
  const pieces: Uint8Array[] = [];
  let receivedBytes = 0;
  try {
    const response = await read(url, signal ? { signal } : {});
    if (!response.ok) {
      await response.body?.cancel();
      return { kind: 'missing', why: `HTTP ${response.status}` };
    }
    // Development servers answer unknown paths with their start page and status 200.
    if (response.headers.get('content-type')?.includes('text/html')) {
      await response.body?.cancel();
      return { kind: 'missing', why: 'the server answered with a web page' };
    }
    const declared = Number(response.headers.get('content-length') ?? 0);
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      receivedBytes += piece.length;
      options.onBytes?.(receivedBytes, expectedBytes ?? Math.max(declared, receivedBytes));
      // A wrong file may be of any size: what is known to be too long is not worth its memory.
      if (expectedBytes !== undefined && receivedBytes > expectedBytes) break;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'missing', why: `the connection failed after ${receivedBytes} bytes (${reason})` };
  }
  return { kind: 'bytes', bytes: join(pieces, receivedBytes) };
}

/** Whether the bytes are the file that the manifest means. */
export async function matchesEntry(bytes: Uint8Array<ArrayBuffer>, entry: ModelEntry): Promise<boolean> {
  return bytes.length === entry.bytes && (await sha256Hex(bytes)) === entry.sha256;
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
