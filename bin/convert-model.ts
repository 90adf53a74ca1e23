import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { convertLrAsd } from '../src/convert/convert-lr-asd.js';
import { findModel, packagedManifest } from '../src/inference/manifest.js';
import { readFile as readAddress } from '../src/inference/weights-file.js';
import { type ModelEntry, parseModelManifest } from '../src/schema/model.js';

/** The authors' file has 3.4 MB: a longer answer is another file, whatever the server says. */
const longestBytes = 64 * 1024 * 1024;

export type ConvertRequest = {
  /** A file, or an `http(s):` address. */
  readonly checkpoint: string;
  /** Folder to write into. */
  readonly to: string;
  /** Whether the encoders' weights are stored as float16. */
  readonly half: boolean;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/**
 * Converts a checkpoint of LR-ASD into the three model files, and lists them in the folder's own `manifest.json`,
 * where the command line looks before it looks into the package's.
 *
 * @returns The entries that it wrote.
 * @throws ReframeError `model_corrupt` when the checkpoint is not one; Error when it cannot be had.
 */
export async function convertIntoFolder(request: ConvertRequest): Promise<ModelEntry[]> {
  const { checkpoint, to, half } = request;
  const bytes = await readCheckpoint(request);
  const files = convertLrAsd(bytes, { half });
  await mkdir(to, { recursive: true });
  const entries: ModelEntry[] = [];
  for (const [part, content] of Object.entries(files)) {
    const { url: _public, bundled: _shipped, ...known } = findModel(packagedManifest(), `lr-asd-${part}`);
    const entry: ModelEntry = {
      ...known,
      version: half ? 'converted-w16' : 'converted',
      file: `lr-asd-${part}.converted.onnx`,
      bytes: content.length,
      sha256: sha256(content),
      source: `${basename(checkpoint)} (SHA-256 ${sha256(bytes)}), converted`,
    };
    await writeWhole(join(to, entry.file), content);
    entries.push(entry);
  }
  // Last, so that it never lists what is not there.
  await writeManifest(join(to, 'manifest.json'), entries);
  return entries;
}

async function readCheckpoint({ checkpoint, fetch: read = fetch }: ConvertRequest): Promise<Uint8Array> {
  if (!/^https?:/.test(checkpoint)) return readFile(checkpoint);
  const answer = await readAddress(checkpoint, { fetch: read, expectedBytes: longestBytes });
  if (answer.kind === 'bytes') return answer.bytes;
  throw new Error(`${checkpoint}: ${answer.why}`);
}

/** Keeps what the manifest says of other models. */
async function writeManifest(path: string, entries: readonly ModelEntry[]): Promise<void> {
  const there = existsSync(path) ? parseModelManifest(JSON.parse(await readFile(path, 'utf8'))).models : [];
  const others = there.filter(({ id }) => !entries.some(entry => entry.id === id));
  const manifest = parseModelManifest({ models: [...others, ...entries] });
  await writeWhole(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** Under a name of its own until it is whole, so that an interrupted run leaves no half file. */
async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
