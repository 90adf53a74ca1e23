import { type Browser, chromium } from 'playwright';
import { baseArgs, findChrome } from '../../bin/chrome.mjs';

/** What the apps' `runJob` gives back. */
export type JobFacts = {
  readonly parts: {
    readonly scene_detection: {
      readonly scenes: { readonly start_frame: number; readonly end_frame: number }[];
    };
    readonly face_tracking_yolov8: { readonly track_count: number };
    readonly active_speaker: { readonly tracks: { readonly speaking_fraction: number }[] };
  };
  readonly threads: number;
  readonly clip: {
    readonly width: number;
    readonly height: number;
    readonly frames: number;
    readonly sizeBytes: number;
  };
  /** Codec and way of the clip's sound. */
  readonly sound: string;
  readonly isolated: boolean;
};

export type AppRun = {
  readonly facts: JobFacts;
  readonly ffmpeg: { readonly shots: number; readonly backend: string };
  /** Origin of each request that the page and its workers made. */
  readonly origins: ReadonlySet<string>;
  readonly requests: readonly string[];
  /** Messages of the console that are errors; broken policies are among them. */
  readonly errors: readonly string[];
};

type AppGlobal = Record<'runJob' | 'countShotsByFfmpeg', (where: Where) => Promise<never>>;
type Where = { readonly clipUrl: string; readonly modelsUrl: string };

/** A browser for the apps, without a GPU. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChrome()!, chromiumSandbox: false, args: [...baseArgs] });

/** Opens an app, has it do its jobs on the material beside it, and writes down what it asked of the network. */
export async function runApp(browser: Browser, url: string): Promise<AppRun> {
  const context = await browser.newContext();
  try {
    const requests: string[] = [];
    const errors: string[] = [];
    context.on('request', request => requests.push(request.url()));
    context.on('console', message => {
      // Browsers ask for this picture by themselves.
      if (message.type() !== 'error' || message.location().url.endsWith('/favicon.ico')) return;
      errors.push(`${message.text()} (${message.location().url})`);
    });
    context.on('weberror', error => errors.push(error.error().message));
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'countShotsByFfmpeg' in globalThis);
    const where = {
      clipUrl: new URL('material/clip.mp4', url).href,
      modelsUrl: new URL('material/models', url).href,
    };
    const facts = await page.evaluate<JobFacts, Where>(
      given => (globalThis as unknown as AppGlobal).runJob(given),
      where,
    );
    const ffmpeg = await page.evaluate<AppRun['ffmpeg'], Where>(
      given => (globalThis as unknown as AppGlobal).countShotsByFfmpeg(given),
      where,
    );
    const remote = requests.filter(request => /^(https?|wss?):/.test(request));
    return { facts, ffmpeg, requests, errors, origins: new Set(remote.map(one => new URL(one).origin)) };
  } finally {
    await context.close();
  }
}
