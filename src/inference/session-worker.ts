import type { Connection } from '../rpc/connect.js';
import type { Task } from '../rpc/protocol.js';
import { type Output, openSession, type Session, type SessionInput, type SessionOptions } from './session.js';

type OpenTask = { readonly bytes: Uint8Array; readonly name: string; readonly options: SessionOptions };
type OpenAnswer = Pick<Session, 'device' | 'inputNames' | 'outputNames' | 'inputShapes'> & {
  readonly id: number;
};
type RunTask = { readonly id: number; readonly feeds: Readonly<Record<string, SessionInput>> };

/** What an inference worker offers: sessions by number. */
export type SessionTasks = {
  readonly open: Task<OpenTask, OpenAnswer>;
  readonly run: Task<RunTask, Record<string, Output>>;
  readonly close: Task<number, void>;
};

/** Sessions of a worker that does nothing else: on the CPU a run blocks its thread for a tenth of a second. */
export function createSessionTasks(): SessionTasks {
  const sessions = new Map<number, Session>();
  let nextId = 0;
  return {
    async open({ bytes, name, options }) {
      const session = await openSession(bytes, name, options);
      const id = nextId++;
      sessions.set(id, session);
      const { device, inputNames, outputNames, inputShapes } = session;
      return { id, device, inputNames, outputNames, inputShapes };
    },
    run: ({ id, feeds }) => sessions.get(id)!.run(feeds),
    async close(id) {
      await sessions.get(id)?.close();
      sessions.delete(id);
    },
  };
}

/** Opens a session in an inference worker; it behaves like one opened here. For `wasm` only: GPUs are not shared. */
export async function openWorkerSession(
  worker: Connection<SessionTasks>,
  bytes: Uint8Array,
  { name, options }: { readonly name: string; readonly options: SessionOptions },
): Promise<Session> {
  const { id, ...facts } = await worker.call('open', { bytes, name, options });
  return {
    ...facts,
    run: feeds => worker.call('run', { id, feeds }),
    close: () => worker.call('close', id),
  };
}
