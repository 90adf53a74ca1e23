import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { root } from '../../bin/browser.js';
import { buildLibrary } from '../../bin/build.js';
import { createStandInRemote } from '../fixtures/stand-in-remote.js';
import { launchBrowser } from './app-page.js';
import { type FolderServer, serveFolders } from './serve-folder.js';

let browser: Browser;
let server: FolderServer;

beforeAll(async () => {
  await buildLibrary();
  server = await serveFolders({
    '/material/': inject('material'),
    '/examples/': join(root, 'examples'),
    '/dist/': join(root, 'dist'),
  });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
});

test('examples/editor shows a preview, follows a face that is clicked, takes it back and exports', async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const query = new URLSearchParams({
      video: '/material/clip.mp4',
      models: '/material/models',
      manifest: '/material/models/manifest.json',
    });
    await page.goto(`${server.origin}/examples/editor/index.html?${query}`);
    const status = page.locator('output');
    await expect.poll(() => status.textContent(), { timeout: 120_000, interval: 500 }).toBe('analysed');
    const shown = () => page.$eval('#portrait', canvas => (canvas as HTMLCanvasElement).toDataURL());
    const before = await shown();
    const { width } = (await page.locator('#video').boundingBox())!;
    const clickFaceAt = (x: number) =>
      page.locator('#video').click({ position: { x: (x * width) / 640, y: (160 * width) / 640 } });
    // The clip begins with two people; one of them is shown, so the other one is not.
    await clickFaceAt(130);
    await clickFaceAt(510);
    await expect.poll(shown).not.toBe(before);
    const right = await shown();
    await page.click('#undo');
    await expect.poll(shown).not.toBe(right);
    const download = page.waitForEvent('download', { timeout: 120_000 });
    await page.click('#export');
    expect((await download).suggestedFilename()).toBe('portrait.mp4');
    expect(statSync(await (await download).path()).size).toBeGreaterThan(500);
  } finally {
    await context.close();
  }
});

test.each(['direct', 'local-rest', 'service-worker', 'remote-client', 'sync'])(
  'examples/%s ends with a clip',
  async name => {
    const context = await browser.newContext();
    try {
      const remote = createStandInRemote({ apiKeys: ['secret'] });
      // The remote service is another origin in life; here it is a path, so that no rule of the browser is in the way.
      await context.route('**/remote/**', async route => {
        const request = route.request();
        const url = new URL(request.url());
        const body = request.postData();
        const answer = await remote.fetch(
          new Request(url.origin + url.pathname.slice('/remote'.length) + url.search, {
            method: request.method(),
            headers: await request.allHeaders(),
            ...(body !== null && { body }),
          }),
        );
        await route.fulfill({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Buffer.from(await answer.arrayBuffer()),
        });
      });
      const page = await context.newPage();
      const query = new URLSearchParams({
        video: '/material/clip.mp4',
        models: '/material/models',
        manifest: '/material/models/manifest.json',
        service: '/remote',
      });
      await page.goto(`${server.origin}/examples/${name}/index.html?${query}`);
      const status = page.locator('output');
      await expect.poll(() => status.textContent(), { timeout: 120_000, interval: 500 }).toBe('done');
      const bytes = await page.evaluate(async () => {
        const { src } = document.querySelector('video')!;
        return (await (await fetch(src)).blob()).size;
      });
      expect(bytes).toBeGreaterThan(500);
    } finally {
      await context.close();
    }
  },
);
