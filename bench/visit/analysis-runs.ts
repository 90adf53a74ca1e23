import { medianOf } from '../harness/load.js';
import type { BuiltSite } from './built-site.js';
import type { Figures } from './figures.js';
import type { JourneyInput } from './journey.js';
import { type MainTask, mainTasks, traceMainThread } from './main-thread.js';
import { analysed, firstReframed, openVisitor, textOf } from './visitor.js';

type Run = {
  readonly firstSec: number;
  readonly analysisSec: number;
  readonly tasks: readonly MainTask[];
  readonly playedSec: number;
  readonly presented: number;
  readonly drawn: number;
  readonly dropped: number;
};

/** Analyses the clip several times in a new browser each, watching, and tells the middle one of what was measured. */
export async function measureAnalyses(
  { runs, ...input }: JourneyInput & { readonly site: BuiltSite; readonly runs: number },
  figures: Figures,
): Promise<void> {
  const found: Run[] = [];
  for (let i = 0; i < runs; i++) {
    const run = await analyseOnce(input);
    found.push(run);
    figures.say(
      `run ${i + 1}`,
      `first reframed picture after ${run.firstSec.toFixed(1)} s of ${run.analysisSec.toFixed(1)} s; ` +
        `played ${run.playedSec.toFixed(1)} s, ${run.presented} frames presented, ${run.drawn} drawn, ${run.dropped} dropped`,
    );
    for (const { atSec, wallMs, cpuMs, scriptMs, name } of run.tasks.slice(0, 6))
      figures.say(
        '  task',
        `at ${atSec.toFixed(1)} s: ${cpuMs.toFixed(0)} ms of work (${scriptMs.toFixed(0)} ms scripts, ${wallMs.toFixed(0)} ms in all): ${name}`,
      );
  }
  const median = (of: (run: Run) => number) => medianOf(found.map(of));
  const longest = (of: (task: MainTask) => number) => median(run => Math.max(0, ...run.tasks.map(of)));
  figures.say('median: first reframed picture', `${median(run => run.firstSec).toFixed(1)} s`);
  figures.say(
    'median: share of the analysis done by then',
    `${(100 * median(run => run.firstSec / run.analysisSec)).toFixed(0)} % of its time`,
  );
  figures.say(
    'median: longest task of the main thread',
    `${longest(task => task.cpuMs).toFixed(0)} ms of work, ${longest(task => task.scriptMs).toFixed(0)} ms of scripts`,
  );
  figures.say(
    'tasks over 50 ms of work per run',
    found.map(run => run.tasks.filter(task => task.cpuMs > 50).length).join(', '),
  );
  figures.say(
    'median: frame rate of the preview while analysing',
    `${median(run => run.drawn / run.playedSec).toFixed(1)} drawn of ${median(run => run.presented / run.playedSec).toFixed(1)} presented a second; ${median(run => run.dropped)} dropped`,
  );
}

async function analyseOnce({
  origin,
  out,
  clip,
  site,
}: JourneyInput & { readonly site: BuiltSite }): Promise<Run> {
  await using visitor = await openVisitor({ origin, out });
  const { browser, page } = visitor;
  const stop = await traceMainThread(browser, page);
  const startMs = Date.now();
  const sinceSec = () => (Date.now() - startMs) / 1000;
  // Dropped by a script, the file would come through the debugging channel: a long task that is not the page's.
  await page.setInputFiles('#file', clip);
  await firstReframed(page);
  const firstSec = sinceSec();
  await analysed(page);
  const analysisSec = sinceSec();
  const { playedSec, presented } = await page.evaluate(() => globalThis.notes);
  const [, drawn, dropped] = /(\d+) frames drawn, (\d+) dropped/.exec(await textOf(page, '.engine .facts'))!;
  const tasks = mainTasks(await stop(), site);
  return {
    firstSec,
    analysisSec,
    tasks,
    playedSec,
    presented,
    drawn: Number(drawn),
    dropped: Number(dropped),
  };
}
