import { BufferTarget, StreamTarget, type StreamTargetChunk, type Target } from 'mediabunny';
import { toWriteError } from './write-error.js';

/**
 * Where the encoded file goes. `file`: into a directory (OPFS) under a `.part` name until it is complete; `stream`:
 * chunks with positions, which is what `FileSystemFileHandle.createWritable()` takes; `blob`: memory.
 */
export type OutputTarget =
  | { readonly kind: 'file'; readonly directory: FileSystemDirectoryHandle; readonly name: string }
  | { readonly kind: 'stream'; readonly writable: WritableStream<StreamTargetChunk> }
  | { readonly kind: 'blob' };

/** An {@link OutputTarget} being written to. */
export type OpenTarget = {
  readonly target: Target;
  /** The file is complete: gives it its name, or its bytes. */
  commit(): Promise<{
    readonly sizeBytes: number;
    readonly blob?: Blob;
    readonly file?: FileSystemFileHandle;
  }>;
  /** Removes what was written. */
  discard(): Promise<void>;
};

/** A file that never got its final name ends like this. */
export const partSuffix = '.part';

/** Bytes per write: few enough writes to be fast, small enough not to matter in memory. */
const chunkBytes = 1 << 20;

/** @throws ReframeError `quota_exceeded` if the file cannot be made. */
export async function openTarget(target: OutputTarget): Promise<OpenTarget> {
  if (target.kind === 'blob') return openMemory();
  if (target.kind === 'stream') return openStream(target.writable);
  const { directory } = target;
  const partName = target.name + partSuffix;
  try {
    const handle = await directory.getFileHandle(partName, { create: true });
    return await openFile(target, handle);
  } catch (error) {
    await directory.removeEntry(partName).catch(() => undefined);
    throw toWriteError(error);
  }
}

function openMemory(): OpenTarget {
  const target = new BufferTarget();
  return {
    target,
    async commit() {
      const blob = new Blob([target.buffer!], { type: 'video/mp4' });
      return { sizeBytes: blob.size, blob };
    },
    discard: async () => undefined,
  };
}

function openStream(writable: WritableStream<StreamTargetChunk>): OpenTarget {
  const target = new StreamTarget(writable, { chunked: true, chunkSize: chunkBytes });
  let sizeBytes = 0;
  target.on('write', ({ end }) => (sizeBytes = Math.max(sizeBytes, end)));
  return {
    target,
    commit: async () => ({ sizeBytes }),
    // Whoever gave the stream learns of the abort by its reason; a stream that is closed already cannot be aborted.
    discard: () => writable.abort().catch(() => undefined),
  };
}

async function openFile(
  { directory, name }: OutputTarget & { kind: 'file' },
  handle: FileSystemFileHandle,
): Promise<OpenTarget> {
  const writable = await handle.createWritable();
  return {
    target: new StreamTarget(writable, { chunked: true, chunkSize: chunkBytes }),
    async commit() {
      // `move` renames within the directory and replaces an older file of that name.
      await (handle as FileSystemFileHandle & { move(name: string): Promise<void> }).move(name);
      const file = await directory.getFileHandle(name);
      return { sizeBytes: (await file.getFile()).size, file };
    },
    async discard() {
      await writable.abort().catch(() => undefined);
      await directory.removeEntry(name + partSuffix).catch(() => undefined);
    },
  };
}
