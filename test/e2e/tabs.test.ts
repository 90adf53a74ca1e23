import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { root } from '../../bin/browser.js';
import { baseArgs, findChrome } from '../../bin/chrome.mjs';
import { type FolderServer, serveFolders } from '../consumer/serve-folder.js';
import type { ServiceSetup } from '../contract/service-driver.js';
import { fakeUrl } from '../fixtures/fake-pipeline.js';

// Two tabs over one store, and no service worker between them.

const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-tabs-'));
const setup: ServiceSetup = { apiKeys: ['first-key'], backend: 'up', credits: 100 };
const headers: [string, string][] = [
  ['Authorization', 'Bearer first-key'],
  ['Content-Type', 'application/json'],
];
let server: FolderServer;
let browser: Browser;
let context: BrowserContext;
let first: Page;
let second: Page;

beforeAll(async () => {
  const pages = join(root, 'test/e2e/page');
  await build({ entryPoints: [join(pages, 'service.ts')], outdir: folder, bundle: true, format: 'iife' });
  cpSync(join(pages, 'service.html'), join(folder, 'service.html'));
  server = await serveFolders({ '/': folder });
  const executablePath = findChrome()!;
  browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: [...baseArgs] });
});
beforeEach(async () => {
  context = await browser.newContext();
  first = await openPage();
  second = await openPage();
});
afterEach(() => context.close());
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.origin}/service.html`);
  await page.waitForFunction(() => 'ready' in globalThis);
  await page.evaluate(given => globalThis.openService(given, { worker: false }), setup);
  // Who is first has the lock.
  await page.evaluate(() => globalThis.runsHere());
  return page;
}

async function ask(page: Page, path: string, body?: object) {
  const wire = { method: body ? 'POST' : 'GET', path, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await page.evaluate(given => globalThis.send(given), wire);
  return {
    status: answer.status,
    headers: new Headers(answer.headers as [string, string][]),
    bytes: answer.body.length,
    json: () => JSON.parse(Buffer.from(answer.body).toString()),
  };
}

async function finish(page: Page, jobId: string) {
  for (;;) {
    const body = (await ask(page, `/api/v2/reframe/${jobId}`)).json();
    if (body.status !== 'processing' && body.code !== 'unavailable') return body;
  }
}

test('the tab that does not run the service asks, lists, hands in, downloads and deletes all the same', async () => {
  expect([await first.evaluate(() => runsHere()), await second.evaluate(() => runsHere())]).toEqual([
    true,
    false,
  ]);
  const url = await second.evaluate(() => globalThis.putSource(3));
  const accepted = await ask(second, '/api/v2/reframe', { url });
  expect(accepted.status).toBe(202);
  const { video_id, download_url } = await finish(second, accepted.json().job_id);
  expect((await finish(first, accepted.json().job_id)).video_id).toBe(video_id);
  const clip = await ask(second, download_url);
  expect([clip.status, clip.bytes, clip.headers.get('Content-Length')]).toEqual([200, 1000, '1000']);
  expect(await second.evaluate(() => globalThis.listVideos())).toEqual(
    await first.evaluate(() => globalThis.listVideos()),
  );
  await second.evaluate(id => globalThis.deleteVideo(id), video_id);
  expect(await first.evaluate(() => globalThis.listVideos())).toEqual([]);
  await expect(second.evaluate(id => globalThis.deleteVideo(id), video_id)).rejects.toThrow('Not found');
});

test('requests that are refused are refused in either tab with the same words', async () => {
  for (const [path, body] of [
    ['/api/v2/reframe', { url: 7 }],
    ['/api/v2/status/none', undefined],
    ['/api/vad/analyze', {}],
  ] as const) {
    const [here, there] = [await ask(first, path, body), await ask(second, path, body)];
    expect([there.status, there.json()]).toEqual([here.status, here.json()]);
  }
});

test('granular work is charged once, whichever tab downloads it, piece by piece', async () => {
  const { video_id } = (await ask(second, '/api/v2/ingest', { url: fakeUrl(5) })).json();
  const parameters = { face_tracking_model: 'face_tracking_yolov8' };
  const settle = async () => {
    while ((await ask(second, `/api/v2/status/${video_id}`)).json().status !== 'completed');
  };
  await settle();
  for (const model_type of ['scene_detection', 'face_tracking_yolov8', 'active_speaker']) {
    expect((await ask(second, '/api/v2/analyze', { video_id, model_type, parameters })).status).toBe(202);
    await settle();
  }
  await ask(second, '/api/v2/transform', { video_id, transform_type: 'reframe', parameters });
  await settle();
  for (const page of [second, first, second])
    expect((await ask(page, `/api/v2/download/${video_id}?suffix=_reframe`)).bytes).toBe(1000);
  const lines = await first.evaluate(() => globalThis.ledgerLines());
  expect(lines.map(({ kind, credits }) => `${kind} ${credits}`)).toEqual(['hold 5', 'charge 5']);
});

test('when the tab that runs the service is killed the other takes over, and charges once', async () => {
  await first.evaluate(() => globalThis.holdPipeline(true));
  const { job_id } = (await ask(second, '/api/v2/reframe', { url: fakeUrl(3) })).json();
  while ((await ask(second, `/api/v2/reframe/${job_id}`)).json().step === 'ingesting');
  const crash = new Promise(resolve => first.once('crash', resolve));
  const session = await context.newCDPSession(first);
  session.send('Page.crash').catch(() => undefined);
  await crash;
  expect(await finish(second, job_id)).toMatchObject({ status: 'completed' });
  expect(await second.evaluate(() => globalThis.runsHere())).toBe(true);
  const lines = await second.evaluate(() => globalThis.ledgerLines());
  expect(lines.map(({ kind, credits }) => `${kind} ${credits}`)).toEqual(['hold 3', 'charge 3']);
});
