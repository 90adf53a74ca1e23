import { fingerprint, shortHash } from '../../identity/fingerprint.js';
import { ReframeError } from '../../schema/error.js';
import type { Source } from '../jobs/state.js';
import type { Store } from '../storage/store.js';
import { fileScheme, readAddress } from './address.js';
import { copySource, fingerprintUrl } from './fetch-source.js';

/** A file that its user picked, or the browser's handle of one. */
export type HandedIn = Blob | FileSystemFileHandle;

/** Finds the bytes of sources, now and after a restart. */
export type Sources = {
  /** Takes a file: keeps its handle, or a copy where there is room for it. Its address is the same each time. */
  put(file: HandedIn): Promise<{ readonly url: string; readonly id: string; readonly resumable: boolean }>;
  /**
   * What a request's `url` names.
   *
   * @throws ReframeError `invalid_request`, `too_large`, or `not_found` for a file that was never handed in.
   */
  accept(url: string): Promise<{ readonly source: Source; readonly resumable: boolean }>;
  /**
   * Makes a source readable for the first time: copies what cannot be read in place.
   *
   * @returns What to keep in the record.
   */
  bring(source: Source, signal: AbortSignal): Promise<Source>;
  /** What the pipeline reads. */
  open(source: Source, signal: AbortSignal): Promise<Blob | string>;
  /** Asks the person for permission to read a file again; must be called from a click. */
  askPermission(source: Source): Promise<void>;
};

const copyName = (id: string): string => `source-${id}`;
type PermissionHandle = FileSystemFileHandle & {
  queryPermission?(what: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(what: { mode: 'read' }): Promise<PermissionState>;
};

/**
 * @param fetcher - What fetches sources; where given, every source is copied through it instead of read in
 *   ranges.
 */
export function createSources(store: Store, fetcher?: typeof globalThis.fetch): Sources {
  const { files } = store;
  const fetch = fetcher ?? globalThis.fetch.bind(globalThis);
  /** Files that could not be kept, and those just handed in. */
  const inMemory = new Map<string, Blob>();
  const isKept = async (id: string) =>
    !!((await store.get('handles', id)) ?? (await files.open(copyName(id))));

  const openHandle = async (id: string): Promise<Blob | undefined> => {
    const handle = (await store.get('handles', id)) as PermissionHandle | undefined;
    if (!handle) return undefined;
    if (((await handle.queryPermission?.({ mode: 'read' })) ?? 'granted') !== 'granted')
      throw new ReframeError('source_permission_needed', `Click to let the page read ${handle.name} again.`);
    const file = await handle.getFile();
    if ((await fingerprint(file)) !== id)
      throw new ReframeError('source_changed', `${handle.name} was edited.`);
    return file;
  };

  const keep = async (id: string, blob: Blob): Promise<boolean> => {
    if (await files.open(copyName(id))) return true;
    const free = await files.freeBytes();
    if (free !== undefined && free < 2 * blob.size) return false;
    const draft = await files.create(copyName(id));
    try {
      await (blob.stream() as ReadableStream<Uint8Array<ArrayBuffer>>).pipeTo(draft.writable, {
        preventClose: true,
      });
      await draft.commit();
      return true;
    } catch {
      // A copy is a convenience: without it the job runs, and does not outlive the page.
      await draft.discard();
      return false;
    }
  };

  const sources: Sources = {
    async put(file) {
      const blob = 'getFile' in file ? await file.getFile() : file;
      const id = await fingerprint(blob);
      inMemory.set(id, blob);
      const isHandle = 'getFile' in file;
      if (isHandle) await store.write([{ table: 'handles', key: id, value: file }]);
      const resumable = isHandle || (await keep(id, blob));
      return { url: `${fileScheme}${id}`, id, resumable };
    },

    async accept(url) {
      const address = readAddress(url);
      if (address.kind !== 'file')
        return { source: { kind: 'url', url }, resumable: address.kind !== 'blob' };
      const { id } = address;
      const resumable = await isKept(id);
      if (!resumable && !inMemory.has(id)) throw new ReframeError('not_found', 'Hand in the file first.');
      return { source: { kind: 'file', id, name: id }, resumable };
    },

    async bring(source, signal) {
      if (source.kind === 'file') return source;
      const address = readAddress(source.url);
      if (address.kind === 'blob') {
        const { id } = await sources.put(await readBlob(address.url));
        return { kind: 'file', id, name: id };
      }
      if (address.kind === 'drive' || (address.kind === 'http' && fetcher)) {
        const id = await shortHash(new TextEncoder().encode(`${address.url} ${crypto.randomUUID()}`));
        await copySource(address, copyName(id), { files, fetch, signal });
        return { kind: 'file', id, name: source.url, url: source.url };
      }
      return address.kind === 'http'
        ? { ...source, ...(await fingerprintUrl(source.url, fetch, signal)) }
        : source;
    },

    async open(source, signal) {
      if (source.kind === 'file') {
        const found =
          inMemory.get(source.id) ?? (await openHandle(source.id)) ?? (await files.open(copyName(source.id)));
        if (found) return found;
        if (source.url !== undefined) {
          // Somebody cleared the storage.
          const address = readAddress(source.url) as { kind: 'http' | 'drive'; url: string };
          await copySource(address, copyName(source.id), { files, fetch, signal });
          return (await files.open(copyName(source.id)))!;
        }
        throw new ReframeError('source_permission_needed', `Hand in the file again: ${source.name}.`);
      }
      if (source.etag === undefined && source.sizeBytes === undefined) return source.url;
      const now = await fingerprintUrl(source.url, fetch, signal);
      const differs = (old: unknown, young: unknown) =>
        old !== undefined && young !== undefined && old !== young;
      if (differs(source.etag, now.etag) || differs(source.sizeBytes, now.sizeBytes))
        throw new ReframeError('source_changed', source.url);
      return source.url;
    },

    async askPermission(source) {
      if (source.kind !== 'file') return;
      const handle = (await store.get('handles', source.id)) as PermissionHandle | undefined;
      await handle?.requestPermission?.({ mode: 'read' });
    },
  };
  return sources;
}

async function readBlob(url: string): Promise<Blob> {
  try {
    return await (await globalThis.fetch(url)).blob();
  } catch (cause) {
    throw new ReframeError('source_unreachable', `${url} is not an address of this page.`, { cause });
  }
}

/** The store's file that a source lies in, if it was copied. */
export const copyOf = (source: Source): string | undefined =>
  source.kind === 'file' ? copyName(source.id) : undefined;
