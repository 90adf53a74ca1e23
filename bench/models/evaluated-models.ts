import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createSpeakerModel, type SpeakerModel } from '../../src/inference/lr-asd.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { openSession } from '../../src/inference/session.js';
import type { SpeakerFamily } from '../../src/pipeline/engine-options.js';
import type { ModelEntry } from '../../src/schema/model.js';

/** A model file that is here, as the manifest knows it. */
export type EvaluatedModel = {
  /** The manifest's id, or the name of a file that stands in for it. */
  readonly id: string;
  readonly entry: ModelEntry;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** Whether it is one of ours: it ships and its name says so. */
  readonly isOurs: boolean;
};

/**
 * A file of one's own that is measured as a model of the manifest is, under the file's name.
 *
 * @param given - `ID=FILE`.
 */
export function readStandIn(given: string): EvaluatedModel {
  const [id, ...rest] = given.split('=');
  const file = rest.join('=');
  const bytes = new Uint8Array(readFileSync(file));
  return {
    id: basename(file, '.onnx'),
    entry: findModel(packagedManifest(), id!),
    bytes,
    sha256: hashOf(bytes),
    isOurs: true,
  };
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The models of the manifest whose files lie in one of the folders; other files under their names are left out.
 *
 * @param folders - Looked through in this order.
 */
export function findModels(folders: readonly string[]): EvaluatedModel[] {
  return packagedManifest().models.flatMap((entry): EvaluatedModel[] => {
    for (const folder of folders) {
      const path = join(folder, entry.file);
      if (!existsSync(path)) continue;
      const bytes = new Uint8Array(readFileSync(path));
      const sha256 = hashOf(bytes);
      if (sha256 === entry.sha256)
        return [{ id: entry.id, entry, bytes, sha256, isOurs: entry.id.startsWith('edge-') }];
    }
    return [];
  });
}

/** The three files of a family on wasm and one thread, as figures that repeat need it; the caller closes the model. */
export async function openSpeakerFamily(
  models: readonly EvaluatedModel[],
  family: SpeakerFamily,
): Promise<SpeakerModel> {
  const part = (name: string) => {
    const { id, bytes } = models.find(model => model.id === `${family}-${name}`)!;
    return openSession(bytes, id, { device: 'wasm', threads: 1 });
  };
  return createSpeakerModel({
    family,
    visual: await part('visual'),
    audio: await part('audio'),
    backend: await part('backend'),
  });
}
