import { type ErrorCode, errorCodes, isReframeError, ReframeError } from '../schema/error.js';
import type { Progress } from '../schema/progress.js';

/** What a task gets besides its argument. */
export type TaskContext = {
  /** Aborted when the caller gives up; the task rejects soon after. */
  readonly signal: AbortSignal;
  /** Reports progress; throttled on the way. */
  readonly onProgress: (progress: Progress) => void;
  /**
   * Calls back into the caller's thread: the next frame of an editor's source, the next chunk of a stream.
   * Nothing more arrives before the answer is awaited, which is all the back-pressure there is.
   */
  readonly ask: <Answer>(
    name: string,
    value?: unknown,
    transfer?: readonly Transferable[],
  ) => Promise<Answer>;
};

/** Work that a worker offers: plain data in, plain data out. */
export type Task<Input, Output> = (input: Input, context: TaskContext) => Promise<Output>;

/** A named set of tasks. */
// biome-ignore lint/suspicious/noExplicitAny: the bound of a generic over every possible task
export type Tasks = Record<string, Task<any, any>>;

/** Answers to {@link TaskContext.ask}, by name. An answer that should move names what moves with it. */
export type Callbacks = Record<string, (value: never) => Promise<Answer>>;
export type Answer = { readonly value?: unknown; readonly transfer?: readonly Transferable[] };

/** The part of a caller that a worker may call, passed as one proxy per call. */
export type CallerPort = {
  progress(progress: Progress): void;
  ask(name: string, value: unknown): Promise<unknown>;
};

/** What a worker exposes. */
export type TaskPort = {
  run(callId: number, name: string, input: unknown, caller: CallerPort): Promise<Outcome>;
  abort(callId: number): void;
};

export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: WireError };

/** An error as plain data: classes do not survive a structured clone. */
export type WireError = {
  readonly name: string;
  readonly message: string;
  readonly code?: ErrorCode;
  readonly cause?: string;
};

export function toWireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, cause } = error;
  const why =
    cause === undefined
      ? {}
      : { cause: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) };
  return isReframeError(error) ? { name, message, code: error.code, ...why } : { name, message, ...why };
}

/** Rebuilds the class that matters to callers: `ReframeError` by its code, else the caller's own mistakes. */
export function fromWireError(wire: WireError): Error {
  const options = wire.cause === undefined ? {} : { cause: wire.cause };
  if (wire.code && errorCodes.includes(wire.code)) {
    const error = new ReframeError(wire.code, undefined, options);
    error.message = wire.message;
    return error;
  }
  if (wire.name === 'TypeError') return new TypeError(wire.message, options);
  if (wire.name === 'RangeError') return new RangeError(wire.message, options);
  return new ReframeError('internal', `${wire.name}: ${wire.message}`, options);
}
