import { clipOfChunk } from '../../schema/chunk-names.js';
import { transformTypes } from '../../schema/job.js';
import { clipName, isUnfinished, type Video } from '../jobs/state.js';
import { copyOf } from '../sources/sources.js';
import type { FileSizes } from './files.js';
import { saveName } from './saves.js';

/** How long finished videos are kept. */
export type KeepPolicy = {
  /** Seconds since a video was last worked on. Default: for ever. */
  readonly maxAgeSec?: number;
  /** Bytes of clips and copied sources; the oldest videos go first. Default: what the browser gives. */
  readonly maxBytes?: number;
};

/** Bytes that are freed when a video is deleted: source, clips, and what a step under way has kept. */
export function sizeOf(video: Video, files: FileSizes): number {
  const names = [
    copyOf(video.source),
    saveName(video.id),
    ...transformTypes.map(transform => clipName(video, transform)),
  ];
  return files.reduce(
    (sum, { name, sizeBytes }) => sum + (names.includes(clipOfChunk(name) ?? name) ? sizeBytes : 0),
    0,
  );
}

/** Finished videos that a policy gives up, oldest first. Work that is not done is never among them. */
export function expired(
  videos: Iterable<Video>,
  files: FileSizes,
  { maxAgeSec = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY }: KeepPolicy,
  nowMs: number,
): Video[] {
  const oldestFirst = [...videos]
    .filter(video => !isUnfinished(video))
    .sort((a, b) => a.updatedMs - b.updatedMs);
  let total = [...videos].reduce((sum, video) => sum + sizeOf(video, files), 0);
  return oldestFirst.filter(video => {
    const isOld = nowMs - video.updatedMs > maxAgeSec * 1000;
    if (!isOld && total <= maxBytes) return false;
    total -= sizeOf(video, files);
    return true;
  });
}

/** What a person could delete to make room, as a sentence; empty when there is nothing. */
export function roomAdvice(videos: Iterable<Video>, files: FileSizes): string {
  const largest = [...videos]
    .filter(video => !isUnfinished(video))
    .map(video => ({ id: video.id, sizeBytes: sizeOf(video, files) }))
    .filter(({ sizeBytes }) => sizeBytes > 0)
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
    .slice(0, 3);
  if (largest.length === 0) return '';
  const list = largest
    .map(({ id, sizeBytes }) => `${id} (${(sizeBytes / 2 ** 20).toFixed(1)} MiB)`)
    .join(', ');
  return `Deleting one of these finished videos makes room: ${list}.`;
}
