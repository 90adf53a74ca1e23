import type { Override } from '../schema/plan.js';
import type { AnalysisParts, PartName } from '../schema/result.js';
import type { Video } from '../service/index.js';
import type { Store } from '../service/storage/store.js';
import { isSameSource, type KeptResult, reconcile, type SourceIdentity } from './reconcile.js';

/** What is known of sources, from wherever it came, and what the user corrected. */
export type Results = {
  /** Keeps what a job's place gave; the user's overrides stay. */
  keep(jobId: string, result: Omit<KeptResult, 'overrides'>): Promise<void>;
  /**
   * The one result of a job's source: of those that sync jobs brought and those that the local service has in the same
   * store, the newest complete one, with all overrides.
   *
   * @returns undefined for a job of which nothing is known yet.
   */
  of(jobId: string): Promise<KeptResult | undefined>;
  /** Replaces the user's corrections of a job's source; `source` where nothing is known of the job yet. */
  correct(jobId: string, overrides: readonly Override[], source: SourceIdentity): Promise<void>;
};

type Row = KeptResult & { readonly id: string };

/** Those that know how long the source is. */
const timedNames = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'] as const;
const partNames: readonly PartName[] = [...timedNames, 'transcription', 'diarization'];

/** The part that an answer of `status` holds, by its step or by the name of its model. */
export function partIn(step: string | undefined, result: Record<string, unknown> | undefined): AnalysisParts {
  const name = partNames.find(part => part === step || part === result?.model);
  return name && result ? ({ [name]: result } as AnalysisParts) : {};
}

/** Length of the source, as any of its analyses tells it. */
export function durationOf(parts: AnalysisParts): number | undefined {
  const part = timedNames.map(name => parts[name]).find(found => found !== undefined);
  return part && part.video_fps > 0 ? part.total_frames / part.video_fps : undefined;
}

/** What tells a source of the local service from others. */
export function identityOf({ source, durationSec }: Pick<Video, 'source' | 'durationSec'>): SourceIdentity {
  const length = durationSec !== undefined && { durationSec };
  if (source.kind === 'url') return { url: source.url, ...(source.etag && { etag: source.etag }), ...length };
  return source.url === undefined ? { contentHash: source.id, ...length } : { url: source.url, ...length };
}

/** @param store - The local service's own, or its results are not seen. */
export function openResults(store: Store): Results {
  const shelf = store.shelf<Row>('sync-results');
  const rows = async () => (await shelf.all()).filter(({ source }) => source);
  const write = (changed: readonly Row[]) => shelf.write(changed.map(row => ({ key: row.id, value: row })));

  /** The local service's own analyses of a source. */
  const local = async (source: SourceIdentity): Promise<KeptResult[]> => {
    const same = (await store.all('videos')).filter(video => isSameSource(identityOf(video), source));
    const results = same.map(async video => {
      const found = await Promise.all(
        ([...partNames, 'content'] as const).map(
          async name => [name, await store.get('parts', `${video.id}/${name}`)] as const,
        ),
      );
      const parts = Object.fromEntries(found.filter(([, part]) => part)) as AnalysisParts;
      const finishedMs = video.updatedMs;
      return { source: identityOf(video), resultSource: 'local' as const, parts, finishedMs, overrides: [] };
    });
    return (await Promise.all(results)).filter(({ parts }) => Object.keys(parts).length > 0);
  };

  return {
    async keep(jobId, result) {
      const before = (await rows()).find(({ id }) => id === jobId);
      await write([{ ...result, id: jobId, overrides: before?.overrides ?? [] }]);
    },
    async of(jobId) {
      const kept = await rows();
      const row = kept.find(({ id }) => id === jobId);
      if (!row) return undefined;
      const others = kept.filter(other => other !== row && isSameSource(other.source, row.source));
      const { id: _id, ...result } = reconcile([row, ...others, ...(await local(row.source))]) as Row;
      return result;
    },
    async correct(jobId, overrides, source) {
      const kept = await rows();
      const row = kept.find(({ id }) => id === jobId) ?? {
        ...{ id: jobId, source, resultSource: 'local' as const, parts: {}, finishedMs: 0 },
      };
      // Corrections that another result of the source still holds would come back, though the user took them
      // away.
      const others = kept.filter(other => other.id !== jobId && isSameSource(other.source, row.source));
      await write([{ ...row, overrides }, ...others.map(other => ({ ...other, overrides: [] }))]);
    },
  };
}
