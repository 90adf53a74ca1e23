import type { Advisor } from '../schema/advisor.js';
import { ReframeError } from '../schema/error.js';
import { createRoutes } from './http/routes.js';
import { createLedger } from './jobs/credits.js';
import { createDesk, type Desk } from './jobs/desk.js';
import { createJobs, type Jobs } from './jobs/jobs.js';
import { isOrphan, openRecords, type Records } from './jobs/records.js';
import { failureOf, isUnfinished, type Video } from './jobs/state.js';
import type { Pipeline } from './jobs/steps.js';
import { createSources, type HandedIn, type Sources } from './sources/sources.js';
import { expired, type KeepPolicy } from './storage/housekeeping.js';
import { openSaves } from './storage/saves.js';
import { createMemoryStore, type Store } from './storage/store.js';
import { createStoredAnswers } from './storage/stored.js';
import { takeTurn } from './tabs/lock.js';
import { joinTabs } from './tabs/tabs.js';

/** How a local service works. */
export type LocalServiceOptions = {
  /** What does the work; a function is called for the first job, and again after the function failed. */
  readonly reframer: Pipeline | (() => Promise<Pipeline>);
  /** Where jobs and clips are kept. Default: memory, which ends with the page. */
  readonly store?: Store;
  /** Credits that may be spent in all, over the life of the store. Default: no limit. */
  readonly credits?: number;
  /** Accepted API keys. Default none: everybody who reaches the service may use it. */
  readonly apiKeys?: readonly string[];
  /** `auto` (default): a job runs by itself. `poll`: a poll starts its next step, as the remote service does it. */
  readonly advance?: 'auto' | 'poll';
  /**
   * Fetches sources instead of the browser's own rules, for example through a proxy; each source is copied to
   * the store first.
   */
  readonly fetch?: typeof fetch;
  /** When finished videos are deleted by themselves. Default never. */
  readonly keep?: KeepPolicy;
  /**
   * Asked about difficult scenes where a job says `llm`, and by `reframe_llm`; what came of that is in `notes`. Default
   * none: jobs use the standard plan and say so, `reframe_llm` fails with `model_unavailable`.
   */
  readonly advisor?: Advisor;
};

/** A video in the service's storage. */
export type VideoSummary = {
  /** Id by which requests name the video. */
  readonly video_id: string;
  /** Id of the job that drives the video; absent where the caller asks for each step. */
  readonly job_id?: string;
  /** `waiting`: for something that the user must do, such as a permission. */
  readonly status: 'processing' | 'waiting' | 'completed' | 'failed';
  /** Name of the file, or address of the source. */
  readonly source: string;
  /** Length of the source in seconds; absent until it is known. */
  readonly duration_sec?: number;
  /** When the video came, as ISO 8601. */
  readonly created: string;
  /** Whether the work goes on after the page was closed. */
  readonly resumable: boolean;
  /** At least so many seconds of media were worked on again after the page was closed or killed; absent when none. */
  readonly repeated_sec?: number;
};

/** The REST service on this device. */
export type LocalService = {
  /** Answers what the remote service would answer. */
  fetch(request: Request): Promise<Response>;
  /** Takes a file, and gives the address that requests name the file by. */
  put(file: HandedIn): Promise<string>;
  /** Goes on with a job or video that waits for permission, or that failed. Call this method from a click. */
  resume(id: string): Promise<void>;
  /** Every video in the store. */
  list(): Promise<readonly VideoSummary[]>;
  /** Removes a video, its results, its clips and, unless another video needs it, its source. */
  delete(videoId: string): Promise<void>;
  /** Whether this tab runs the jobs; other tabs hand on what they are asked. */
  runsHere(): Promise<boolean>;
  /** Stops running jobs; they go on when a service opens the same store again. */
  close(): Promise<void>;
};

type Running = { readonly desk: Desk; readonly jobs: Jobs; readonly records: Records };

/** Serves the remote service's contract from this device. Unfinished jobs of the store go on at once. */
export function createLocalService(options: LocalServiceOptions): LocalService {
  const { store = createMemoryStore(), apiKeys = [] } = options;
  const sources = createSources(store, options.fetch);
  let closed = false;

  const turn = takeTurn(store.lockName);
  const opening = turn.mine.then(() => openService(options, store, sources));
  opening.catch(() => undefined);
  const running = async (): Promise<Running> => {
    await turn.known;
    if (closed) throw new ReframeError('unavailable', 'The service is closed.');
    if (turn.isElsewhere()) throw new ReframeError('unavailable', 'Another tab runs the service.');
    return opening;
  };

  /** What this tab does while it runs the service; other tabs call these methods by name. */
  const here = {
    async put(file: HandedIn): Promise<string> {
      const { jobs, records } = await running();
      const { url, id } = await sources.put(file);
      for (const video of [...records.videos.values()]) {
        if (video.waitingFor && video.source.kind === 'file' && video.source.id === id)
          await jobs.resume(video);
      }
      return url;
    },
    async resume(id: string): Promise<void> {
      const { jobs, records } = await running();
      await jobs.resume(videoOf(records, id));
    },
    async list(): Promise<readonly VideoSummary[]> {
      const { records } = await running();
      return [...records.videos.values()].map(summarise);
    },
    async delete(videoId: string): Promise<void> {
      const { jobs, records } = await running();
      await jobs.remove(videoOf(records, videoId).id);
    },
  };
  const routes = createRoutes(async () => (await running()).desk, apiKeys);
  const nobody = createRoutes(async () => {
    throw new ReframeError('unavailable', 'The tab that runs the service was closed over the request.');
  }, apiKeys);
  const tabs = joinTabs(store.lockName, {
    runsHere: () => !closed && turn.isMine(),
    fetch: routes,
    call: (method, argument) => here[method as keyof typeof here](argument as never),
  });
  const stored = createStoredAnswers(async () => store, apiKeys);
  const call = async (method: keyof typeof here, argument?: unknown): Promise<unknown> => {
    await turn.known;
    const isElsewhere = !closed && turn.isElsewhere();
    return isElsewhere && tabs ? tabs.call(method, argument) : here[method](argument as never);
  };

  return {
    async fetch(request) {
      await turn.known;
      if (closed || !tabs || !turn.isElsewhere()) return routes(request);
      try {
        return (await stored(request)) ?? (await tabs.fetch(request)) ?? (await routes(request));
      } catch {
        // Whether a POST was carried out nobody can say; what only reads can be asked again.
        const isRead = request.method === 'GET' || request.method === 'HEAD';
        return isRead ? routes(request) : nobody(request);
      }
    },
    put: async file => (await call('put', file)) as string,
    async resume(id) {
      const videos = await store.all('videos');
      const video = videos.find(one => one.id === id || one.job?.id === id);
      // Here, where the click was.
      if (video) await sources.askPermission(video.source);
      await call('resume', id);
    },
    list: async () => (await call('list')) as readonly VideoSummary[],
    delete: async videoId => void (await call('delete', videoId)),
    async runsHere() {
      await turn.known;
      return !closed && !turn.isElsewhere();
    },
    async close() {
      closed = true;
      await turn.known;
      if (turn.isElsewhere()) turn.release();
      const started = await opening.catch(() => undefined);
      await started?.jobs.close();
      tabs?.close();
      store.close();
      turn.release();
    },
  };
}

/** Takes up what a store holds. */
async function openService(options: LocalServiceOptions, store: Store, sources: Sources): Promise<Running> {
  const { advance = 'auto', advisor } = options;
  const pipeline = createPipelineDoor(options.reframer);
  const ledger = createLedger(await store.all('ledger'), options.credits);
  const records = await openRecords(store, ledger);
  await store.files.sweep(name => isOrphan(name, records.videos.values()));
  const saves = await openSaves(store, id => {
    const video = records.videos.get(id);
    return video !== undefined && isUnfinished(video);
  });
  const tidy = async () => {
    if (!options.keep) return;
    const sizes = [...(await store.files.list()), ...saves.sizes()];
    const old = expired(records.videos.values(), sizes, options.keep, Date.now());
    for (const video of old) await records.remove(video, saves.drop(video.id));
  };
  await tidy();
  const tools = { pipeline, store, sources, saves, ...(advisor && { advisor }) };
  const jobs = createJobs({ records, ledger, tools, advance, onSettled: tidy });
  const hasAdvisor = advisor !== undefined;
  const desk = createDesk({ records, ledger, jobs, sources, store, pipeline, hasAdvisor });
  await jobs.resumeAll();
  return { desk, jobs, records };
}

function videoOf(records: Records, id: string): Video {
  const video = records.find(id);
  if (!video) throw new ReframeError('not_found', 'There is no such video.');
  return video;
}

/** Opens the pipeline once; a failed attempt is made again by whoever asks next. */
function createPipelineDoor(reframer: LocalServiceOptions['reframer']): () => Promise<Pipeline> {
  if (typeof reframer !== 'function') return async () => reframer;
  let opened: Promise<Pipeline> | undefined;
  return () => {
    opened ??= reframer();
    opened.catch(() => (opened = undefined));
    return opened;
  };
}

const summarise = (video: Video): VideoSummary => ({
  video_id: video.id,
  ...(video.job && { job_id: video.job.id }),
  status: failureOf(video)
    ? 'failed'
    : video.waitingFor
      ? 'waiting'
      : isUnfinished(video)
        ? 'processing'
        : 'completed',
  source: video.source.kind === 'url' ? video.source.url : video.source.name,
  ...(video.durationSec !== undefined && { duration_sec: video.durationSec }),
  created: new Date(video.createdMs).toISOString(),
  resumable: video.resumable,
  ...(video.repeatedSec !== undefined && { repeated_sec: video.repeatedSec }),
});
