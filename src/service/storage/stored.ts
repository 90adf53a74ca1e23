import { isReframeError } from '../../schema/error.js';
import { answerDownload } from '../http/download.js';
import { isAllowed } from '../http/keys.js';
import { isDone, isUnfinished, toJob, toStatus, type Video } from '../jobs/state.js';
import { partKey } from '../jobs/steps.js';
import type { Store } from './store.js';

/**
 * Answers from storage alone what needs nobody to work: finished jobs, the status of videos at rest, and downloads
 * that are paid for. For a service worker, which has no reframer.
 *
 * @param open - Opens the store that the page's service uses; called with the first request.
 * @returns undefined for what the page has to answer.
 */
export function createStoredAnswers(
  open: () => Promise<Store>,
  apiKeys: readonly string[] = [],
): (request: Request) => Promise<Response | undefined> {
  let opened: Promise<Store> | undefined;
  return async request => {
    const path = new URL(request.url).pathname;
    const match = /^\/api\/v2\/(reframe|status|download)\/([^/]+)$/.exec(path);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!match || !isRead || !isAllowed(request.headers.get('Authorization'), apiKeys)) return undefined;
    try {
      opened ??= open();
      return await answer(await opened, match[1]!, match[2]!, request);
    } catch (error) {
      opened = isReframeError(error) ? opened : undefined;
      return undefined;
    }
  };
}

async function answer(
  store: Store,
  what: string,
  id: string,
  request: Request,
): Promise<Response | undefined> {
  if (what === 'reframe') {
    const video = (await store.all('videos')).find(({ job }) => job?.id === id && job.kind === 'reframe');
    return video && !isUnfinished(video) ? Response.json(toJob(video, undefined)) : undefined;
  }
  const video = await store.get('videos', id);
  if (!video || isUnfinished(video)) return undefined;
  if (what === 'status') return Response.json(toStatus(video, { result: await resultOf(store, video) }));
  const lines = await store.all('ledger');
  const isPaid = lines.some(({ kind, video_id }) => kind === 'charge' && video_id === id);
  return isPaid ? answerDownload(request, video, { store }) : undefined;
}

const resultOf = async (store: Store, video: Video) =>
  isDone(video, video.latest) ? store.get('parts', partKey(video, video.latest)) : undefined;
