import type { ModelEntry } from '../schema/model.js';
import { matchesEntry } from './weights-file.js';

/** Verified model files, kept by their hash. */
export interface WeightsCache {
  /** The file, checked again; nothing where the cache has none, or a damaged file, which is then removed. */
  get(entry: ModelEntry): Promise<Uint8Array<ArrayBuffer> | undefined>;
  put(entry: ModelEntry, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Name in Cache Storage; the number changes when what the keys mean changes. */
const cacheName = 'edge-reframe-models-1';

/** Cache Storage as a {@link WeightsCache}; nothing where the page may not use it (Node, opaque origins). */
export async function openWeightsCache(): Promise<WeightsCache | undefined> {
  if (typeof caches === 'undefined') return undefined;
  // Sandboxed frames and private windows have the object but refuse to open it: the job goes on without.
  const cache = await caches.open(cacheName).catch(() => undefined);
  if (!cache) return undefined;
  // Keys must be URLs; a key made here is never requested.
  const keyOf = (entry: ModelEntry) => `https://models.invalid/sha256/${entry.sha256}`;
  return {
    async get(entry) {
      const found = await cache.match(keyOf(entry));
      if (!found) return undefined;
      const bytes = new Uint8Array(await found.arrayBuffer());
      if (await matchesEntry(bytes, entry)) return bytes;
      await cache.delete(keyOf(entry));
      return undefined;
    },
    async put(entry, bytes) {
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) };
      // A full disk costs the next visit a download; the present visit must not lose the model for that.
      await cache.put(keyOf(entry), new Response(bytes, { headers })).catch(() => {});
    },
  };
}
