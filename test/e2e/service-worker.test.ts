import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../bin/browser.js';
import { baseArgs, findChrome } from '../../bin/chrome.mjs';
import { type FolderServer, serveFolders } from '../consumer/serve-folder.js';
import { testService } from '../contract/service-contract.js';
import type { ServiceSetup } from '../contract/service-driver.js';
import { fakeUrl } from '../fixtures/fake-pipeline.js';
import type { PageRequest } from './page/service.js';

const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-worker-'));
const setup: ServiceSetup = { apiKeys: ['first-key'], backend: 'up' };
let server: FolderServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  const pages = join(root, 'test/e2e/page');
  await build({
    entryPoints: [join(pages, 'service.ts'), join(pages, 'service-worker.ts')],
    outdir: folder,
    bundle: true,
    format: 'iife',
  });
  cpSync(join(pages, 'service.html'), join(folder, 'service.html'));
  server = await serveFolders({ '/': folder });
  browser = await chromium.launch({
    executablePath: findChrome()!,
    chromiumSandbox: false,
    args: [...baseArgs],
  });
  context = await browser.newContext();
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.origin}/service.html`);
  await page.waitForFunction(() => 'ready' in globalThis);
  return page;
}

async function send(page: Page, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const text = request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.text();
  const wire: PageRequest = {
    method: request.method,
    path: pathname + search,
    headers: [...request.headers],
    ...(text !== undefined && { body: text }),
  };
  const { status, headers, body } = await page.evaluate(given => globalThis.send(given), wire);
  return new Response(body.length > 0 ? Uint8Array.from(body) : null, {
    status,
    headers: headers as [string, string][],
  });
}

const ask = async (page: Page, path: string, body?: object, headers: Record<string, string> = {}) => {
  const request = new Request(new URL(path, server.origin), {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: 'Bearer first-key', 'Content-Type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await send(page, request);
  return {
    status: response.status,
    headers: response.headers,
    body: await response.json().catch(() => undefined),
  };
};

const finish = async (page: Page, jobId: string) => {
  for (;;) {
    const { body } = await ask(page, `/api/v2/reframe/${jobId}`);
    // Nobody runs the service for a moment when one page takes over from another.
    if (body.status !== 'processing' && body.code !== 'unavailable') return body;
  }
};

testService({
  name: 'plain fetch of a page, through its service worker',
  async open(asked) {
    const page = await openPage();
    await page.evaluate(given => globalThis.openService(given), asked);
    return {
      baseUrl: server.origin,
      fetch: request => send(page, request),
      async close() {
        await page.evaluate(() => globalThis.closeService());
        await page.close();
      },
    };
  },
});

describe('several pages and one service worker', () => {
  test('another page is served by the one that runs the service, and takes over when it closes', async () => {
    const first = await openPage();
    await first.evaluate(given => globalThis.openService(given), setup);
    const second = await openPage();
    await second.evaluate(given => globalThis.openService(given), setup);
    const { body: accepted } = await ask(second, '/api/v2/reframe', { url: fakeUrl(3) });
    await first.evaluate(() => globalThis.holdPipeline(true));
    expect((await ask(second, `/api/v2/reframe/${accepted.job_id}`)).body.status).toBe('processing');
    await first.close({ runBeforeUnload: false });

    expect(await finish(second, accepted.job_id)).toMatchObject({ status: 'completed' });
    await second.evaluate(() => globalThis.closeService());
    await second.close();
  });

  test('without a page that runs the service finished work is still answered, the rest is 503', async () => {
    const page = await openPage();
    await page.evaluate(given => globalThis.openService(given), setup);
    const { body: accepted } = await ask(page, '/api/v2/reframe', { url: fakeUrl(3) });
    const { video_id, download_url } = await finish(page, accepted.job_id);
    await page.close();

    const reader = await openPage();
    expect((await ask(reader, `/api/v2/reframe/${accepted.job_id}`)).body.status).toBe('completed');
    expect((await ask(reader, `/api/v2/status/${video_id}`)).body).toMatchObject({ step: 'reframe' });
    const clip = await send(
      reader,
      new Request(server.origin + download_url, { headers: { Authorization: 'Bearer first-key' } }),
    );
    expect([clip.status, (await clip.arrayBuffer()).byteLength]).toEqual([200, 1000]);
    const refused = await ask(reader, '/api/v2/reframe', { url: fakeUrl(3) });
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await ask(reader, '/api/vad/analyze', { video_url: fakeUrl(3) })).status).toBe(502);
    await reader.evaluate(() => globalThis.closeService());
    await reader.close();
  });

  test('chosen requests go to the remote service, others are the page’s own', async () => {
    const page = await openPage();
    await page.evaluate(given => globalThis.openService(given), setup);
    // The stand-in has no such files: what matters is who was asked.
    const asked: string[] = [];
    context.on('request', request => asked.push(new URL(request.url()).pathname));
    expect((await ask(page, '/api/v2/status/x', undefined, { 'X-Remote': '1' })).status).toBe(404);
    expect(asked).toContain('/remote/api/v2/status/x');
    await page.evaluate(() => globalThis.closeService());
    await page.close();
  });
});
