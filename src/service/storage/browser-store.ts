import { type IDBPDatabase, openDB } from 'idb';
import { ReframeError } from '../../schema/error.js';
import { createStorageFiles } from './storage-files.js';
import { type Files, type Store, tableNames } from './store.js';

/** Rises when the tables change; each older version has a migration. */
const databaseVersion = 2;

/** What brings a database of version n to n + 1, by n. */
const migrations: readonly ((database: IDBPDatabase) => void)[] = [
  database => {
    for (const name of ['videos', 'parts', 'ledger', 'handles', 'outbox', 'results'])
      database.createObjectStore(name);
  },
  database => void database.createObjectStore('saves'),
];

export type BrowserStoreOptions = {
  /** Name of the database; stores of different names know nothing of each other's jobs. Default `edge-reframe`. */
  readonly name?: string;
  /** Where media and clips lie; default the browser's private storage. */
  readonly files?: Files;
};

/**
 * A store that outlives the page: records in IndexedDB, media and clips in the browser's private storage. Asks the
 * browser not to throw it away.
 *
 * @throws ReframeError `unavailable` where the browser lets the page keep nothing, as in some private windows.
 */
export async function openBrowserStore(options: BrowserStoreOptions = {}): Promise<Store> {
  const { name = 'edge-reframe' } = options;
  const files = options.files ?? (await createStorageFiles());
  let opened: Promise<IDBPDatabase> | undefined;
  const open = () => {
    opened ??= openDB(name, databaseVersion, {
      upgrade(database, oldVersion) {
        for (const migrate of migrations.slice(oldVersion)) migrate(database);
      },
      // A newer version of the page may want to migrate; a person may clear the storage.
      blocking(_now, _next, event) {
        opened = undefined;
        (event.target as IDBDatabase).close();
      },
      terminated: () => (opened = undefined),
    });
    opened.catch(() => (opened = undefined));
    return opened;
  };
  await open().catch(cause => {
    throw new ReframeError('unavailable', 'This browser keeps nothing for the page.', { cause });
  });
  // A refusal changes nothing but how long the browser keeps what is there.
  await globalThis.navigator?.storage?.persist?.().catch(() => false);
  return {
    files,
    lockName: `edge-reframe:${name}`,
    get: async (table, key) => (await open()).get(table, key),
    all: async table => (await open()).getAll(table),
    async write(changes) {
      const written = (await open()).transaction([...tableNames], 'readwrite', { durability: 'strict' });
      // The transaction tells of a failed request too, and takes back the others.
      const requests = changes.map(({ table, key, value }) => {
        const rows = written.objectStore(table);
        return (value === undefined ? rows.delete(key) : rows.put(value, key)).catch(() => undefined);
      });
      await Promise.all([...requests, written.done]);
    },
    close: () => void opened?.then(database => database.close()),
  };
}
