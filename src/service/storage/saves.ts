import type { Advised } from '../../reframer/call-advise.js';
import type { AnalysisState } from '../../schema/analysis-state.js';
import type { FileSizes } from './files.js';
import type { Save, Work } from './save.js';
import type { Change, Store } from './store.js';

/** One attempt at a step. */
export type Attempt = {
  /** Takes note of how far the step is, in seconds of media. */
  reach(sec: number): void;
  /** Seconds of media that attempts at this step did again, the present attempt included. */
  readonly repeatedSec: number;
};

/**
 * Keeps what steps need to go on. Losing a save costs time only, so storage that is full is no reason to
 * fail.
 */
export type Saves = {
  stateOf(videoId: string): Promise<AnalysisState | undefined>;
  keep(videoId: string, state: AnalysisState): Promise<void>;
  adviceOf(videoId: string): Promise<Advised | undefined>;
  keepAdvice(videoId: string, advised: Advised): Promise<void>;
  begin(videoId: string, work: Work): Promise<Attempt>;
  /** Takes away what is kept for a video. */
  drop(videoId: string): Change[];
  /** Size of what is kept, by a name that no file has. */
  sizes(): FileSizes;
};

/** Milliseconds between two notes of how far a step is: what was done after the last one is not counted as repeated. */
const noteMs = 250;

const stateKey = (videoId: string) => `${videoId}/state`;
const adviceKey = (videoId: string) => `${videoId}/advice`;
const reachedKey = (videoId: string) => `${videoId}/reached`;
/** What a video's saved state is called among the sizes of files. */
export const saveName = (videoId: string): string => `${videoId}/saved`;

/**
 * @param isOpen - Whether a video has a step to go on with; what is kept for others is removed.
 */
export async function openSaves(store: Store, isOpen: (videoId: string) => boolean): Promise<Saves> {
  const sizeBytes = new Map<string, number>();
  const orphans = new Set<string>();
  for (const save of await store.all('saves')) {
    if (!isOpen(save.videoId)) orphans.add(save.videoId);
    else if (save.kind === 'state') sizeBytes.set(save.videoId, sizeOfValue(save.state));
  }
  const drop = (videoId: string): Change[] => {
    sizeBytes.delete(videoId);
    return [stateKey, adviceKey, reachedKey].map(key => ({ table: 'saves', key: key(videoId) }));
  };
  if (orphans.size > 0) await store.write([...orphans].flatMap(drop));
  const put = (key: string, value: Save) =>
    store.write([{ table: 'saves', key, value }]).then(
      () => true,
      () => false,
    );
  return {
    async stateOf(videoId) {
      const save = await store.get('saves', stateKey(videoId));
      return save?.kind === 'state' ? save.state : undefined;
    },
    async keep(videoId, state) {
      if (await put(stateKey(videoId), { videoId, kind: 'state', state }))
        sizeBytes.set(videoId, sizeOfValue(state));
    },
    async adviceOf(videoId) {
      const save = await store.get('saves', adviceKey(videoId));
      return save?.kind === 'advice' ? save.advised : undefined;
    },
    async keepAdvice(videoId, advised) {
      await put(adviceKey(videoId), { videoId, kind: 'advice', advised });
    },
    async begin(videoId, work) {
      const save = await store.get('saves', reachedKey(videoId));
      const before = save?.kind === 'reached' && save.work === work ? save : undefined;
      let repeatedSec = before?.repeatedSec ?? 0;
      let first = true;
      let notedMs = Number.NEGATIVE_INFINITY;
      let isNoting = false;
      return {
        reach(sec) {
          if (first && before) repeatedSec += Math.max(0, before.reachedSec - sec);
          first = false;
          // On a slow disk notes must not queue up before what matters.
          if (isNoting || performance.now() - notedMs < noteMs) return;
          notedMs = performance.now();
          isNoting = true;
          const note = { videoId, kind: 'reached', work, reachedSec: sec, repeatedSec } as const;
          void put(reachedKey(videoId), note).then(() => (isNoting = false));
        },
        get repeatedSec() {
          return repeatedSec;
        },
      };
    },
    drop,
    sizes: () => [...sizeBytes].map(([videoId, bytes]) => ({ name: saveName(videoId), sizeBytes: bytes })),
  };
}

/** About as many bytes as a value takes in storage. */
function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  if (value instanceof Map || value instanceof Set) return sizeOfValue([...value]);
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOfValue(item), 0);
}
