import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { type Connect, createServer, type ViteDevServer } from 'vite';
import { baseArgs, findChrome, softwareGpuArgs } from './chrome.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A headless browser on a page that has the library. */
export type LibraryPage = {
  readonly browser: Browser;
  readonly page: Page;
  /** Address under which the page reads a file or folder of this machine. */
  readonly urlOf: (path: string) => string;
  /** Resident memory of the browser with all its processes; undefined where the system does not tell. */
  readonly residentBytes: () => Promise<number | undefined>;
  /** Address of every request that page and workers made. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

export type LibraryPageOptions = {
  /** Folder of the browser's profile. What the page stores lies there, and is found again the next time. */
  readonly profile?: string;
  /** Answers requests of the page before the sources do. */
  readonly middleware?: Connect.NextHandleFunction;
};

/** Milliseconds that a page may take to be there: a busy machine compiles it first. */
const patienceMs = 180_000;

/** Host of a page with a profile: storage belongs to an origin, and the server's own port is another each time. */
const profileHost = 'edge-reframe.localhost';

/**
 * Serves the library from its sources to a headless browser and opens a page of `bin/page`.
 *
 * @param entry - File name of the page in `folder`.
 */
export async function openLibraryPage(
  entry: string,
  folder = 'bin/page',
  { profile, middleware }: LibraryPageOptions = {},
): Promise<LibraryPage> {
  let server: ViteDevServer | undefined;
  let browser: Browser | undefined;
  try {
    const listeners = process.listeners('SIGTERM');
    server = await createServer({
      configFile: join(root, 'vite.config.ts'),
      root: join(root, folder),
      logLevel: 'error',
      cacheDir: join(root, 'node_modules/.vite', folder),
      server: { port: 0, strictPort: false, fs: { strict: false }, watch: null, hmr: false },
      plugins: middleware
        ? [{ name: 'middleware', configureServer: ({ middlewares }) => void middlewares.use(middleware) }]
        : [],
    });
    await server.listen();
    // The development server's own answer to a signal is to end the process, before a page could finish.
    if (profile)
      for (const listener of process.listeners('SIGTERM'))
        if (!listeners.includes(listener)) process.off('SIGTERM', listener);
    const local = new URL(server.resolvedUrls!.local[0]!);
    const origin = profile ? `http://${profileHost}/` : local.href;
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
          args: [...launch.args, `--host-resolver-rules=MAP ${profileHost}:80 ${local.host}`],
        })
      : await (browser = await chromium.launch(launch)).newContext({ acceptDownloads: true });
    browser = context.browser()!;
    context.setDefaultTimeout(patienceMs);
    const requests: string[] = [];
    context.on('request', request => requests.push(request.url()));
    const page = await context.newPage();
    await page.goto(new URL(entry, origin).href);
    await page.waitForFunction(() => 'ready' in globalThis);
    const [open, opened] = [browser, server];
    return {
      browser,
      page,
      requests,
      urlOf: path => new URL(`@fs${path}`, origin).href,
      residentBytes: () => residentBytes(open),
      async close() {
        try {
          // One after the other: both in the same moment were seen to wait for ever.
          await context.close();
          await open.close();
        } finally {
          // A browser that died by itself must not keep the server open.
          await opened.close();
        }
      },
    };
  } catch (error) {
    await browser?.close();
    await server?.close();
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
