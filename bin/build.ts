// npm run build: dist/ as it is published (modules, workers, standalone), and the demo page beside it.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packagedManifest } from '../src/inference/manifest.js';
import { root } from './browser.js';
import { runtimeFiles, standaloneOptions } from './standalone.js';

const dist = join(root, 'dist');
/** Stays an import in the standalone build, where it fails and is done without: optional, and not ours to ship. */
const optional = ['@mediabunny/aac-encoder'];

/** Everything that is published. */
export async function buildLibrary(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  emitModules();
  copyModels();
  await bundleStandalone();
  checkNoDataUrls();
}

/** One file to one file, worker literals untouched: that is what bundlers of applications digest. */
function emitModules(): void {
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}

/** Where both builds look for them: two folders up from the module that asks. */
function copyModels(): void {
  for (const { file, bundled } of packagedManifest().models)
    if (bundled) cpSync(join(root, 'models', file), join(dist, 'models', file));
}

/** Modules and workers for pages without a bundler: nothing in them is imported from a package. */
async function bundleStandalone(): Promise<void> {
  const standalone = join(dist, 'standalone');
  await build({
    ...standaloneOptions({
      'src/index': 'src/index.ts',
      'src/preview/index': 'src/preview/index.ts',
      'src/export/index': 'src/export/index.ts',
      'src/captions/index': 'src/captions/index.ts',
      'src/advisor/index': 'src/advisor/index.ts',
      'src/service/index': 'src/service/index.ts',
      'src/service-worker/index': 'src/service-worker/index.ts',
      'src/client/index': 'src/client/index.ts',
      'src/sync/index': 'src/sync/index.ts',
      'src/convert': 'src/convert/convert-lr-asd.ts',
    }),
    outdir: standalone,
    minify: true,
    legalComments: 'linked',
    external: optional,
  });
  for (const path of runtimeFiles) cpSync(path, join(standalone, 'workers', basename(path)));
}

/** Models and wasm are files of their own: inlined, every page would download them again with the code. */
function checkNoDataUrls(): void {
  const inlined = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js'))
    .filter(file => /data:application\/(wasm|octet-stream)/.test(readFileSync(join(dist, file), 'utf8')));
  if (inlined.length) throw new Error(`Inlined binaries in ${inlined.join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildLibrary();
  const { build: buildPage } = await import('vite');
  await buildPage({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  execFileSync('npx', ['publint', '--strict'], { cwd: root, stdio: 'inherit' });
}
