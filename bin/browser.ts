import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { baseArgs, findChrome, softwareGpuArgs } from './chrome.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A page in a headless browser. */
export type OpenPage = {
  readonly browser: Browser;
  readonly page: Page;
  /** Resident memory of the browser with all its processes; undefined where the system does not tell. */
  readonly residentBytes: () => Promise<number | undefined>;
  /** Address of every request that page and workers made. */
  readonly requests: readonly string[];
  /** Closes the browser, then the server. */
  close(): Promise<void>;
};

/** A headless browser on a page that has the library, served from its sources. */
export type LibraryPage = OpenPage & {
  /** Address under which the page reads a file or folder of this machine, which it may from then on. */
  readonly urlOf: (path: string) => string;
};

/** Milliseconds that a page may take to be there: a busy machine compiles it first. */
const patienceMs = 180_000;

/**
 * Serves the library from its sources to a headless browser and opens a page for measurements or tests. The page may
 * read the checkout and what lies beside it for development; the server answers to names of this machine only.
 *
 * @param entry - File name of the page in `folder`.
 */
export async function openLibraryPage(entry: string, folder: string): Promise<LibraryPage> {
  const { createServer } = await import('vite');
  const server = await createServer({
    configFile: join(root, 'vite.config.ts'),
    root: join(root, folder),
    logLevel: 'error',
    cacheDir: join(root, 'node_modules/.vite', folder),
    server: {
      host: '127.0.0.1',
      port: 0,
      strictPort: false,
      cors: false,
      fs: { allow: [root, join(root, '../shared')] },
      watch: null,
      hmr: false,
    },
  });
  try {
    await server.listen();
  } catch (error) {
    await server.close();
    throw error;
  }
  const origin = server.resolvedUrls!.local[0]!;
  const { port } = new URL(origin);
  const open = await openPage(
    { port: Number(port), close: () => server.close() },
    new URL(entry, origin).href,
  );
  return {
    ...open,
    urlOf(path) {
      server.config.server.fs.allow.push(path);
      return new URL(`@fs${path}`, origin).href;
    },
  };
}

/**
 * Opens a page in a headless browser of its own and waits until it says that it is ready.
 *
 * @param server - What serves the page; closed with it, and when it cannot be opened.
 * @param profile - Folder of the browser's profile; the host of `url` then means the server, whatever its port.
 */
export async function openPage(
  server: { readonly port: number; close(): Promise<void> },
  url: string,
  profile?: string,
): Promise<OpenPage> {
  let browser: Browser | undefined;
  try {
    const launch = {
      executablePath: findChrome()!,
      headless: true,
      chromiumSandbox: false,
      args: [...baseArgs, ...softwareGpuArgs],
    };
    const context: BrowserContext = profile
      ? await chromium.launchPersistentContext(profile, {
          ...launch,
          // Whoever keeps a profile ends on signals in its own order: closed first by them, the page could not finish.
          handleSIGTERM: false,
          handleSIGINT: false,
          args: [
            ...launch.args,
            `--host-resolver-rules=MAP ${new URL(url).hostname}:80 127.0.0.1:${server.port}`,
          ],
        })
      : await (browser = await chromium.launch(launch)).newContext({ acceptDownloads: true });
    browser = context.browser()!;
    context.setDefaultTimeout(patienceMs);
    const requests: string[] = [];
    context.on('request', request => requests.push(request.url()));
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'ready' in globalThis);
    const open = browser;
    return {
      browser,
      page,
      requests,
      residentBytes: () => residentBytes(open),
      async close() {
        try {
          // One after the other: both in the same moment were seen to wait for ever.
          await context.close();
          await open.close();
        } finally {
          // A browser that died by itself must not keep the server open.
          await server.close();
        }
      },
    };
  } catch (error) {
    await browser?.close();
    await server.close();
    throw error;
  }
}

async function residentBytes(browser: Browser): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    let bytes = 0;
    for (const { id, type } of processInfo) {
      // A service of the browser's own, which it starts unasked after some minutes to rate the machine: not our work.
      if (type.includes('on_device_model')) continue;
      try {
        const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'));
        bytes += Number(rss?.[1] ?? 0) * 1024;
      } catch {
        // The process ended between the two questions.
      }
    }
    return bytes;
  } finally {
    await session.detach();
  }
}
