import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { type AnalysisResult, fingerprint } from '../src/index.js';
import type { Edit, SavedVideo } from './state.js';

/** What is kept of a video: how it was corrected, and the video itself where there is room. */
export type SavedWork = {
  readonly key: string;
  readonly name: string;
  readonly savedAtMs: number;
  readonly edit: Edit;
  readonly input?: Blob | string;
};

/** Results lie apart: they are large, and a correction must not read and write them again. */
type Schema = DBSchema & {
  work: { key: string; value: SavedWork };
  results: { key: string; value: AnalysisResult };
};

/** Larger files are not copied: they are asked for again. Half a gigabyte fits the usual quota several times. */
const maxKeptBytes = 500e6;
/** Videos that are remembered; the oldest goes first. */
const maxKept = 12;

let opened: Promise<IDBPDatabase<Schema>> | undefined;
const database = () =>
  (opened ??= openDB<Schema>('edge-reframe-page', 2, {
    upgrade(db, from) {
      // What the first version kept in one piece is not worth a conversion.
      if (from === 1) db.deleteObjectStore('work');
      db.createObjectStore('work', { keyPath: 'key' });
      db.createObjectStore('results');
    },
  }));

/** Keeps the work on a video; without storage (a private window) the page works on without it. */
export async function saveWork(work: SavedWork): Promise<void> {
  const tooLarge = work.input instanceof Blob && work.input.size > maxKeptBytes;
  const { input, ...rest } = work;
  const kept: SavedWork = tooLarge || input === undefined ? rest : { ...rest, input };
  const db = await database();
  try {
    await db.put('work', kept);
  } catch (error) {
    if ((error as DOMException).name !== 'QuotaExceededError') throw error;
    await db.put('work', rest);
  }
  const all = await db.getAll('work');
  const old = all.sort((a, b) => b.savedAtMs - a.savedAtMs).slice(maxKept);
  await Promise.all(old.map(({ key }) => forgetWork(key)));
}

export const saveResult = async (key: string, result: AnalysisResult): Promise<void> =>
  void (await (await database()).put('results', result, key));

export const loadWork = async (key: string): Promise<SavedWork | undefined> =>
  (await database()).get('work', key);

export const loadResult = async (key: string): Promise<AnalysisResult | undefined> =>
  (await database()).get('results', key);

export async function forgetWork(key: string): Promise<void> {
  const db = await database();
  await Promise.all([db.delete('work', key), db.delete('results', key)]);
}

/** The newest first. */
export async function listWork(): Promise<SavedVideo[]> {
  const all = await (await database()).getAll('work');
  return all
    .sort((a, b) => b.savedAtMs - a.savedAtMs)
    .map(({ key, name, edit }) => ({ key, name, corrections: edit.corrections.length }));
}

/** Tells a file by what is in it: the same under another name or in another folder. */
export async function keyOf(input: Blob | string): Promise<string> {
  if (typeof input === 'string') return input;
  return fingerprint(input);
}
