/** A stretch of a clip's picture that lies encoded in a file of its own. */
export type ClosedChunk = {
  readonly frames: number;
  readonly sizeBytes: number;
  /** Its first frame's time in the clip, and the end of its last one, in µs. */
  readonly startUs: number;
  readonly endUs: number;
  /**
   * Time in the source, in seconds, of the frame that the next chunk begins with: where a later render reads on.
   * Absent in the clip's last chunk.
   */
  readonly nextSourceSec?: number;
};

/** What a folder's chunks of one clip are: written anew whenever one more is closed. */
export type ChunkRecord = {
  readonly version: typeof recordVersion;
  /** {@link hashOfData} of what they are a part of. */
  readonly work: string;
  /** How a decoder has to be set up for them: a file can hold one such set-up for all of its picture. */
  readonly description?: string;
  /** In order, without gaps. */
  readonly chunks: readonly ClosedChunk[];
};

/** How far a row of closed chunks has come. */
export type ChunksDone = {
  readonly frames: number;
  /** End of the last frame in the clip, in seconds. */
  readonly untilSec: number;
  /** See {@link ClosedChunk.nextSourceSec}; absent at the clip's start and at its end. */
  readonly nextSourceSec?: number;
  readonly isComplete: boolean;
};

/** Chunks of another version are not read. */
export const recordVersion = 2;

/**
 * Which chunks of an earlier render serve the present one: those of the same work, from the first one on without a gap, whose
 * files are as long as they were when they were closed.
 *
 * @param found - What the record's file holds; undefined where there is none or it cannot be read.
 * @param sizes - Bytes of the chunks' files by number.
 */
export function takeOver(found: unknown, work: string, sizes: ReadonlyMap<number, number>): ChunkRecord {
  const record = found as Partial<ChunkRecord> | null | undefined;
  const none: ChunkRecord = { version: recordVersion, work, chunks: [] };
  if (record?.version !== recordVersion || record.work !== work || !Array.isArray(record.chunks)) return none;
  const chunks = record.chunks as readonly ClosedChunk[];
  const firstLost = chunks.findIndex(({ sizeBytes }, index) => sizes.get(index) !== sizeBytes);
  const whole = firstLost < 0 ? chunks : chunks.slice(0, firstLost);
  return whole.length ? { ...(record as ChunkRecord), chunks: whole } : none;
}

/** What a row of chunks amounts to. */
export function doneBy(chunks: readonly ClosedChunk[]): ChunksDone {
  const last = chunks.at(-1);
  return {
    frames: chunks.reduce((sum, { frames }) => sum + frames, 0),
    untilSec: (last?.endUs ?? 0) / 1e6,
    ...(last?.nextSourceSec !== undefined && { nextSourceSec: last.nextSourceSec }),
    isComplete: last !== undefined && last.nextSourceSec === undefined,
  };
}
