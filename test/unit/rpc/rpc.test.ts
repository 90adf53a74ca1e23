import { afterEach, expect, test, vi } from 'vitest';
import { connectTasks, type WorkerLink } from '../../../src/rpc/connect.js';
import { exposeTasks } from '../../../src/rpc/expose.js';
import type { TaskContext, Tasks } from '../../../src/rpc/protocol.js';
import { ReframeError } from '../../../src/schema/error.js';

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
  vi.useRealTimers();
});

/** Both sides of a channel in one thread, with a way to play the death of the far side. */
function join<Offered extends Tasks>(tasks: Offered) {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  port1.start();
  exposeTasks(tasks, port2 as never);
  let die!: (why: string) => void;
  const terminate = vi.fn();
  const link: WorkerLink = { endpoint: port1 as never, terminate, onDeath: listener => (die = listener) };
  return { remote: connectTasks<Offered>(link), die: (why: string) => die(why), terminate };
}

/** A task that runs until its signal aborts. */
const endless = (_input: unknown, { signal }: TaskContext) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('a task gets its input and gives its output', async () => {
  const { remote } = join({ double: async ({ value }: { value: number }) => value * 2 });
  expect(await remote.call('double', { value: 21 })).toBe(42);
});

test('a ReframeError keeps its code, its message and the reason behind it', async () => {
  const { remote } = join({
    fail: async () => {
      throw new ReframeError('no_video', 'clip.mp4 holds sound only.', { cause: new Error('no track') });
    },
  });
  const error = await remote.call('fail', undefined).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(ReframeError);
  expect(error).toMatchObject({
    code: 'no_video',
    message: 'The file holds no video. clip.mp4 holds sound only.',
    cause: 'Error: no track',
  });
});

test('the caller’s own mistakes stay TypeError and RangeError, anything else becomes internal', async () => {
  const { remote } = join({
    wrong: async (kind: string) => {
      if (kind === 'type') throw new TypeError('aspect must be an object');
      if (kind === 'range') throw new RangeError('startSec must be ≥ 0');
      throw new SyntaxError('odd');
    },
  });
  await expect(remote.call('wrong', 'type')).rejects.toThrow(TypeError);
  await expect(remote.call('wrong', 'range')).rejects.toThrow(RangeError);
  await expect(remote.call('wrong', '')).rejects.toMatchObject({ code: 'internal' });
});

test('an aborted call rejects with the signal’s reason, and the task hears of it', async () => {
  const { remote, terminate } = join({ endless });
  const controller = new AbortController();
  const call = remote.call('endless', undefined, { signal: controller.signal });
  controller.abort(new DOMException('enough', 'AbortError'));
  await expect(call).rejects.toThrow('enough');
  expect(terminate).not.toHaveBeenCalled();
});

test('a call with a signal that is already aborted does not start', async () => {
  const task = vi.fn(async () => 1);
  const { remote } = join({ task });
  await expect(remote.call('task', undefined, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(task).not.toHaveBeenCalled();
});

test('a task that ignores its abort loses its worker after two seconds, and everything pending rejects', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { remote, terminate } = join({ deaf: () => new Promise<never>(() => {}) });
  const controller = new AbortController();
  const aborted = remote.call('deaf', undefined, { signal: controller.signal });
  const beside = remote.call('deaf', undefined);
  controller.abort(new Error('enough'));
  vi.advanceTimersByTime(2000);
  await expect(aborted).rejects.toThrow('enough');
  await expect(beside).rejects.toMatchObject({ code: 'worker_lost' });
  expect(terminate).toHaveBeenCalledOnce();
  expect(remote.closed).toBe(true);
});

test('a worker that dies rejects what is pending and what comes later', async () => {
  const { remote, die } = join({ endless });
  const call = remote.call('endless', undefined);
  die('out of memory');
  await expect(call).rejects.toMatchObject({
    code: 'worker_lost',
    message: expect.stringContaining('out of memory'),
  });
  await expect(remote.call('endless', undefined)).rejects.toMatchObject({ code: 'worker_lost' });
});

test('progress arrives in order; a burst is thinned to its first report and the end', async () => {
  const { remote } = join({
    burst: async (_input: undefined, { onProgress }: TaskContext) => {
      for (let i = 0; i <= 100; i++) onProgress({ stage: 'analyse', doneRatio: i / 100, processedSec: i });
    },
  });
  const seen: number[] = [];
  await remote.call('burst', undefined, { onProgress: progress => seen.push(progress.doneRatio) });
  expect(seen.length).toBeLessThan(20);
  expect(seen[0]).toBe(0);
  expect(seen.at(-1)).toBe(1);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});

test('what a task still reports after its end goes nowhere, and fails nothing', async () => {
  let late!: TaskContext['onProgress'];
  const { remote } = join({
    brief: async (_input: undefined, { onProgress }: TaskContext) => {
      late = onProgress;
      return 1;
    },
  });
  const onProgress = vi.fn();
  await remote.call('brief', undefined, { onProgress });
  expect(() => late({ stage: 'models', doneRatio: 0.5, processedSec: 0 })).not.toThrow();
  expect(await remote.call('brief', undefined)).toBe(1);
  expect(onProgress).not.toHaveBeenCalled();
});

test('a task asks its caller, and what the answer names moves with it', async () => {
  const { remote } = join({
    sum: async (_input: undefined, { ask }: TaskContext) => {
      let sum = 0;
      for (;;) {
        const chunk = await ask<Uint8Array | undefined>('next', sum);
        if (!chunk) return sum;
        sum += chunk.length;
      }
    },
  });
  const chunks = [new Uint8Array(3), new Uint8Array(4)];
  const given = [...chunks];
  const next = async () => {
    const value = chunks.shift();
    return value ? { value, transfer: [value.buffer] } : {};
  };
  expect(await remote.call('sum', undefined, { callbacks: { next } })).toBe(7);
  expect(given.map(chunk => chunk.byteLength)).toEqual([0, 0]);
});
