import { clipOfChunk } from '../../schema/chunk-names.js';
import { isQuotaExceeded, ReframeError } from '../../schema/error.js';
import { transformTypes } from '../../schema/job.js';
import { copyOf } from '../sources/sources.js';
import { type Change, ledgerKey, type Store } from '../storage/store.js';
import type { Ledger, LedgerEntry } from './credits.js';
import { clipName, type Failure, isUnfinished, type Video } from './state.js';
import { partKeys } from './steps.js';

/** The videos of a store, in memory and written through. */
export type Records = {
  readonly videos: ReadonlyMap<string, Video>;
  /** By the id of the video, or of its job. */
  find(id: string): Video | undefined;
  /** Keeps a video together with other rows and lines of the ledger: all or nothing. */
  save(video: Video, changes?: readonly Change[], lines?: readonly LedgerEntry[]): Promise<void>;
  /** Stores lines of the ledger alone. */
  write(lines: readonly LedgerEntry[]): Promise<void>;
  /** Removes a video with its results and files, and writes `changes` along with that. */
  remove(video: Video, changes?: readonly Change[]): Promise<void>;
};

/** Reads what a store holds. */
export async function openRecords(store: Store, ledger: Ledger): Promise<Records> {
  const videos = new Map((await store.all('videos')).map(video => [video.id, video]));
  const jobs = new Map([...videos.values()].flatMap(({ id, job }) => (job ? [[job.id, id] as const] : [])));
  const commit = async (changes: readonly Change[], lines: readonly LedgerEntry[]) => {
    try {
      await store.write([
        ...changes,
        ...lines.map(line => ({ table: 'ledger' as const, key: ledgerKey(line), value: line })),
      ]);
    } catch (error) {
      ledger.undo(lines);
      throw error;
    }
  };
  return {
    videos,
    find: id => videos.get(id) ?? videos.get(jobs.get(id) ?? ''),
    async save(video, changes = [], lines = []) {
      const before = videos.get(video.id);
      // In memory at once: a second request in the same moment must see the video.
      videos.set(video.id, video);
      if (video.job) jobs.set(video.job.id, video.id);
      try {
        await commit([...changes, { table: 'videos', key: video.id, value: video }], lines);
      } catch (error) {
        if (before && videos.get(video.id) === video) videos.set(video.id, before);
        throw error;
      }
    },
    write: lines => commit([], lines),
    async remove(video, changes = []) {
      const keys = partKeys(video).map(key => ({ table: 'parts' as const, key }));
      const lines = ledger.release(video.id, 'deleted');
      videos.delete(video.id);
      if (video.job) jobs.delete(video.job.id);
      await commit([...keys, ...changes, { table: 'videos', key: video.id }], lines);
      for (const clip of transformTypes.map(transform => clipName(video, transform))) {
        await store.files.remove(clip);
        await store.files.removeChunks(clip);
      }
      const copy = copyOf(video.source);
      // Videos may share a file that was handed in.
      if (copy && ![...videos.values()].some(other => copyOf(other.source) === copy)) {
        await store.files.remove(copy);
        await store.write([{ table: 'handles', key: (video.source as { id: string }).id }]);
      }
    },
  };
}

/** What went wrong, as it is kept and told. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Error && 'code' in error && error.name === 'ReframeError')
    return (error as ReframeError).toJSON();
  if (isQuotaExceeded(error)) return new ReframeError('quota_exceeded').toJSON();
  return new ReframeError('internal', error instanceof Error ? error.message : String(error)).toJSON();
}

/**
 * Whether a file of the store belongs to none of the videos; chunks of a clip that nobody renders any more do not
 * either. Files that are not the service's are nobody's orphans.
 */
export function isOrphan(name: string, videos: Iterable<Video>): boolean {
  const rendered = clipOfChunk(name);
  const whole = rendered ?? name;
  const ours = /^source-[0-9a-f]{32}$|^[0-9a-f-]{36}_reframe(_llm)?\.mp4$/.test(whole);
  return (
    ours &&
    ![...videos].some(
      video =>
        copyOf(video.source) === whole ||
        (transformTypes.some(transform => clipName(video, transform) === whole) &&
          (rendered === undefined || isUnfinished(video))),
    )
  );
}
