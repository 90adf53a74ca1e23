import type { Page } from 'playwright';
import { openLibraryPage } from '../../bin/browser.js';
import type { FaultClip, FaultEnd, FaultSetup, WorkReport } from './page/faults.js';

/** A moment at which the page is killed: when this work has come so far. */
export type Kill = {
  readonly work: WorkReport['work'];
  /** Of an analysis, a part that it computes. */
  readonly part?: string;
  /** Seconds of media. */
  readonly atSec: number;
};

/** What came of a kill. */
export type KillReport = Kill & {
  /** Last second of media that the killed page told of, and the one where the next page went on. */
  readonly reachedSec: number;
  readonly resumedSec: number;
  readonly twiceSec: number;
};

export type FaultSource = Pick<FaultSetup, 'manifest'> & {
  readonly clip: FaultClip;
  readonly seconds: number;
  /** Folder of the model files; absent: those of the package. */
  readonly models?: string;
};

/** Runs jobs of the service in pages that are killed: their process ends, nothing is tidied up. */
export type FaultBench = {
  /** Frames of the source. */
  readonly frames: number;
  /** Runs one job; its pages are killed at these moments, which come in the order of the work. */
  run(
    advance: FaultSetup['advance'],
    kills: readonly Kill[],
  ): Promise<{ readonly kills: readonly KillReport[]; readonly end: FaultEnd }>;
  close(): Promise<void>;
};

/** Milliseconds between polls. */
const pollMs = 50;

/** Makes the source. The pipeline is the real one. */
export async function openFaultBench({ clip, seconds, models, ...setup }: FaultSource): Promise<FaultBench> {
  const library = await openLibraryPage('faults.html', 'bench/faults/page');
  const context = library.page.context();
  const told = new Map<Page, WorkReport[]>();
  const listeners = new Map<Page, (report: WorkReport) => void>();
  await context.exposeBinding('reportWork', ({ page }, report: WorkReport) => {
    told.get(page)?.push(report);
    listeners.get(page)?.(report);
  });
  const open = async (advance: FaultSetup['advance'], kill: Kill | undefined): Promise<Page> => {
    const page = await context.newPage();
    told.set(page, []);
    await page.goto(library.page.url());
    await page.waitForFunction(() => 'ready' in globalThis);
    return page
      .evaluate(given => globalThis.openFaultService(given), {
        ...setup,
        advance,
        ...(models && { modelsUrl: library.urlOf(models) }),
        staysInIngest: kill?.work === 'ingest',
      })
      .then(() => page);
  };

  /** Polls a job until it is done, or until the moment in which its page is killed. */
  const drive = async (page: Page, jobId: string, kill: Kill | undefined): Promise<void> => {
    const session = await context.newCDPSession(page);
    const killed = new Promise<'killed'>(resolve => page.once('crash', () => resolve('killed')));
    const crash = () => void session.send('Page.crash').catch(() => undefined);
    const look = (report: WorkReport) => {
      if (kill && isDue(kill, report)) crash();
    };
    listeners.set(page, look);
    told.get(page)!.forEach(look);
    for (;;) {
      const poll = page.evaluate(id => globalThis.pollFaultJob(id), jobId).catch(() => killed);
      const state = await Promise.race([killed, poll]);
      if (state === 'killed') return;
      if (state.status === 'failed') throw new Error(JSON.stringify(state));
      if (state.status === 'completed') {
        // Done before the moment was there: its page is killed all the same.
        if (!kill) return;
        crash();
        return void (await killed);
      }
      await new Promise(resolve => setTimeout(resolve, pollMs));
    }
  };

  const frames = await library.page.evaluate(([kind, length]) => globalThis.makeFaultSource(kind, length), [
    clip,
    seconds,
  ] as const);
  return {
    frames,
    async run(advance, kills) {
      const pages = [await open(advance, kills[0])];
      const jobId = await pages[0]!.evaluate(() => globalThis.startFaultJob());
      for (const [i, kill] of kills.entries()) {
        await drive(pages[i]!, jobId, kill);
        await pages[i]!.close();
        pages.push(await open(advance, kills[i + 1]));
      }
      const last = pages.at(-1)!;
      await drive(last, jobId, undefined);
      const end = await last.evaluate(id => globalThis.endFaultJob(id), jobId);
      await last.close();
      const reports = kills.map((kill, i) => compare(kill, told.get(pages[i]!)!, told.get(pages[i + 1]!)!));
      return { kills: reports, end };
    },
    close: () => library.close(),
  };
}

const isOf = (kill: Kill, { work, parts = [] }: WorkReport) =>
  kill.work === work && (!kill.part || parts.includes(kill.part));
const isDue = (kill: Kill, report: WorkReport) => isOf(kill, report) && report.processedSec >= kill.atSec;

/** Sets what the killed page told beside what the next one did. */
function compare(kill: Kill, before: readonly WorkReport[], after: readonly WorkReport[]): KillReport {
  const reachedSec = before.findLast(report => isOf(kill, report))!.processedSec;
  const again = after.filter(report => isOf(kill, report));
  // Work that was done says itself where it began; of work that was cut off again the first report is the best there
  // is. Without any the step was done just before its page was.
  const resumedSec =
    again.find(report => report.resumedFromSec !== undefined)?.resumedFromSec ??
    again[0]?.processedSec ??
    reachedSec;
  return { ...kill, reachedSec, resumedSec, twiceSec: Math.max(0, reachedSec - resumedSec) };
}
