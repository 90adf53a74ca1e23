/**
 * A stretch of a clip's picture that is coded by itself. Where chunks begin and end depends on the source's frames and
 * the clip's clock only, so that another plan has the same ones.
 */
export type ChunkExtent = {
  readonly frames: number;
  /** Its first frame's time in the clip, and the end of its last one, in µs. */
  readonly startUs: number;
  readonly endUs: number;
  /** The frames of the source that it is made of, both included. */
  readonly firstFrame: number;
  readonly lastFrame: number;
  /**
   * Time in the source, in seconds, of the frame that the next chunk begins with: where a later render reads on.
   * Absent in the clip's last chunk.
   */
  readonly nextSourceSec?: number;
};

/** A chunk that lies encoded in a file of its own. */
export type ClosedChunk = ChunkExtent & {
  readonly sizeBytes: number;
  /** A hash of what its frames show. */
  readonly shown: string;
};

/** What a folder's chunks of one clip are: written anew whenever one more is closed. */
export type ChunkRecord = {
  readonly version: typeof recordVersion;
  /** {@link hashOfData} of what they are a part of. */
  readonly work: string;
  /** How a decoder has to be set up for them: a file can hold one such set-up for all of its picture. */
  readonly description?: string;
  /** In order, without gaps; some may have to be drawn again. */
  readonly chunks: readonly (ChunkExtent | ClosedChunk)[];
};

/** A stretch of a clip that is still to be drawn: chunks that are missing one after another. */
export type Gap = {
  /** Number of its first chunk. */
  readonly index: number;
  /** Frames of the clip before it, and the time that they fill, in seconds. */
  readonly frames: number;
  readonly startSec: number;
  /** Time in the source of the frame that it begins with; absent at the clip's start. */
  readonly sourceSec?: number;
  /** Where the chunk behind it begins, as frames and seconds of the clip; absent where the gap goes on to the clip's end. */
  readonly until?: { readonly frames: number; readonly sec: number };
};

/** Chunks of another version are not read. */
export const recordVersion = 3;

export const isClosed = (chunk: ChunkExtent | ClosedChunk): chunk is ClosedChunk => 'sizeBytes' in chunk;

/**
 * Which chunks of an earlier render serve the present one: those of the same work that show the same, whose files are as
 * long as they were when they were closed. Of the others the record keeps where they lie.
 *
 * @param found - What the record's file holds; undefined where there is none or it cannot be read.
 * @param sizes - Bytes of the chunks' files by number.
 * @param shown - What each of the record's chunks has to show now, as a hash.
 */
export function takeOver(
  found: unknown,
  work: string,
  { sizes, shown }: { readonly sizes: ReadonlyMap<number, number>; readonly shown: readonly string[] },
): ChunkRecord {
  const none: ChunkRecord = { version: recordVersion, work, chunks: [] };
  const record = readRecord(found);
  if (record?.work !== work) return none;
  const chunks = record.chunks.map((chunk, index) => {
    const isGood = isClosed(chunk) && sizes.get(index) === chunk.sizeBytes && shown[index] === chunk.shown;
    return isGood ? chunk : extentOf(chunk);
  });
  return chunks.some(isClosed) ? { ...record, chunks } : none;
}

/** A record of this version, as far as can be told. */
export function readRecord(found: unknown): ChunkRecord | undefined {
  const record = found as Partial<ChunkRecord> | null | undefined;
  return record?.version === recordVersion && Array.isArray(record.chunks)
    ? (record as ChunkRecord)
    : undefined;
}

function extentOf(chunk: ChunkExtent): ChunkExtent {
  const { frames, startUs, endUs, firstFrame, lastFrame, nextSourceSec } = chunk;
  const next = nextSourceSec === undefined ? {} : { nextSourceSec };
  return { frames, startUs, endUs, firstFrame, lastFrame, ...next };
}

/** What is still to be drawn, in order; nothing of a clip whose chunks are all there. */
export function gapsOf(chunks: readonly (ChunkExtent | ClosedChunk)[]): Gap[] {
  const gaps: Gap[] = [];
  let frames = 0;
  let open: Gap | undefined;
  for (const [index, chunk] of chunks.entries()) {
    if (isClosed(chunk) && open) gaps.push({ ...open, until: { frames, sec: chunk.startUs / 1e6 } });
    open = isClosed(chunk) ? undefined : (open ?? gapAt(index, frames, chunks[index - 1]));
    frames += chunk.frames;
  }
  const last = chunks.at(-1);
  if (open) gaps.push(open);
  else if (!last || last.nextSourceSec !== undefined) gaps.push(gapAt(chunks.length, frames, last));
  return gaps;
}

const gapAt = (index: number, frames: number, before: ChunkExtent | undefined): Gap => ({
  ...{ index, frames, startSec: (before?.endUs ?? 0) / 1e6 },
  ...(before?.nextSourceSec !== undefined && { sourceSec: before.nextSourceSec }),
});
