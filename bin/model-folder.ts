import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseModelManifest } from '../src/schema/model.js';

/** A folder with model files; `manifest` is there when the folder describes its files itself. */
export type ModelFolder = {
  readonly path: string;
  readonly manifest: { readonly manifest?: ReturnType<typeof parseModelManifest> };
};

/**
 * The folder that was asked for, else `$EDGE_REFRAME_MODELS`, else `models/cache`; undefined where only the last is
 * left and does not exist.
 *
 * @throws Error naming what is wrong with the folder or its manifest.
 */
export function openModelFolder(asked: string | undefined): ModelFolder | undefined {
  const named = asked ?? process.env.EDGE_REFRAME_MODELS;
  const path = resolve(named ?? fileURLToPath(new URL('../models/cache', import.meta.url)));
  if (!existsSync(path)) {
    if (named) throw new Error(`There is no folder ${path}.`);
    return undefined;
  }
  const file = join(path, 'manifest.json');
  if (!existsSync(file)) return { path, manifest: {} };
  try {
    return { path, manifest: { manifest: parseModelManifest(JSON.parse(readFileSync(file, 'utf8'))) } };
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}
