import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build as bundle } from 'esbuild';
import type { Browser } from 'playwright';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type AppRun, launchBrowser, runApp } from './app-page.js';
import { installPackedApps, type PackedApps } from './packed-apps.js';
import { serveFolders } from './serve-folder.js';

const material = inject('material');
/** Lets a page have more than one wasm thread. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
/**
 * The strictest policy under which everything runs, with nothing to spare but the apps' own needs.
 *
 * @param library - The origin of the library's files where it is not the page's own.
 */
const policy = (library = '', blobs = 'blob:') => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${library}`,
    // `blob:` is for the optional AAC encoder, and for workers from another origin.
    `worker-src 'self' ${blobs} ${library}`,
    `connect-src 'self' ${library}`,
  ].join('; '),
});

let apps: PackedApps;
let browser: Browser;
beforeAll(async () => {
  [apps, browser] = await Promise.all([installPackedApps(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  apps?.[Symbol.dispose]();
});

/** The clip's cut, faces and frames came through, and no request went anywhere but to `origins`. */
function expectJobDone(run: AppRun, ...origins: string[]): void {
  const { scene_detection, face_tracking_yolov8, active_speaker } = run.facts.parts;
  expect(scene_detection.scenes.map(scene => [scene.start_frame, scene.end_frame])).toEqual([
    [0, 50],
    [50, 75],
  ]);
  expect(face_tracking_yolov8.track_count).toBe(3);
  expect(active_speaker.tracks.filter(track => track.speaking_fraction > 0)).toHaveLength(3);
  expect(run.facts.clip).toMatchObject({ width: 180, height: 320, frames: 75 });
  expect(run.facts.clip.sizeBytes).toBeGreaterThan(10_000);
  expect(run.ffmpeg).toEqual({ shots: 2, backend: 'ffmpeg' });
  expect(run.errors).toEqual([]);
  // Workers fetch these: their requests are in the record too.
  expect(run.requests.some(url => /ort-wasm[^/]*\.wasm/.test(url))).toBe(true);
  expect(run.requests.some(url => /ffmpeg-core[^/]*\.wasm/.test(url))).toBe(true);
  expect([...run.origins].sort()).toEqual(origins.sort());
}

const packageFolder = () => join(apps.folder, 'node_modules/edge-reframe');
const coreFolder = () => join(apps.folder, 'node_modules/@ffmpeg/core/dist/esm');

/** Puts clip and models where Vite takes files that it serves as they are. */
function publishMaterial(app: string): string {
  const folder = join(apps.folder, app);
  cpSync(material, join(folder, 'public/material'), { recursive: true });
  return folder;
}

test('the tarball holds modules, types, workers and the standalone build, and nothing else', () => {
  const others = apps.files.filter(
    file =>
      !/^dist\/(src\/.+|workers\/[a-z]+\.worker)\.(js|d\.ts)$/.test(file) &&
      !/^dist\/standalone\/(src|workers)\/([\w-]+\/)?[\w.-]+\.(js|mjs|wasm|LEGAL\.txt)$/.test(file) &&
      !/^dist\/models\/[\w.-]+\.onnx$/.test(file),
  );
  expect(new Set(others)).toEqual(
    new Set([
      ...['package.json', 'LICENSE', 'dist/models/manifest.json'],
      ...others.filter(file => file === 'README.md'),
    ]),
  );
});

test('every entry can be imported in Node', () => {
  for (const entry of ['edge-reframe', 'edge-reframe/standalone']) {
    const code = `const { createReframer, planCrop } = await import('${entry}'); if (!createReframer || !planCrop) throw 0`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: apps.folder });
  }
});

test('an app on Vite’s development server, without the optional AAC encoder', async () => {
  const folder = publishMaterial('vite');
  const server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0, watch: null },
  });
  try {
    await server.listen();
    const [url] = server.resolvedUrls!.local;
    const { origin } = new URL(url!);
    const run = await runApp(browser, url!);
    expectJobDone(run, origin);
    expect(run.facts.sound).toBe('opus, opus');
  } finally {
    await server.close();
  }
});

test('an app that Vite built for a folder of its own, under a strict policy', async () => {
  apps.install('@mediabunny/aac-encoder');
  const folder = publishMaterial('vite');
  await build({
    root: folder,
    base: '/sub/',
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
  });
  const served = { '/sub/': join(folder, 'dist') };
  await using server = await serveFolders(served, policy());
  const run = await runApp(browser, `${server.origin}/sub/`);
  expectJobDone(run, server.origin);
  expect(run.facts).toMatchObject({ isolated: false, threads: 1, sound: 'aac, package' });

  // Refused its worker, the AAC encoder would wait forever.
  await using stricter = await serveFolders(served, policy('', ''));
  const { facts } = await runApp(browser, `${stricter.origin}/sub/`);
  expect(facts).toMatchObject({ clip: { frames: 75 }, sound: 'opus, opus' });
});

test('an app that esbuild bundled, with the standalone workers beside it, on an isolated page', async () => {
  const folder = join(apps.folder, 'esbuild');
  await bundle({
    entryPoints: [join(folder, 'main.js')],
    outfile: join(folder, 'dist/main.js'),
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  });
  cpSync(join(folder, 'index.html'), join(folder, 'dist/index.html'));
  const folders = {
    '/material/': material,
    '/edge-reframe/': join(packageFolder(), 'dist/standalone'),
    '/ffmpeg-core/': coreFolder(),
    '/': join(folder, 'dist'),
  };
  await using server = await serveFolders(folders, isolation);
  const run = await runApp(browser, `${server.origin}/`);
  expectJobDone(run, server.origin);
  expect(run.facts.isolated).toBe(true);
});

test.for(['a plain page under a strict policy', 'an isolated plain page'])(
  '%s with the library from another origin',
  async page => {
    const isolated = page.includes('isolated');
    const folder = join(apps.folder, 'plain');
    mkdirSync(folder, { recursive: true });
    cpSync(join(dirname(folder), 'job.js'), join(folder, 'job.js'));
    await using library = await serveFolders(
      { '/edge-reframe/': join(packageFolder(), 'dist/standalone'), '/ffmpeg-core/': coreFolder() },
      {
        'Access-Control-Allow-Origin': '*',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        ...(isolated && isolation),
      },
    );
    await using server = await serveFolders(
      { '/material/': material, '/': folder },
      isolated ? isolation : policy(library.origin),
    );
    const run = await runApp(browser, `${server.origin}/?library=${encodeURIComponent(library.origin)}`);
    expectJobDone(run, server.origin, library.origin);
    expect(run.facts.isolated).toBe(isolated);
  },
);
