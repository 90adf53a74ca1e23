import type { Client } from '../client/client.js';
import { isReframeError, ReframeError } from '../schema/error.js';
import type { Store } from '../service/storage/store.js';

/** A download that breaks off or stands still is gone on with this often. */
const attempts = 4;

export type FetchClipOptions = {
  readonly store: Store;
  readonly name: string;
  readonly signal: AbortSignal;
  /** Aborts when an answer, or the next piece of it, takes too long. */
  readonly limit: () => AbortSignal;
};

/**
 * Brings a clip from a service into the store. The clip has its name there only when it is whole.
 *
 * @throws ReframeError `unavailable` when the download breaks off again and again, else the service's
 *   refusal; whatever the store throws, such as a `QuotaExceededError`.
 */
export async function fetchClip(
  client: Pick<Client, 'download'>,
  videoId: string,
  { store, name, signal, limit }: FetchClipOptions,
): Promise<void> {
  const draft = await store.files.create(name);
  const writer = draft.writable.getWriter();
  let received = 0;
  let isStoreBroken = false;
  const write = async (piece: Uint8Array<ArrayBuffer>) => {
    try {
      await writer.write(piece);
      received += piece.length;
    } catch (error) {
      isStoreBroken = true;
      throw error;
    }
  };
  /** One download, from where the last one broke off. */
  const download = async () => {
    const ended = new AbortController();
    const call = { signal: AbortSignal.any([signal, ended.signal]), fromByte: received };
    try {
      const { stream, sizeBytes } = await inTime(client.download(videoId, call), limit());
      const expected = sizeBytes === undefined ? undefined : received + sizeBytes;
      const reader = stream.getReader();
      for (;;) {
        const { done, value } = await inTime(reader.read(), limit());
        if (done) break;
        await write(value);
      }
      if (expected !== undefined && received !== expected)
        throw new ReframeError(
          'unavailable',
          `The download broke off after ${received} of ${expected} bytes.`,
        );
    } finally {
      ended.abort();
    }
  };
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await download();
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (isStoreBroken) throw error;
        if (attempt < attempts) continue;
        throw isReframeError(error)
          ? error
          : new ReframeError('unavailable', `The download broke off after ${received} bytes.`, {
              cause: error,
            });
      }
    }
    writer.releaseLock();
    await draft.commit();
  } catch (error) {
    writer.releaseLock();
    await draft.discard();
    throw error;
  }
}

/** @throws The limit's reason, when the limit comes first. */
function inTime<Value>(promise: Promise<Value>, late: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const give = () => reject(late.reason);
    late.addEventListener('abort', give, { once: true });
    promise.then(resolve, reject).finally(() => late.removeEventListener('abort', give));
  });
}
