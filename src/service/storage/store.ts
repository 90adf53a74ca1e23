import type { LedgerEntry } from '../jobs/credits.js';
import type { Video } from '../jobs/state.js';
import type { Files } from './files.js';
import type { Save } from './save.js';

/** What a store keeps beside files, by table. Parts lie under `<video id>/<part>`. */
export type Rows = {
  /** Videos, by their ids. */
  readonly videos: Video;
  /** Parts of analyses and plans. */
  readonly parts: object;
  /** Lines of the ledger, by their numbers. */
  readonly ledger: LedgerEntry;
  /** Handles of files that the user handed in, by their fingerprints. */
  readonly handles: FileSystemFileHandle;
  /** What steps that are under way keep, to go on after a restart. */
  readonly saves: Save;
};
/** Name of a table of {@link Rows}. */
export type TableName = keyof Rows;
export const tableNames: readonly TableName[] = ['videos', 'parts', 'ledger', 'handles', 'saves'];

/** One row put in or taken out. */
export type Change =
  | {
      readonly [Table in TableName]: {
        readonly table: Table;
        readonly key: string;
        readonly value: Rows[Table];
      };
    }[TableName]
  | { readonly table: TableName; readonly key: string; readonly value?: undefined };

/** Rows that another layer keeps in the same place: what they are is that layer's, and nothing of the service's. */
export type Shelf<Row extends object> = {
  /** All rows, by key. */
  all(): Promise<readonly Row[]>;
  /** Puts rows in or, without a value, takes them out: all or nothing. */
  write(changes: readonly { readonly key: string; readonly value?: Row }[]): Promise<void>;
};

/** Where jobs, results, ledger and media are kept. */
export type Store = {
  /** One row of a table; undefined where there is none. */
  get<Table extends TableName>(table: Table, key: string): Promise<Rows[Table] | undefined>;
  /** All rows of a table, by key. */
  all<Table extends TableName>(table: Table): Promise<readonly Rows[Table][]>;
  /** All of the changes or none of them. */
  write(changes: readonly Change[]): Promise<void>;
  /** @param name - Of letters and dashes; each layer has names of its own. */
  shelf<Row extends object>(name: string): Shelf<Row>;
  /** Media and clips. */
  readonly files: Files;
  /**
   * Name of the lock that whoever runs jobs on this store holds; absent where no other page can reach the
   * store.
   */
  readonly lockName?: string;
  /** Lets go of the store; whoever wants to use it again opens it again. */
  close(): void;
};

/** Key of a ledger line: sorts as the lines do. */
export const ledgerKey = (entry: LedgerEntry): string => String(entry.line).padStart(12, '0');

/** A store that ends with the page or process: for tests, and for pages that keep nothing. */
export function createMemoryStore(): Store {
  const tables = new Map(tableNames.map(name => [name, new Map<string, unknown>()]));
  const shelves = new Map<string, Map<string, object>>();
  return {
    async get<Table extends TableName>(table: Table, key: string) {
      return tables.get(table)!.get(key) as Rows[Table] | undefined;
    },
    async all<Table extends TableName>(table: Table) {
      return byKey(tables.get(table)!) as Rows[Table][];
    },
    async write(changes) {
      for (const { table, key, value } of changes) put(tables.get(table)!, key, value);
    },
    shelf<Row extends object>(name: string): Shelf<Row> {
      const rows = shelves.get(name) ?? new Map<string, object>();
      shelves.set(name, rows);
      return {
        all: async () => byKey(rows) as Row[],
        async write(changes) {
          for (const { key, value } of changes) put(rows, key, value);
        },
      };
    },
    files: createMemoryFiles(),
    close: () => undefined,
  };
}

const byKey = (rows: ReadonlyMap<string, unknown>): unknown[] =>
  [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

function put<Row>(rows: Map<string, Row>, key: string, value: Row | undefined): void {
  if (value === undefined) rows.delete(key);
  else rows.set(key, value);
}

function createMemoryFiles(): Files {
  const files = new Map<string, Blob>();
  return {
    clipTarget: 'memory',
    open: async name => files.get(name),
    async create(name) {
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      return {
        writable: new WritableStream({ write: chunk => void chunks.push(chunk) }),
        commit: async () => void files.set(name, new Blob(chunks)),
        discard: async () => void chunks.splice(0),
      };
    },
    remove: async name => void files.delete(name),
    removeChunks: async () => undefined,
    list: async () => [...files].map(([name, { size }]) => ({ name, sizeBytes: size })),
    async sweep(isOrphan) {
      for (const name of [...files.keys()].filter(isOrphan)) files.delete(name);
    },
    freeBytes: async () => undefined,
  };
}
