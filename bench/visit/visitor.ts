import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { baseArgs, findChrome } from '../../bin/chrome.mjs';
import { dropFile as drop } from '../../test/e2e/page.js';

/** A person at the page: a browser of their own, and a note of what it asked for and complained about. */
export type Visitor = AsyncDisposable & {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
  /** Takes a picture of the window, or of the whole page. */
  shot(name: string, whole?: boolean): Promise<void>;
};

export type VisitorOptions = {
  readonly origin: string;
  /** Where pictures go. */
  readonly out: string;
  /** Without one, nothing that was loaded is kept. */
  readonly serviceWorkers?: 'allow' | 'block';
};

/** Opens the page in a browser without a GPU and without anything from before. */
export async function openVisitor({
  origin,
  out,
  serviceWorkers = 'allow',
}: VisitorOptions): Promise<Visitor> {
  mkdirSync(out, { recursive: true });
  const browser = await chromium.launch({
    executablePath: findChrome()!,
    chromiumSandbox: false,
    // A drop by hand allows a page to play; one by a script does not count.
    args: [...baseArgs, '--autoplay-policy=no-user-gesture-required'],
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers });
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', request => requests.push(request.url()));
  context.on('weberror', error => complaints.push(error.error().message));
  context.on('console', message => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  // What runs these programs names functions by one of its own, which pages do not have.
  await context.addInitScript('globalThis.__name = named => named;');
  await context.addInitScript(watchPage);
  const page = await context.newPage();
  await page.goto(origin);
  await page.waitForSelector('#file', { state: 'attached' });
  return {
    browser,
    context,
    page,
    requests,
    complaints,
    async shot(name, whole = false) {
      // Pictures of a page that is larger than its window are taken by making the window larger, which moves things.
      if (whole) {
        const viewport = page.viewportSize()!;
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, height) });
        await page.screenshot({ path: join(out, `${name}.png`) });
        await page.setViewportSize(viewport);
      } else await page.screenshot({ path: join(out, `${name}.png`) });
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** What a page notes about itself from its first moment on. */
export type PageNotes = {
  /** Sum of the layout shifts that no key or click caused. */
  layoutShift: number;
  /** What shifted, with how much. */
  readonly shifted: string[];
  /** Frames of the source that the element presented, and the seconds that it played for. */
  presented: number;
  playedSec: number;
};

declare global {
  var notes: PageNotes;
}

function watchPage(): void {
  const notes: PageNotes = { layoutShift: 0, shifted: [], presented: 0, playedSec: 0 };
  globalThis.notes = notes;
  type Shift = PerformanceEntry & {
    value: number;
    hadRecentInput: boolean;
    sources: { node?: Node | null }[];
  };
  new PerformanceObserver(list => {
    for (const entry of list.getEntries() as Shift[]) {
      if (entry.hadRecentInput) continue;
      notes.layoutShift += entry.value;
      const what = entry.sources.map(({ node }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return element ? `${element.tagName.toLowerCase()}.${element.className || element.id}` : '?';
      });
      notes.shifted.push(`${entry.value.toFixed(3)} ${what.join(' ')}`);
    }
  }).observe({ type: 'layout-shift', buffered: true });
  let watched: Element | undefined;
  let before: number | undefined;
  const look = () => {
    const video = document.querySelector<HTMLVideoElement>('#source');
    if (video && video !== watched) {
      watched = video;
      before = undefined;
      let lastMs: number | undefined;
      const onFrame: VideoFrameRequestCallback = (nowMs, { presentedFrames }) => {
        if (before !== undefined && presentedFrames > before) notes.presented += presentedFrames - before;
        before = presentedFrames;
        // A frame after a pause or a seek does not say how fast it plays.
        if (lastMs !== undefined && !video.paused && nowMs - lastMs < 500)
          notes.playedSec += (nowMs - lastMs) / 1000;
        lastMs = video.paused ? undefined : nowMs;
        video.requestVideoFrameCallback(onFrame);
      };
      video.requestVideoFrameCallback(onFrame);
    }
    setTimeout(look, 100);
  };
  look();
}

/** Drops a file on the page under its own name. */
export const dropFile = (page: Page, path: string): Promise<void> => drop(page, path, basename(path));

/** Waits until a reframed picture is on the preview's canvas; gives the share of the analysis that was done by then. */
export async function firstReframed(page: Page): Promise<number> {
  const handle = await page.waitForFunction(
    () => {
      const canvas = document.querySelector<HTMLCanvasElement>('#preview');
      if (!canvas?.width || !document.querySelector('.overlay .window, .overlay .face')) return undefined;
      const small = new OffscreenCanvas(8, 8).getContext('2d')!;
      small.drawImage(canvas, 0, 0, 8, 8);
      if (!small.getImageData(0, 0, 8, 8).data.some((value, i) => i % 4 < 3 && value > 12)) return undefined;
      return { doneRatio: document.querySelector<HTMLProgressElement>('#progress')?.value ?? 1 };
    },
    undefined,
    { timeout: 240_000, polling: 100 },
  );
  return (await handle.jsonValue())!.doneRatio;
}

/** Waits until the whole source is analysed. */
export const analysed = async (page: Page): Promise<void> => {
  await page.waitForSelector('#export:not([disabled])', { timeout: 400_000 });
};

/** The text of an element, in one line. */
export const textOf = async (page: Page, selector: string): Promise<string> =>
  ((await page.locator(selector).first().textContent()) ?? '').replace(/\s+/g, ' ').trim();
