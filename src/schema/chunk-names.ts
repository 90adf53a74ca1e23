/**
 * Names of the files that a resumable render keeps beside its clip until the clip is complete, or until
 * somebody who has noted its completion removes them: closed stretches of encoded picture
 * (`NAME.chunk-0003`), and one record that says what they belong to (`NAME.chunk-record`). A file that is
 * being written is a draft as any other (`….part`, or the browser's scratch file `….crswap`).
 *
 * Versions before 0.2 wrote `seg` for `chunk`: such files are of no use, and are known so that they are
 * removed.
 */
const pattern = /^(.+)\.(?:chunk|seg)-(?:\d{4,}|record)(\.part)?(?:\.\d+)?(\.crswap)?$/;

/** Name of a clip's chunk, counted from 0. */
export const chunkName = (clipName: string, index: number): string =>
  `${clipName}.chunk-${String(index).padStart(4, '0')}`;

/** Name of the file that tells what a clip's chunks belong to. */
export const chunkRecordName = (clipName: string): string => `${clipName}.chunk-record`;

/**
 * The clip that a file is kept for by a resumable render: a sweep keeps the file as long as that clip is
 * being made.
 *
 * @returns undefined for any other file, and for drafts, which are of no use to a later render.
 */
export function clipOfChunk(fileName: string): string | undefined {
  const [, clipName, part, scratch] = pattern.exec(fileName) ?? [];
  return part || scratch ? undefined : clipName;
}

/** Whether a file goes when a clip's chunks go: they, their record, and drafts of either. */
export const isChunkOf = (fileName: string, clipName: string): boolean =>
  pattern.exec(fileName)?.[1] === clipName;
