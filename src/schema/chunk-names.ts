/**
 * Names of the files that a resumable render keeps beside its clip until the clip is complete, or until somebody who
 * wrote that down removes them: closed stretches of encoded picture (`NAME.seg-0003`), and one record that says what
 * they belong to (`NAME.seg-record`). While one is written it is a draft as any other (`….part`, or the browser's
 * scratch file `….crswap`).
 */
const pattern = /^(.+)\.seg-(?:\d{4,}|record)(\.part)?(?:\.\d+)?(\.crswap)?$/;

/** Name of a clip's segment, counted from 0. */
export const segmentName = (clipName: string, index: number): string =>
  `${clipName}.seg-${String(index).padStart(4, '0')}`;

/** Name of the file that tells what a clip's segments belong to. */
export const segmentRecordName = (clipName: string): string => `${clipName}.seg-record`;

/**
 * The clip that a file is kept for by a resumable render: a sweep keeps it as long as that clip is being made.
 *
 * @returns undefined for any other file, and for drafts, which are of no use to a later render.
 */
export function clipOfSegment(fileName: string): string | undefined {
  const [, clipName, part, scratch] = pattern.exec(fileName) ?? [];
  return part || scratch ? undefined : clipName;
}

/** Whether a file goes when a clip's segments go: they, their record, and drafts of either. */
export const isSegmentOf = (fileName: string, clipName: string): boolean =>
  pattern.exec(fileName)?.[1] === clipName;
