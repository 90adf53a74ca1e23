import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { root } from './browser.js';

const require = createRequire(import.meta.url);
const runtimeFolder = dirname(require.resolve('onnxruntime-web/wasm'));

/** Builds of ONNX Runtime that `src/inference/session.ts` imports. */
const runtimes: Readonly<Record<string, string>> = {
  'onnxruntime-web/wasm': 'ort.wasm.bundle.min.mjs',
  'onnxruntime-web/webgpu': 'ort.webgpu.bundle.min.mjs',
};

/** Files of ONNX Runtime that have to lie beside the workers. */
export const runtimeFiles: readonly string[] = [
  // With the glue apart from the bundles too: that is what ONNX Runtime loads on pages of another origin.
  ...['ort-wasm-simd-threaded', 'ort-wasm-simd-threaded.asyncify'].flatMap(name => [
    `${name}.mjs`,
    `${name}.wasm`,
  ]),
  ...Object.values(runtimes),
].map(file => join(runtimeFolder, file));

/**
 * Leaves ONNX Runtime in files of its own: it starts its threads from the file it is in, which must hold nothing else.
 */
const runtimeBeside: Plugin = {
  name: 'runtime-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^onnxruntime-web\// }, ({ path }) => ({
      path: `./${basename(runtimes[path]!)}`,
      external: true,
    }));
  },
};

/**
 * How modules for pages without a bundler are made, with the workers that they start. Models lie in a folder `models`
 * beside the one that the output is in.
 *
 * @param modules - Source by path in the output, without its end; it has to begin with `src/`.
 */
export const standaloneOptions = (modules: Readonly<Record<string, string>>) =>
  ({
    absWorkingDir: root,
    entryPoints: {
      ...modules,
      'workers/analysis.worker': 'workers/analysis.worker.ts',
      'workers/inference.worker': 'workers/inference.worker.ts',
      'workers/plan.worker': 'workers/plan.worker.ts',
      'workers/render.worker': 'workers/render.worker.ts',
      // Under the name by which its package looks for it beside the module that uses it.
      'workers/worker': join(dirname(require.resolve('@ffmpeg/ffmpeg')), 'worker.js'),
    },
    bundle: true,
    format: 'esm',
    target: 'es2023',
    plugins: [runtimeBeside],
  }) satisfies BuildOptions;
