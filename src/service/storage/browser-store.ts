import { type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import { ReframeError } from '../../schema/error.js';
import type { Files } from './files.js';
import { createStorageFiles } from './storage-files.js';
import { type Shelf, type Store, tableNames } from './store.js';

/** Rises when the tables change; each older version has a migration. */
const databaseVersion = 3;

/** Holds the rows of all shelves, by `<shelf>/<key>`. */
const shelves = 'shelves';

type Upgrade = IDBPTransaction<unknown, string[], 'versionchange'>;

/** What brings a database of version n to n + 1, by n. */
const migrations: readonly ((database: IDBPDatabase, upgrade: Upgrade) => Promise<void> | void)[] = [
  database => {
    for (const name of ['videos', 'parts', 'ledger', 'handles', 'outbox', 'results'])
      database.createObjectStore(name);
  },
  database => void database.createObjectStore('saves'),
  // The sync layer had tables among the service's own; since then what it keeps lies on shelves.
  async (database, upgrade) => {
    const to = database.createObjectStore(shelves);
    for (const name of ['outbox', 'results']) {
      for (let row = await upgrade.objectStore(name).openCursor(); row; row = await row.continue())
        await to.put(row.value, `sync-${name}/${row.key}`);
      database.deleteObjectStore(name);
    }
  },
];

/** How a browser store is opened. */
export type BrowserStoreOptions = {
  /** Name of the database; stores of different names know nothing of each other's jobs. Default `edge-reframe`. */
  readonly name?: string;
  /** Where media and clips lie; default the browser's private storage. */
  readonly files?: Files;
};

/**
 * A store that outlives the page: records in IndexedDB, media and clips in the browser's private storage.
 * Asks the browser not to throw either away.
 *
 * @throws ReframeError `unavailable` where the browser lets the page keep nothing, as in some private windows.
 */
export async function openBrowserStore(options: BrowserStoreOptions = {}): Promise<Store> {
  const { name = 'edge-reframe' } = options;
  const files = options.files ?? (await createStorageFiles());
  let opened: Promise<IDBPDatabase> | undefined;
  const open = () => {
    opened ??= openDB(name, databaseVersion, {
      async upgrade(database, oldVersion, _newVersion, transaction) {
        for (const migrate of migrations.slice(oldVersion)) await migrate(database, transaction);
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
  const commit = async (
    tables: readonly string[],
    changes: readonly { readonly table: string; readonly key: string; readonly value?: unknown }[],
  ) => {
    const written = (await open()).transaction([...tables], 'readwrite', { durability: 'strict' });
    // The transaction tells of a failed request too, and takes back the other changes.
    const requests = changes.map(({ table, key, value }) => {
      const rows = written.objectStore(table);
      return (value === undefined ? rows.delete(key) : rows.put(value, key)).catch(() => undefined);
    });
    await Promise.all([...requests, written.done]);
  };
  return {
    files,
    lockName: `edge-reframe:${name}`,
    get: async (table, key) => (await open()).get(table, key),
    all: async table => (await open()).getAll(table),
    write: changes => commit(tableNames, changes),
    shelf: <Row extends object>(shelf: string): Shelf<Row> => ({
      // '0' is the character after '/': the range holds the keys that begin with the shelf's name and a slash.
      all: async () =>
        (await open()).getAll(shelves, IDBKeyRange.bound(`${shelf}/`, `${shelf}0`, false, true)),
      write: changes =>
        commit(
          [shelves],
          changes.map(({ key, value }) => ({ table: shelves, key: `${shelf}/${key}`, value })),
        ),
    }),
    close: () => void opened?.then(database => database.close()),
  };
}
