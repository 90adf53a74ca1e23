import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addCrossAttention } from '../src/convert/add-cross-attention.js';
import { findModel } from '../src/inference/manifest.js';
import type { ModelEntry, ModelManifest } from '../src/schema/model.js';

const run = promisify(execFile);

/** Where the files come from: packages that are read and not installed, because of what else they would bring. */
const recogniser = '@moonshine-ai/moonshine-js@0.1.29';
const tokenizer = 'llama-tokenizer-js@1.2.2';

/** What is made of which file of which package. */
const recipes: Readonly<
  Record<string, readonly [pack: string, file: string, make: (file: Buffer) => Uint8Array]>
> = {
  'moonshine-tiny-encoder': [recogniser, 'dist/model/tiny/quantized/encoder_model.onnx', file => file],
  'moonshine-tiny-decoder': [
    recogniser,
    'dist/model/tiny/quantized/decoder_model_merged.onnx',
    file => addCrossAttention(file),
  ],
  'moonshine-tokens': [tokenizer, 'llama-tokenizer.js', readTokens],
};

/** What became of a file: made now, or there already. */
export type AddedFile = { readonly entry: ModelEntry; readonly state: string };

export type AddWordsOptions = {
  /** Folder to fill. */
  readonly to: string;
  readonly manifest: ModelManifest;
  /** Stands in for npm and tar: puts a package's files into a folder. */
  readonly unpack?: (name: string, folder: string) => Promise<void>;
};

/**
 * Makes the recogniser's files from published packages; each is verified against the manifest before it gets its name.
 *
 * @throws Error where a package cannot be had, or holds other files than it should. Files that were made stay.
 */
export async function addWords({
  to,
  manifest,
  unpack = unpackFromNpm,
}: AddWordsOptions): Promise<AddedFile[]> {
  await mkdir(to, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'edge-reframe-words-'));
  const unpacked = new Set<string>();
  try {
    const rows: AddedFile[] = [];
    for (const [id, [name, file, make]] of Object.entries(recipes)) {
      const entry = findModel(manifest, id);
      const target = join(to, entry.file);
      if (isMeant(await readFile(target).catch(() => undefined), entry)) {
        rows.push({ entry, state: 'already there' });
        continue;
      }
      const folder = join(work, name.replaceAll('/', '-'));
      if (!unpacked.has(name)) await unpack(name, folder);
      unpacked.add(name);
      const made = make(await readFile(join(folder, file)));
      if (!isMeant(made, entry))
        throw new Error(`${file} of ${name} is not the file that ${entry.id} is made of.`);
      await writeFile(`${target}.part`, made);
      await rename(`${target}.part`, target);
      rows.push({ entry, state: `made from ${name}` });
    }
    return rows;
  } finally {
    await rm(work, { recursive: true });
  }
}

const isMeant = (bytes: Uint8Array | undefined, entry: ModelEntry): boolean =>
  bytes !== undefined && createHash('sha256').update(bytes).digest('hex') === entry.sha256;

/** The package's list of tokens, a line each, the token's number being that of its line; it lies in its code as base64. */
function readTokens(code: Buffer): Uint8Array {
  const found = /vocab_base64\s*=\s*"([A-Za-z0-9+/=]+)"/.exec(code.toString('latin1'));
  return Buffer.from(found?.[1] ?? '', 'base64');
}

async function unpackFromNpm(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const options = { cwd: folder, shell: process.platform === 'win32' };
  try {
    const { stdout } = await run('npm', ['pack', '--silent', name], options);
    await run('tar', ['-xzf', stdout.trim().split('\n').at(-1)!, '--strip-components=1'], options);
  } catch (cause) {
    throw new Error(`${name} could not be fetched with npm pack: ${(cause as Error).message.trim()}`, {
      cause,
    });
  }
}
