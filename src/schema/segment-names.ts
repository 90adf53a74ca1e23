/**
 * Names of the files that a resumable render keeps beside its clip until the clip is complete: closed stretches of
 * encoded picture, and one record that says what they belong to. `.part` marks them as no clip of their own.
 */
const pattern = /^(.+)\.seg-(\d{4,}|record)\.part((?:\.\d+)?\.crswap)?$/;

/** Name of a clip's segment, counted from 0. */
export const segmentName = (clipName: string, index: number): string =>
  `${clipName}.seg-${String(index).padStart(4, '0')}.part`;

/** Name of the file that tells what a clip's segments belong to. */
export const segmentRecordName = (clipName: string): string => `${clipName}.seg-record.part`;

/**
 * The clip that a file is kept for by a resumable render.
 *
 * @returns undefined for any other file, and for the browser's scratch files of writes that never ended (`.crswap`),
 *   which are of no use to anybody: a sweep at the start, when nobody writes, removes those and keeps these.
 */
export function clipOfSegment(fileName: string): string | undefined {
  const [, clipName, , scratch] = pattern.exec(fileName) ?? [];
  return scratch === undefined ? clipName : undefined;
}

/** Whether a file goes when a clip's segments go: its segments, their record, and scratch files of either. */
export const isSegmentOf = (fileName: string, clipName: string): boolean =>
  pattern.exec(fileName)?.[1] === clipName;
