import { removeChunks } from '../../media/output/chunk-folder.js';

/** The folder of the origin private file system that clips are rendered into. */
export async function openClipFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle('edge-reframe', { create: true });
}

/**
 * Gives up what an aborted or killed resumable render left of a clip; rendering the clip later begins anew.
 * Not to be called while the clip is being rendered.
 *
 * @param fileName - The clip's name, as given to `render`.
 */
export async function discardChunks(fileName: string): Promise<void> {
  await removeChunks(await openClipFolder(), fileName);
}
