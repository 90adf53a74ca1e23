import type { LedgerEntry } from '../jobs/credits.js';
import type { Video } from '../jobs/state.js';
import type { Save } from './saves.js';

/** What a store keeps beside files, by table. Parts lie under `<video id>/<part>`. */
export type Rows = {
  readonly videos: Video;
  readonly parts: object;
  readonly ledger: LedgerEntry;
  readonly handles: FileSystemFileHandle;
  /** What steps that are under way keep, to go on after a restart. */
  readonly saves: Save;
  /** What the sync layer was asked, and what came of it. */
  readonly outbox: object;
  readonly results: object;
};
export type TableName = keyof Rows;
export const tableNames: readonly TableName[] = [
  'videos',
  'parts',
  'ledger',
  'handles',
  'saves',
  'outbox',
  'results',
];

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

/** A file being written. It has its name, and can be opened, only once it is complete. */
export type FileDraft = {
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  /** Closes the file and gives it its name. */
  commit(): Promise<void>;
  discard(): Promise<void>;
};

/** Media and clips: large, and written piece by piece. */
export type Files = {
  /** A finished file; undefined where there is none. */
  open(name: string): Promise<Blob | undefined>;
  create(name: string): Promise<FileDraft>;
  remove(name: string): Promise<void>;
  /** Finished files, and what clips under way have kept so far, with their sizes. */
  list(): Promise<readonly { readonly name: string; readonly sizeBytes: number }[]>;
  /** Gives up what an unfinished render of a clip has kept. */
  removeChunks(clipName: string): Promise<void>;
  /** Removes the files that are named orphans, and drafts; for the start, when nobody writes. */
  sweep(isOrphan: (name: string) => boolean): Promise<void>;
  /** Bytes that can still be written; undefined where nobody knows. */
  freeBytes(): Promise<number | undefined>;
  /**
   * Where a clip is rendered to: `storage` when the render worker's own folder is this one, so that a file it
   * finished is finished here; `memory` when it has to be brought in.
   */
  readonly clipTarget: 'storage' | 'memory';
};

/** Where jobs, results, ledger and media are kept. */
export type Store = {
  get<Table extends TableName>(table: Table, key: string): Promise<Rows[Table] | undefined>;
  /** All rows of a table, by key. */
  all<Table extends TableName>(table: Table): Promise<readonly Rows[Table][]>;
  /** All of the changes or none of them. */
  write(changes: readonly Change[]): Promise<void>;
  readonly files: Files;
  /** Name of the lock that whoever runs jobs on this store holds; absent when no one else can reach it. */
  readonly lockName?: string;
  close(): void;
};

/** Key of a ledger line: sorts as the lines do. */
export const ledgerKey = (entry: LedgerEntry): string => String(entry.line).padStart(12, '0');

/** A store that ends with the page or process: for tests, and for pages that keep nothing. */
export function createMemoryStore(): Store {
  const tables = new Map(tableNames.map(name => [name, new Map<string, unknown>()]));
  return {
    async get<Table extends TableName>(table: Table, key: string) {
      return tables.get(table)!.get(key) as Rows[Table] | undefined;
    },
    async all<Table extends TableName>(table: Table) {
      const rows = [...tables.get(table)!].sort(([a], [b]) => (a < b ? -1 : 1));
      return rows.map(([, row]) => row as Rows[Table]);
    },
    async write(changes) {
      for (const { table, key, value } of changes) {
        if (value === undefined) tables.get(table)!.delete(key);
        else tables.get(table)!.set(key, value);
      }
    },
    files: createMemoryFiles(),
    close: () => undefined,
  };
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
