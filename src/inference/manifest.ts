import json from '../../models/manifest.json' with { type: 'json' };
import { type ModelEntry, type ModelManifest, parseModelManifest } from '../schema/model.js';

let parsed: ModelManifest | undefined;

/** The models that this version of the library knows, as `models/manifest.json` lists them. */
export const packagedManifest = (): ModelManifest => (parsed ??= parseModelManifest(json));

/** The package's models, with entries of one's own in place of those with the same id. */
export function listModels(own?: ModelManifest): ModelManifest {
  if (!own) return packagedManifest();
  const others = packagedManifest().models.filter(({ id }) => !own.models.some(entry => entry.id === id));
  return { models: [...own.models, ...others] };
}

/**
 * The entry of a model.
 *
 * @throws RangeError when the manifest has no such id.
 */
export function findModel(manifest: ModelManifest, id: string): ModelEntry {
  const entry = manifest.models.find(model => model.id === id);
  if (entry) return entry;
  const known = manifest.models.map(model => model.id).join(', ');
  throw new RangeError(`"${id}" is not a known model; the manifest lists: ${known}.`);
}
