import type { Override } from '../schema/plan.js';
import type { AnalysisParts } from '../schema/result.js';

/** What tells whether two results are about the same video. */
export type SourceIdentity = {
  /** Fingerprint of the bytes; decides alone where both sources have one. */
  readonly contentHash?: string;
  /** Address of the source. */
  readonly url?: string;
  /** Version of the bytes at the address, as its host says. */
  readonly etag?: string;
  /** Length of the source in seconds. */
  readonly durationSec?: number;
};

/** The analyses of one source, from one place. */
export type KeptResult = {
  /** What the source is known by. */
  readonly source: SourceIdentity;
  /** Where the analyses were made. */
  readonly resultSource: 'local' | 'remote';
  /** The analyses. */
  readonly parts: AnalysisParts;
  /** When the analyses were finished, in milliseconds since 1970; 0 where only the local service knows. */
  readonly finishedMs: number;
  /** What the user corrected; keyed by time, so that they fit any analysis of the source. */
  readonly overrides: readonly Override[];
};

/**
 * The same bytes; or, where nobody has read them all, the same address, version and length within a frame.
 * The remote service tells no version: the version counts where both are known.
 */
export function isSameSource(a: SourceIdentity, b: SourceIdentity, frameSec = 1 / 24): boolean {
  if (a.contentHash !== undefined && b.contentHash !== undefined) return a.contentHash === b.contentHash;
  return (
    a.url !== undefined &&
    a.url === b.url &&
    (a.etag === undefined || b.etag === undefined || a.etag === b.etag) &&
    a.durationSec !== undefined &&
    b.durationSec !== undefined &&
    Math.abs(a.durationSec - b.durationSec) <= frameSec
  );
}

const isComplete = ({ parts }: KeptResult): boolean =>
  !!parts.scene_detection && !!parts.face_tracking_yolov8 && !!parts.active_speaker;

/**
 * One result out of several of the same source. Tracks of different analyses have nothing to do with each other, so
 * one analysis is taken whole: the newest complete one, else the newest. The user's overrides survive, all of them.
 *
 * @param results - At least one, all of the same source.
 * @throws RangeError when there is none, or they are about different sources.
 */
export function reconcile(results: readonly KeptResult[]): KeptResult {
  const [first] = results;
  if (!first) throw new RangeError('results must not be empty');
  if (results.slice(1).some(({ source }) => !isSameSource(source, first.source)))
    throw new RangeError('results must be of one source');
  const newestFirst = results.toSorted((a, b) => b.finishedMs - a.finishedMs);
  const winner = newestFirst.find(isComplete) ?? newestFirst[0]!;
  // Later corrections come later, and win where two speak of the same moment.
  const overrides = new Map(
    newestFirst
      .toReversed()
      .flatMap(result => result.overrides.map(one => [JSON.stringify(one), one] as const)),
  );
  return { ...winner, overrides: [...overrides.values()] };
}
