/** A file being written, which has its name, and can be opened, only once it is complete. */
export type FileDraft = {
  /** Takes the file's bytes, in order. */
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>;
  /** Closes the file and gives it its name. */
  commit(): Promise<void>;
  /** Gives up what was written. */
  discard(): Promise<void>;
};

/** Media and clips: large, and written piece by piece. */
export type Files = {
  /** A finished file; undefined where there is none. */
  open(name: string): Promise<Blob | undefined>;
  /** Begins a file; a finished file of that name stays until `commit`. */
  create(name: string): Promise<FileDraft>;
  /** Removes a finished file; nothing where there is none. */
  remove(name: string): Promise<void>;
  /** Finished files, and what clips under way have kept so far, with their sizes. */
  list(): Promise<FileSizes>;
  /** Gives up what an unfinished render of a clip has kept. */
  removeChunks(clipName: string): Promise<void>;
  /** Removes the files that are named orphans, and drafts; for the start, when nobody writes. */
  sweep(isOrphan: (name: string) => boolean): Promise<void>;
  /** Bytes that can still be written; undefined where nobody knows. */
  freeBytes(): Promise<number | undefined>;
  /**
   * Where a clip is rendered to: `storage` when the render worker's own folder is the store's, so that a file
   * it finished is finished here; `memory` when the clip has to be brought in.
   */
  readonly clipTarget: 'storage' | 'memory';
};

/** Names of what is kept, with sizes in bytes. */
export type FileSizes = readonly { readonly name: string; readonly sizeBytes: number }[];
