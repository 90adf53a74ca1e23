import { removeChunks } from '../../media/output/chunk-folder.js';

/** The folder of the origin private file system that clips are rendered into. */
export async function openClipFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle('edge-reframe', { create: true });
}

/**
 * Gives up what an aborted or killed resumable render left of a clip; rendering it later begins anew. Not while it is
 * being rendered.
 *
 * @param fileName - The clip's, as it was given to `render`.
 */
export async function discardChunks(fileName: string): Promise<void> {
  await removeChunks(await openClipFolder(), fileName);
}
