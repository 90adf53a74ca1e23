import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listModels } from '../src/inference/manifest.js';
import { type ModelManifest, type ModelSet, parseModelManifest } from '../src/schema/model.js';

/** A folder with model files; `manifest` is there when the folder describes its files itself. */
export type ModelFolder = {
  readonly manifest?: ModelManifest;
  /** Paths of the files in it that are models, by its manifest or the package's. */
  readonly files: readonly string[];
};

/**
 * The folder that was asked for, else `$EDGE_REFRAME_MODELS`, else `models/cache`; undefined where only the last is
 * left and does not exist.
 *
 * @throws Error naming what is wrong with the folder, its manifest, or a model that is a link to elsewhere.
 */
export function openModelFolder(asked: string | undefined): ModelFolder | undefined {
  const named = asked ?? process.env.EDGE_REFRAME_MODELS;
  const path = resolve(named ?? fileURLToPath(new URL('../models/cache', import.meta.url)));
  if (!existsSync(path)) {
    if (named) throw new Error(`There is no folder ${path}.`);
    return undefined;
  }
  const manifest = readManifest(join(path, 'manifest.json'));
  return { ...(manifest && { manifest }), files: modelsIn(realpathSync(path), listModels(manifest)) };
}

/** Which files of a set are not in the folder, as a sentence that says how to get them; undefined where all are there. */
export function missingOf(set: ModelSet, folder: ModelFolder | undefined): string | undefined {
  const needed = listModels(folder?.manifest).models.filter(model => model.set === set);
  const missing = needed.filter(({ file }) => !folder?.files.some(path => path.endsWith(file)));
  if (!missing.length) return undefined;
  const files = missing.map(({ file }) => file).join(', ');
  const [verb, them] = missing.length > 1 ? ['do', 'them'] : ['does', 'it'];
  return `model_unavailable: --${set} needs ${files}, which ${verb} not ship: npm run models -- --add ${set} puts ${them} into models/cache.`;
}

function readManifest(file: string): ModelManifest | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return parseModelManifest(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

function modelsIn(folder: string, { models }: ModelManifest): string[] {
  const files = models.map(({ file }) => join(folder, file)).filter(existsSync);
  // Whoever may read the folder through a page must not read the rest of the machine by what is linked in it.
  const away = files.find(file => dirname(realpathSync(file)) !== folder);
  if (away) throw new Error(`${away} is a link out of its folder. Put the file itself there.`);
  return files;
}
