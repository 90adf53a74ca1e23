import { clipOfChunk } from '../../schema/chunk-names.js';
import { removeChunks } from './chunk-folder.js';

/** How much room chunks may take that wait for another render of their clip. */
export type ChunkLimits = {
  /** Seconds since a clip's chunks were last written or joined. */
  readonly maxAgeSec: number;
  /** Bytes of all chunks of finished clips together. */
  readonly maxSizeBytes: number;
};

/** Two weeks of corrections; 2 GiB are 45 minutes of 1080×1920. */
export const defaultChunkLimits: ChunkLimits = { maxAgeSec: 14 * 86_400, maxSizeBytes: 2 * 2 ** 30 };

/** Chunks that were touched so lately may belong to a render in another tab. */
const busySec = 3600;

type ChunkSet = { clip: string; sizeBytes: number; usedMs: number; isFinished: boolean };

/**
 * Removes chunks that nobody came back for: first those older than the limit, then, oldest first, those of clips that are
 * there, until the rest keeps within the limit of size. An unfinished clip's chunks go by age alone: they are all there is.
 *
 * @param clipName - Of the clip that is rendered now; its chunks stay.
 */
export async function dropOldChunks(
  directory: FileSystemDirectoryHandle,
  clipName: string,
  { limits = defaultChunkLimits, nowMs = Date.now() } = {},
): Promise<void> {
  const sets = await chunkSets(directory);
  const idle = sets
    .filter(({ clip, usedMs }) => clip !== clipName && nowMs - usedMs > busySec * 1000)
    .sort((a, b) => a.usedMs - b.usedMs);
  let total = sets.reduce((sum, { isFinished, sizeBytes }) => sum + (isFinished ? sizeBytes : 0), 0);
  for (const { clip, sizeBytes, usedMs, isFinished } of idle) {
    const isOld = nowMs - usedMs > limits.maxAgeSec * 1000;
    if (!isOld && !(isFinished && total > limits.maxSizeBytes)) continue;
    await removeChunks(directory, clip);
    if (isFinished) total -= sizeBytes;
  }
}

/** The chunks of each clip, by its name. */
async function chunkSets(directory: FileSystemDirectoryHandle): Promise<ChunkSet[]> {
  const sets = new Map<string, ChunkSet>();
  const names: string[] = [];
  for await (const name of directory.keys()) names.push(name);
  for (const name of names) {
    const clip = clipOfChunk(name);
    if (clip === undefined) continue;
    const set = sets.get(clip) ?? { clip, sizeBytes: 0, usedMs: 0, isFinished: names.includes(clip) };
    sets.set(clip, set);
    const { size, lastModified } = await (await directory.getFileHandle(name)).getFile();
    set.sizeBytes += size;
    set.usedMs = Math.max(set.usedMs, lastModified);
  }
  for (const set of sets.values()) {
    if (!set.isFinished) continue;
    // Joining writes the clip anew and leaves its chunks as they are.
    const { lastModified } = await (await directory.getFileHandle(set.clip)).getFile();
    set.usedMs = Math.max(set.usedMs, lastModified);
  }
  return [...sets.values()];
}
