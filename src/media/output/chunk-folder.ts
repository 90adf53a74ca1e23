import { chunkName, chunkRecordName, isChunkOf } from '../../schema/chunk-names.js';
import {
  type ChunkExtent,
  type ChunkRecord,
  type ClosedChunk,
  isClosed,
  readRecord,
  takeOver,
} from './chunk-record.js';
import { toWriteError } from './write-error.js';

/** A clip's closed chunks in a directory of the origin private file system. */
export type ChunkFolder = {
  readonly record: ChunkRecord;
  /** A closed chunk's bytes, which are an MP4 file. */
  open(index: number): Promise<File>;
  /** Takes note of one more closed chunk; a later render knows only of chunks that were noted. */
  put(index: number, chunk: ClosedChunk, description: string): Promise<void>;
  /** Removes everything, the record first. */
  discard(): Promise<void>;
};

/**
 * Looks what an earlier render of a clip left, and removes what does not serve the present render.
 *
 * @param work - {@link hashOfData} of what is rendered now, beside what its frames show.
 * @param shownIn - A hash of what the frames of a chunk have to show.
 */
export async function openChunkFolder(
  directory: FileSystemDirectoryHandle,
  clipName: string,
  { work, shownIn }: { readonly work: string; readonly shownIn: (extent: ChunkExtent) => Promise<string> },
): Promise<ChunkFolder> {
  const recordName = chunkRecordName(clipName);
  const names = await namesOf(directory, clipName);
  const found = names.includes(recordName) ? await readJson(directory, recordName) : undefined;
  const sizes = new Map<number, number>();
  for (const index of readRecord(found)?.chunks.keys() ?? []) {
    const name = chunkName(clipName, index);
    if (names.includes(name)) sizes.set(index, (await openFile(directory, name)).size);
  }
  const shown = await Promise.all(readRecord(found)?.chunks.map(shownIn) ?? []);
  let record = takeOver(found, work, { sizes, shown });
  const kept = new Set(record.chunks.flatMap((chunk, i) => (isClosed(chunk) ? chunkName(clipName, i) : [])));
  // A record that names more than there is does no harm: its sizes are looked at each time.
  if (kept.size) kept.add(recordName);
  await removeAll(
    directory,
    names.filter(name => !kept.has(name)),
  );
  return {
    get record() {
      return record;
    },
    open: index => openFile(directory, chunkName(clipName, index)),
    async put(index, chunk, description) {
      const next = { ...record, description, chunks: record.chunks.toSpliced(index, 1, chunk) };
      try {
        const handle = await directory.getFileHandle(recordName, { create: true });
        // What is written shows only at `close`, all at once.
        const writable = await handle.createWritable();
        await writable.write(JSON.stringify(next));
        await writable.close();
      } catch (error) {
        throw toWriteError(error);
      }
      record = next;
    },
    discard: () => removeChunks(directory, clipName),
  };
}

/**
 * Removes what resumable renders of a clip left in a directory; a later render begins anew. For when the clip
 * is not wanted any more, and nobody is rendering it.
 */
export async function removeChunks(directory: FileSystemDirectoryHandle, clipName: string): Promise<void> {
  const recordName = chunkRecordName(clipName);
  const names = await namesOf(directory, clipName);
  // Without the record the other files are nothing, so whoever is stopped in between leaves nothing half.
  const others = names.filter(name => name !== recordName);
  await removeAll(directory, [recordName, ...others]);
}

async function namesOf(directory: FileSystemDirectoryHandle, clipName: string): Promise<string[]> {
  const names: string[] = [];
  for await (const name of directory.keys()) if (isChunkOf(name, clipName)) names.push(name);
  return names;
}

async function removeAll(directory: FileSystemDirectoryHandle, names: readonly string[]): Promise<void> {
  for (const name of names)
    await directory.removeEntry(name).catch(error => {
      // One that is gone is removed; a draft that a stopped worker has not let go of yet says nothing to anybody.
      const harmless = ['NotFoundError', 'NoModificationAllowedError'];
      if (!(error instanceof DOMException && harmless.includes(error.name))) throw error;
    });
}

const openFile = async (directory: FileSystemDirectoryHandle, name: string): Promise<File> =>
  (await directory.getFileHandle(name)).getFile();

async function readJson(directory: FileSystemDirectoryHandle, name: string): Promise<unknown> {
  const text = await (await openFile(directory, name)).text();
  try {
    return JSON.parse(text);
  } catch {
    // The record's first write was cut off: the file was made and nothing came to be in it.
    return undefined;
  }
}
