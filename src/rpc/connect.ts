import { type Endpoint, proxy, releaseProxy, transfer, wrap } from 'comlink';
import { ReframeError } from '../schema/error.js';
import type { OnProgress } from '../schema/progress.js';
import {
  type Callbacks,
  type CallerPort,
  fromWireError,
  type Outcome,
  type Task,
  type TaskPort,
  type Tasks,
} from './protocol.js';

/** How long an aborted task may take to stop before its worker is ended. */
const abortGraceMs = 2000;

/** How a task is called. */
export type TaskCall = {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Answers to what the task asks; see `TaskContext.ask`. */
  readonly callbacks?: Readonly<Callbacks>;
  /** What moves to the worker with the input. */
  readonly transfer?: readonly Transferable[];
};

/** The caller's side of a worker. */
export type Connection<Offered extends Tasks> = {
  /**
   * Runs a task.
   *
   * @throws What the task threw, rebuilt; the signal's reason when aborted; `worker_lost` when the worker dies.
   */
  call<Name extends keyof Offered & string>(
    name: Name,
    input: Parameters<Offered[Name]>[0],
    options?: TaskCall,
  ): Promise<Offered[Name] extends Task<never, infer Output> ? Output : never>;
  /** Ends the worker; everything pending rejects. */
  close(): void;
  /** Whether the worker ended, by `close` or by dying. */
  readonly closed: boolean;
};

/** What is needed of a worker besides talking to it. */
export type WorkerLink = {
  readonly endpoint: Endpoint;
  /** Ends the worker at once. */
  readonly terminate: () => void;
  /** Tells once when the worker died by itself. */
  readonly onDeath: (listener: (why: string) => void) => void;
};

/** A link to a real worker. */
export function linkWorker(worker: Worker): WorkerLink {
  return {
    endpoint: worker,
    terminate: () => worker.terminate(),
    onDeath: listener => {
      worker.addEventListener('error', event => {
        event.preventDefault();
        listener(event.message || 'its script could not be loaded');
      });
      worker.addEventListener('messageerror', () => listener('a message could not be read'));
    },
  };
}

/**
 * Connects to tasks that a worker offers with `exposeTasks`.
 *
 * The proxy lives as long as the worker: Comlink's own proxy would be released once it is garbage collected.
 */
export function connectTasks<Offered extends Tasks>(link: WorkerLink): Connection<Offered> {
  const remote = wrap<TaskPort>(link.endpoint);
  const pending = new Set<(error: Error) => void>();
  let nextCallId = 0;
  let ended: ReframeError | undefined;
  const end = (error: ReframeError) => {
    if (ended) return;
    ended = error;
    link.terminate();
    for (const reject of pending) reject(error);
    pending.clear();
    remote[releaseProxy]();
  };
  link.onDeath(why => end(new ReframeError('worker_lost', `${why}.`)));

  const call = async (name: string, input: unknown, options: TaskCall = {}) => {
    options.signal?.throwIfAborted();
    if (ended) throw ended;
    const callId = nextCallId++;
    const caller: CallerPort = {
      progress: report => options.onProgress?.(report),
      async ask(question, value) {
        const answer = await options.callbacks?.[question]?.(value as never);
        return answer?.transfer ? transfer(answer.value, [...answer.transfer]) : answer?.value;
      },
    };
    const { promise, resolve, reject } = withResolvers<Outcome>();
    pending.add(reject);
    let deadline: ReturnType<typeof setTimeout> | undefined;
    const abort = () => {
      void remote.abort(callId);
      deadline = setTimeout(
        () => end(new ReframeError('worker_lost', 'It did not stop when asked and was ended.')),
        abortGraceMs,
      );
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      remote
        .run(callId, name, options.transfer ? transfer(input, [...options.transfer]) : input, proxy(caller))
        .then(resolve as (outcome: unknown) => void, reject);
      const outcome = await promise;
      options.signal?.throwIfAborted();
      if (outcome.kind === 'error') throw fromWireError(outcome.error);
      return outcome.value;
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(deadline);
      options.signal?.removeEventListener('abort', abort);
      pending.delete(reject);
    }
  };
  return {
    call: call as Connection<Offered>['call'],
    close: () => end(new ReframeError('worker_lost', 'It was closed.')),
    get closed() {
      return ended !== undefined;
    },
  };
}

function withResolvers<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
