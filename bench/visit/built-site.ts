import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'vite';
import { root } from '../../bin/browser.js';
import { type FolderServer, serveFolders } from '../../test/consumer/serve-folder.js';

/** The page as it is published, on a server of this machine. */
export type BuiltSite = FolderServer & {
  /** Names a place of the built code by its source: `session.ts:144`; as it is where there is no map. */
  readonly placeOf: (url: string, line: number, column: number) => string;
};

/** Builds the page into `folder`, with source maps that browsers are not told of, and serves it. */
export async function serveBuiltSite(folder: string, isBuilt: boolean): Promise<BuiltSite> {
  if (!isBuilt)
    await build({
      configFile: join(root, 'vite.config.ts'),
      root: join(root, 'demo'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true, sourcemap: 'hidden' },
    });
  const server = await serveFolders(
    { '/': folder },
    { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
  );
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) maps.set(file, readMap(join(folder, 'assets', `${file}.map`)));
    return maps.get(file);
  };
  return {
    ...server,
    placeOf(url, line, column) {
      const file = basename(new URL(url, 'http://localhost').pathname);
      const entry = mapOf(file)?.findEntry(line, column);
      if (!entry || !('originalSource' in entry)) return file;
      return `${basename(entry.originalSource)}:${entry.originalLine + 1}`;
    },
  };
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Scripts of packages that are copied as they are have none.
    return undefined;
  }
}
