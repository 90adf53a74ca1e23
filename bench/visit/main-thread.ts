import type { Browser, Page } from 'playwright';
import type { BuiltSite } from './built-site.js';

/** One task of the page's main thread. */
export type MainTask = {
  /** When it began, seconds after the first of all. */
  readonly atSec: number;
  /** Time from its begin to its end, and the part of it that this thread worked: on a busy machine it waits. */
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Part of the working time that is scripts. */
  readonly scriptMs: number;
  /** What took most of it. */
  readonly name: string;
};

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds; `tts` and `tdur` count only while the thread works. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: {
    readonly name?: string;
    readonly data?: {
      readonly url?: string;
      readonly functionName?: string;
      readonly lineNumber?: number;
      readonly columnNumber?: number;
      readonly type?: string;
    };
  };
};

const categories = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-lighthouse',
  'toplevel',
  'v8',
  'v8.execute',
  'blink.user_timing',
];

/** Writes down what the page's main thread does from now on. */
export async function traceMainThread(
  browser: Browser,
  page: Page,
): Promise<() => Promise<readonly TraceEvent[]>> {
  await browser.startTracing(page, { categories });
  return async () => JSON.parse((await browser.stopTracing()).toString()).traceEvents;
}

/** The tasks of the main thread, longest working time first. */
export function mainTasks(events: readonly TraceEvent[], site: BuiltSite): MainTask[] {
  const key = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(event => key(event)),
  );
  const whole = events.filter(event => event.ph === 'X' && threads.has(key(event)));
  const tasks = whole.filter(({ name }) => name === 'RunTask');
  const startUs = Math.min(...tasks.map(({ ts }) => ts));
  // Pages that the browser keeps ready have a main thread too: ours is the one that works.
  const worked = new Map<string, number>();
  for (const task of tasks) worked.set(key(task), (worked.get(key(task)) ?? 0) + (task.tdur ?? 0));
  const [main] = [...worked].sort(([, a], [, b]) => b - a)[0] ?? [];
  const mine = whole.filter(event => key(event) === main).sort((a, b) => a.ts - b.ts);
  return tasks
    .filter(task => key(task) === main && (task.tdur ?? 0) >= 5000)
    .map(task => describe(task, { events: inside(mine, task), startUs, site }))
    .sort((a, b) => b.cpuMs - a.cpuMs);
}

function inside(events: readonly TraceEvent[], task: TraceEvent): TraceEvent[] {
  const endUs = task.ts + (task.dur ?? 0);
  return events.filter(
    event => event !== task && event.ts >= task.ts && event.ts + (event.dur ?? 0) <= endUs,
  );
}

/** Events that are scripts; those inside one another count once. */
const scripts = new Set(['FunctionCall', 'EvaluateScript', 'v8.evaluateModule', 'RunMicrotasks']);
/** Events that say what a task is for, where no script is in it. */
const others = new Set([
  'UpdateLayoutTree',
  'Layout',
  'Paint',
  'Layerize',
  'Commit',
  'MajorGC',
  'MinorGC',
  'ParseHTML',
  'v8.compileModule',
]);

type Around = { readonly events: readonly TraceEvent[]; readonly startUs: number; readonly site: BuiltSite };

function describe(task: TraceEvent, { events, startUs, site }: Around): MainTask {
  let doneUs = 0;
  let scriptUs = 0;
  const spent = new Map<string, number>();
  const add = (name: string, us: number) => spent.set(name, (spent.get(name) ?? 0) + us);
  for (const event of events) {
    const us = event.tdur ?? event.dur ?? 0;
    if (others.has(event.name)) add(event.name, us);
    if (!scripts.has(event.name)) continue;
    const { url, functionName, lineNumber = 1, columnNumber = 1 } = event.args.data ?? {};
    // Microtasks hold the calls that they are made of.
    if (event.name !== 'RunMicrotasks')
      add(
        `${functionName || event.name} ${url ? site.placeOf(url, lineNumber - 1, columnNumber - 1) : ''}`.trim(),
        us,
      );
    if (event.ts < doneUs) continue;
    doneUs = event.ts + (event.dur ?? 0);
    scriptUs += us;
  }
  const taskUs = task.tdur ?? 0;
  // Where nothing of these names took a good part of it, the largest thing of any name did.
  if ([...spent.values()].reduce((sum, us) => sum + us, 0) < taskUs / 3)
    for (const event of events)
      if (!wrappers.test(event.name) && (event.tdur ?? 0) > taskUs / 4) add(event.name, event.tdur ?? 0);
  const named = [...spent].sort(([, a], [, b]) => b - a).slice(0, 3);
  return {
    atSec: (task.ts - startUs) / 1e6,
    wallMs: (task.dur ?? 0) / 1000,
    cpuMs: taskUs / 1000,
    scriptMs: scriptUs / 1000,
    name: named.map(([name, us]) => `${name} ${(us / 1000).toFixed(1)} ms`).join(', ') || 'the browser’s own',
  };
}

/** Events that are there for every task. */
const wrappers = /RunTask|ThreadPool|SequenceManager/;
