import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';
import { root } from './browser.js';

const dist = join(root, 'dist');
const require = createRequire(import.meta.url);
/** Packages that stay imports in the standalone build: optional, and not ours to ship. */
const optional = ['@ffmpeg/core', '@mediabunny/aac-encoder'];

rmSync(dist, { recursive: true, force: true });
emitModules();
await bundleStandalone();
checkNoDataUrls();
await buildPage({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
execFileSync('npx', ['publint', '--strict'], { cwd: root, stdio: 'inherit' });

/** One file to one file, worker literals untouched: that is what bundlers of applications digest. */
function emitModules(): void {
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}

/** Self-contained modules and workers for pages without a bundler. */
async function bundleStandalone(): Promise<void> {
  const standalone = join(dist, 'standalone');
  await build({
    absWorkingDir: root,
    entryPoints: {
      'src/index': 'src/index.ts',
      'workers/analysis.worker': 'workers/analysis.worker.ts',
      'workers/render.worker': 'workers/render.worker.ts',
      'workers/ffmpeg.worker': join(dirname(require.resolve('@ffmpeg/ffmpeg')), '../esm/worker.js'),
    },
    outdir: standalone,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    minify: true,
    legalComments: 'linked',
    external: optional,
    loader: { '.json': 'json' },
  });
  const runtime = dirname(require.resolve('onnxruntime-web/wasm'));
  for (const file of ['ort-wasm-simd-threaded.wasm', 'ort-wasm-simd-threaded.asyncify.wasm']) {
    mkdirSync(join(standalone, 'workers'), { recursive: true });
    cpSync(join(runtime, file), join(standalone, 'workers', file));
  }
}

/** Models and wasm are files of their own: inlined, every page would download them again with the code. */
function checkNoDataUrls(): void {
  const inlined = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js'))
    .filter(file => /data:application\/(wasm|octet-stream)/.test(readFileSync(join(dist, file), 'utf8')));
  if (inlined.length) throw new Error(`Inlined binaries in ${inlined.join(', ')}`);
}
