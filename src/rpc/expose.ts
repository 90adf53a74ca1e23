import { type Endpoint, expose, type Remote, releaseProxy, transfer } from 'comlink';
import type { Progress } from '../schema/progress.js';
import { type CallerPort, type Outcome, type TaskPort, type Tasks, toWireError } from './protocol.js';

/** At most ten progress reports a second leave a worker. */
const progressIntervalMs = 100;

/**
 * Offers tasks to the other side of an endpoint (in a worker: to whoever created it).
 *
 * @param endpoint - Default: the worker's own global scope.
 */
export function exposeTasks(tasks: Tasks, endpoint?: Endpoint): void {
  const running = new Map<number, AbortController>();
  const port = {
    async run(callId: number, name: string, input: unknown, caller: Remote<CallerPort>): Promise<Outcome> {
      const controller = new AbortController();
      running.set(callId, controller);
      try {
        const task = tasks[name];
        if (!task) throw new TypeError(`There is no task "${name}".`);
        const value = await task(input, {
          signal: controller.signal,
          // Work that outlives its call, such as a model that loads for the next one, reports to nobody.
          onProgress: throttle(report => {
            if (running.has(callId)) void caller.progress(report);
          }),
          ask: (question, data, moved) =>
            caller.ask(question, moved ? transfer(data, [...moved]) : data) as Promise<never>,
        });
        return { kind: 'value', value };
      } catch (error) {
        return { kind: 'error', error: toWireError(error) };
      } finally {
        running.delete(callId);
        caller[releaseProxy]();
      }
    },
    abort(callId: number): void {
      running.get(callId)?.abort();
    },
  } satisfies Record<keyof TaskPort, unknown>;
  expose(port, endpoint);
}

/** Lets the first report of each interval through; a change of stage and the end always pass. */
function throttle(report: (progress: Progress) => void): (progress: Progress) => void {
  let last: Progress | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return progress => {
    const now = performance.now();
    const due = now - lastMs >= progressIntervalMs || progress.stage !== last?.stage;
    if (!due && progress.doneRatio < 1) return;
    last = progress;
    lastMs = now;
    report(progress);
  };
}
