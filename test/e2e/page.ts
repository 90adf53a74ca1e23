import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { build } from 'vite';
import { root } from '../../bin/browser.js';
import { launchBrowser } from '../consumer/app-page.js';
import { serveFolders } from '../consumer/serve-folder.js';

/** The built page in a browser, with what it asked of the network and what it complained about. */
export type OpenPage = AsyncDisposable & {
  readonly page: Page;
  readonly origin: string;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
};

/** Builds the page as it is published, with tiny models beside it, and opens it. */
export async function openBuiltPage(material: string): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-page-'));
  const environment = process.env.NODE_ENV;
  // The test runner's own would make it a page for development, without a service worker.
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(root, 'vite.config.ts'),
      // Vitest's own flag makes the configuration serve the tests instead.
      root: join(root, 'demo'),
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true, minify: false },
    });
  } finally {
    process.env.NODE_ENV = environment;
  }
  cpSync(join(material, 'models'), join(folder, 'models'), { recursive: true });
  const server = await serveFolders(
    { '/': folder },
    { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
  );
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', request => requests.push(request.url()));
  context.on('weberror', error => complaints.push(error.error().message));
  await context.addInitScript(standInPicker);
  const page = await context.newPage();
  await page.goto(server.origin);
  await page.waitForSelector('#file', { state: 'attached' });
  return {
    page,
    origin: server.origin,
    requests,
    complaints,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The system's dialogue cannot be answered by a test: a file of the browser's private storage stands in. */
function standInPicker(): void {
  Object.assign(window, {
    async showSaveFilePicker({ suggestedName }: { suggestedName: string }) {
      const folder = await navigator.storage.getDirectory();
      return folder.getFileHandle(`picked ${suggestedName}`, { create: true });
    },
  });
}

/** Drops a file on the page, as the system would. */
export async function dropFile(page: Page, path: string, name: string): Promise<void> {
  const bytes = readFileSync(path).toString('base64');
  const dataTransfer = await page.evaluateHandle(
    async ([data, fileName]) => {
      const blob = await (await fetch(`data:video/mp4;base64,${data}`)).blob();
      const transfer = new DataTransfer();
      transfer.items.add(new File([blob], fileName!, { type: 'video/mp4' }));
      return transfer;
    },
    [bytes, name],
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

/** Waits until the whole source is analysed. */
export const analysed = (page: Page): Promise<void> =>
  page.waitForSelector('#export:not([disabled])', { timeout: 150_000 }).then(() => {});

/** Findings of axe that are serious or critical, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  await page.addScriptTag({ path: source });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeFinding[] }> } };
    type AxeFinding = { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(node => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
      );
  });
}

/** Mean brightness, 0–255, of the middle of the preview; a canvas that was never drawn on is 0. */
export const previewBrightness = (page: Page): Promise<number> =>
  page.$eval('#preview', element => {
    const canvas = element as HTMLCanvasElement;
    const context = canvas.getContext('2d')!;
    const { data } = context.getImageData(
      canvas.width / 4,
      canvas.height / 4,
      canvas.width / 2,
      canvas.height / 2,
    );
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum += data[i]! + data[i + 1]! + data[i + 2]!;
    return (4 * sum) / data.length / 3;
  });
