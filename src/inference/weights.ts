import { ReframeError } from '../schema/error.js';
import type { ModelEntry, ModelManifest } from '../schema/model.js';
import { bundledUrl } from './bundled.js';
import { findModel, listModels } from './manifest.js';
import { openWeightsCache } from './weights-cache.js';
import { matchesEntry, type ReadFileOptions, readFile } from './weights-file.js';

/** Model bytes, or the address of a file with them. */
export type ModelFile = string | URL | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

/** Where model files may come from. With none of the options: those that ship with the package. */
export type WeightsOptions = {
  /** Folder that holds model files under their names in the manifest; their hashes must match. */
  readonly base?: string | URL;
  /** Files for single models, by id. They are trusted as they are: this is how a model of one's own gets in. */
  readonly files?: Readonly<Record<string, ModelFile>>;
  /** Folder of the files that ship with the package, where the bundler put them somewhere of its own. */
  readonly bundledBase?: string | URL;
  /** Whether the pinned public address of a model may be used; default false: nothing leaves the origin. */
  readonly allowDownloads?: boolean;
  /** Whether verified files are kept in Cache Storage, for the next time and for working offline; default true. */
  readonly cache?: boolean;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Models of one's own, or other files for the package's: these entries come in place of those with the same id. */
  readonly manifest?: ModelManifest;
};

/** How far one file is; `receivedBytes` equals `totalBytes` only once the file is complete. */
export type WeightsProgress = {
  readonly id: string;
  readonly receivedBytes: number;
  readonly totalBytes: number;
};

/** `caller`: the options named the file or its folder; `download`: the pinned public address. */
export type WeightsOrigin = 'caller' | 'bundled' | 'download' | 'cache';

/** A model file, whole. Bytes have the manifest's hash unless `files` named them. */
export type LoadedWeights = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly from: WeightsOrigin;
  readonly entry: ModelEntry;
};

export type FetchWeightsOptions = {
  readonly onProgress?: (progress: WeightsProgress) => void;
  readonly signal?: AbortSignal;
};

/** Finds model files; see {@link createWeights}. */
export interface Weights {
  /**
   * @param id - The model's id in the manifest.
   * @throws ReframeError `model_unavailable` when no place has the file, `model_corrupt` when one has another
   * file under its name; RangeError for an unknown id; the signal's reason.
   */
  fetch(id: string, options?: FetchWeightsOptions): Promise<LoadedWeights>;
}

type Place = { readonly from: WeightsOrigin; readonly url: string };

/**
 * Looks for a model file at what the caller gave, then in the package, and, where allowed, at its pinned public
 * address; verified files come from the cache the next time. Everything but a file that the caller named is
 * checked against the manifest's SHA-256.
 *
 * @throws RangeError when `files` names a model that the manifest does not list.
 */
export function createWeights(options: WeightsOptions = {}): Weights {
  const manifest = listModels(options.manifest);
  for (const id of Object.keys(options.files ?? {})) findModel(manifest, id);
  return {
    async fetch(id, request = {}) {
      request.signal?.throwIfAborted();
      const entry = findModel(manifest, id);
      const given = options.files?.[id];
      if (given !== undefined)
        return { bytes: await readGiven(given, entry, options, request), from: 'caller', entry };

      const cache = options.cache === false ? undefined : await openWeightsCache();
      const cached = await cache?.get(entry);
      if (cached) return { bytes: cached, from: 'cache', entry };

      const tried: string[] = [];
      for (const { from, url } of placesOf(entry, options)) {
        const answer = await readFile(url, reading(entry, options, request, entry.bytes));
        if (answer.kind === 'missing') {
          tried.push(`${url}: ${answer.why}`);
          continue;
        }
        // Another file under this name is a mistake to report, not a reason to look further.
        if (!(await matchesEntry(answer.bytes, entry))) throw corrupt(entry, url, answer.bytes.length);
        await cache?.put(entry, answer.bytes);
        return { bytes: answer.bytes, from, entry };
      }
      throw unavailable(entry, tried, options.allowDownloads === true);
    },
  };
}

function placesOf(entry: ModelEntry, options: WeightsOptions): Place[] {
  const inFolder = (base: string | URL) => {
    const folder = new URL(String(base).replace(/\/?$/, '/'), globalThis.location?.href);
    return new URL(entry.file, folder).href;
  };
  const places: Place[] = [];
  if (options.base !== undefined) places.push({ from: 'caller', url: inFolder(options.base) });
  const shipped =
    options.bundledBase === undefined ? bundledUrl(entry.id)?.href : inFolder(options.bundledBase);
  if (entry.bundled && shipped) places.push({ from: 'bundled', url: shipped });
  if (options.allowDownloads && entry.url) places.push({ from: 'download', url: entry.url });
  return places;
}

async function readGiven(
  given: ModelFile,
  entry: ModelEntry,
  options: WeightsOptions,
  request: FetchWeightsOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (given instanceof Blob) return new Uint8Array(await given.arrayBuffer());
  const answer = await readFile(String(given), reading(entry, options, request));
  if (answer.kind === 'bytes') return answer.bytes;
  throw unavailable(entry, [`${given}: ${answer.why}`], true);
}

function reading(
  entry: ModelEntry,
  options: WeightsOptions,
  { onProgress, signal }: FetchWeightsOptions,
  expectedBytes?: number,
): ReadFileOptions {
  return {
    fetch: options.fetch ?? fetch,
    ...(expectedBytes === undefined ? {} : { expectedBytes }),
    ...(signal ? { signal } : {}),
    onBytes: (receivedBytes, totalBytes) => onProgress?.({ id: entry.id, receivedBytes, totalBytes }),
  };
}

function unavailable(entry: ModelEntry, tried: readonly string[], downloadsSettled: boolean): ReframeError {
  const where = tried.length > 0 ? `Tried ${tried.join('; ')}.` : 'No place to look for it was given.';
  const download =
    entry.url && !downloadsSettled ? `, or allow its download from ${entry.url} (\`allowDownloads\`)` : '';
  const itself =
    entry.set === 'words' ? 'the recogniser’s three files in `words`' : 'the file itself in `files`';
  const setUp = entry.set
    ? `Run \`npm run models -- --add ${entry.set}\``
    : 'Run `npm run models -- --from DIR` with the folder that has the file';
  return new ReframeError(
    'model_unavailable',
    `"${entry.id}" (${entry.file}). ${where} ${setUp} and pass \`base\`, or pass ${itself}${download}.`,
  );
}

function corrupt(entry: ModelEntry, url: string, receivedBytes: number): ReframeError {
  const found =
    receivedBytes === entry.bytes
      ? 'its SHA-256 is another one'
      : `it has ${receivedBytes < entry.bytes ? `only ${receivedBytes}` : 'more'} bytes`;
  return new ReframeError(
    'model_corrupt',
    `"${entry.id}" from ${url}: ${found}; expected ${entry.bytes} bytes with SHA-256 ${entry.sha256}. Replace the ` +
      'file (`npm run models -- --from DIR`); a model of your own goes into `files`.',
  );
}
