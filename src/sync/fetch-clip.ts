import type { Client } from '../client/client.js';
import { ReframeError } from '../schema/error.js';
import type { Store } from '../service/store.js';

/** A download that breaks off is gone on with this often. */
const attempts = 4;

/**
 * Brings a clip from a service into the store. It has its name there only when it is whole.
 *
 * @throws ReframeError `unavailable` when it breaks off again and again.
 */
export async function fetchClip(
  client: Pick<Client, 'download'>,
  videoId: string,
  { store, name, signal }: { readonly store: Store; readonly name: string; readonly signal: AbortSignal },
): Promise<void> {
  const draft = await store.files.create(name);
  const writer = draft.writable.getWriter();
  let received = 0;
  let expected: number | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const { stream, sizeBytes } = await client.download(videoId, { signal, fromByte: received });
        if (sizeBytes !== undefined) expected = received + sizeBytes;
        for await (const piece of stream) {
          await writer.write(piece);
          received += piece.length;
        }
        if (expected === undefined || received === expected) break;
        throw new ReframeError(
          'unavailable',
          `The download broke off after ${received} of ${expected} bytes.`,
        );
      } catch (error) {
        signal.throwIfAborted();
        if (attempt === attempts) throw error;
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
