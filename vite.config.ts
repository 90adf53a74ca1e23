import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playwright } from '@vitest/browser-playwright';
import type { ViteDevServer } from 'vite';
import { defineConfig } from 'vitest/config';
import { baseArgs, findChrome, softwareGpuArgs } from './bin/chrome.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));

/** Cross-origin isolation: more than one wasm thread needs it. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Packages with workers or wasm beside their modules: bundled for development, they lose those files. */
const optimizeDeps = {
  // Found late, they would make the page reload in the middle of a test.
  include: ['comlink', 'valibot', '@valibot/to-json-schema', 'hono', 'idb'],
  exclude: [
    'onnxruntime-web',
    '@ffmpeg/ffmpeg',
    '@ffmpeg/util',
    '@ffmpeg/core',
    'mediabunny',
    '@mediabunny/aac-encoder',
  ],
};

/** What the page says will be downloaded: the runtime without a GPU, and the models that it uses unasked. */
function firstUseBytes(): { runtime: number; models: number } {
  const require = createRequire(import.meta.url);
  const runtime = statSync(
    join(dirname(require.resolve('onnxruntime-web/wasm')), 'ort-wasm-simd-threaded.wasm'),
  ).size;
  const { models } = JSON.parse(readFileSync(`${here}models/manifest.json`, 'utf8')) as {
    models: { bundled?: boolean; bytes: number }[];
  };
  const bundled = models.filter(model => model.bundled);
  return { runtime, models: bundled.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Lists the page's files beside it, so that it can keep the code that a visit without a network may need. */
const listFiles = {
  name: 'list-files',
  apply: 'build' as const,
  writeBundle({ dir }: { dir?: string | undefined }) {
    if (!dir) return;
    const files = readdirSync(join(dir, 'assets')).filter(file => !file.endsWith('.map'));
    writeFileSync(join(dir, 'files.json'), JSON.stringify(files.map(file => `assets/${file}`)));
  },
};

/** While the page is developed, files that `npm run models -- --add` has made lie beside it. */
const addedModels = {
  name: 'added-models',
  apply: 'serve' as const,
  configureServer({ middlewares }: ViteDevServer) {
    middlewares.use('/models/', (request, response, next) => {
      const name = new URL(request.url ?? '', 'http://page').pathname.slice(1);
      const path = `${here}models/cache/${name}`;
      if (!/^(moonshine|dlib)[\w-]*\.(onnx|txt)$/.test(name) || !existsSync(path)) return next();
      response.setHeader('Content-Type', 'application/octet-stream');
      response.setHeader('Content-Length', statSync(path).size);
      if (request.method === 'HEAD') response.end();
      else createReadStream(path).pipe(response);
    });
  },
};

export default defineConfig({
  root: process.env.VITEST ? '.' : 'demo',
  base: './',
  define: {
    __FIRST_USE_BYTES__: JSON.stringify(firstUseBytes()),
  },
  build: {
    outDir: '../dist/demo',
    emptyOutDir: true,
    target: 'es2023',
    rollupOptions: {
      input: { index: `${here}demo/index.html`, 'service-worker': `${here}demo/service-worker.ts` },
      // A service worker rules over the folder it lies in, under a name that stays.
      output: {
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: { headers: isolation, fs: { allow: ['..'] } },
  preview: { headers: isolation },
  worker: { format: 'es' },
  plugins: [listFiles, addedModels],
  optimizeDeps,
  test: {
    // What a passing test prints hides what a failing one says.
    silent: 'passed-only',
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/unit/**/*.test.ts'],
          // Some run networks or a reference script: seconds on a quiet machine, many on a busy one.
          testTimeout: 120_000,
        },
      },
      {
        server: { headers: isolation, fs: { allow: [here, `${here}../shared`] } },
        worker: { format: 'es' },
        optimizeDeps,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            instances: [{ browser: 'chromium' }],
            provider: playwright({
              launchOptions: {
                executablePath: findChrome() ?? 'chromium',
                chromiumSandbox: false,
                args: [...baseArgs, ...softwareGpuArgs],
              },
            }),
          },
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          // What a page shows in the end counts, not how soon a busy machine draws it.
          expect: { poll: { timeout: 20_000 } },
          include: ['test/e2e/**/*.test.ts', 'test/consumer/**/*.test.ts'],
          globalSetup: 'test/e2e/material.ts',
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each starts browsers and servers of its own: one after the other, when the others are done.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
