import { chunkRecordName, clipOfChunk, isChunkOf } from '../../schema/chunk-names.js';
import type { Files } from './files.js';

/** A file that never got its final name ends like this. */
const draftSuffix = '.part';
/** Folder that the render worker writes its clips to: a clip it finished is in the store already. */
const folderName = 'edge-reframe';

type Movable = FileSystemFileHandle & { move(name: string): Promise<void> };

/** Media and clips in the browser's private storage (OPFS). */
export async function createStorageFiles(): Promise<Files> {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(folderName, { create: true });
  const remove = (name: string) => folder.removeEntry(name).catch(ignoreMissing);
  const names = async () => {
    const found: string[] = [];
    for await (const name of folder.keys()) found.push(name);
    return found;
  };
  return {
    clipTarget: 'storage',
    async open(name) {
      try {
        return await (await folder.getFileHandle(name)).getFile();
      } catch (error) {
        return ignoreMissing(error);
      }
    },
    async create(name) {
      const handle = (await folder.getFileHandle(name + draftSuffix, { create: true })) as Movable;
      const writable = await handle.createWritable();
      return {
        writable,
        async commit() {
          await writable.close();
          await handle.move(name);
        },
        async discard() {
          await writable.abort().catch(() => undefined);
          await remove(name + draftSuffix);
        },
      };
    },
    remove,
    async removeChunks(clipName) {
      const found = (await names()).filter(name => isChunkOf(name, clipName));
      // Without their record the chunks are nothing, so whoever is stopped in between leaves nothing half.
      for (const name of [chunkRecordName(clipName), ...found])
        await remove(name).catch(error => {
          // A draft that a stopped worker has not let go of yet: the next start sweeps it away.
          if (!(error instanceof DOMException && error.name === 'NoModificationAllowedError')) throw error;
        });
    },
    async list() {
      const found: { name: string; sizeBytes: number }[] = [];
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind !== 'file' || isDraft(name)) continue;
        found.push({ name, sizeBytes: (await (handle as FileSystemFileHandle).getFile()).size });
      }
      return found;
    },
    async sweep(isOrphan) {
      for (const name of await names()) {
        // A draft of a video's own clip is thrown away as well: its render goes on from closed chunks.
        const isOurs = /^source-|_reframe(_llm)?\.mp4/.test(name);
        if (isDraft(name) ? isOurs : isOrphan(name)) await remove(name);
      }
    },
    async freeBytes() {
      const { quota, usage } = await navigator.storage.estimate();
      return quota === undefined || usage === undefined ? undefined : quota - usage;
    },
  };
}

/** Also the browser's own scratch files of a `createWritable` that never ended. Closed chunks are whole. */
const isDraft = (name: string): boolean =>
  clipOfChunk(name) === undefined && (name.endsWith(draftSuffix) || name.endsWith('.crswap'));

/** @throws Whatever is not about a missing file. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
  throw error;
}
