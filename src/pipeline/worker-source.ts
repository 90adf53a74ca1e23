import type { FrameSource } from '../media/input/frames.js';
import type { SourceInput } from '../media/source.js';
import type { Answer, Callbacks, TaskContext } from '../rpc/protocol.js';

/** A source as a worker gets it: a file or an address as it is; of a caller's own frames all that is plain data. */
export type WorkerSource =
  | { readonly kind: 'file'; readonly file: Blob }
  | { readonly kind: 'url'; readonly url: string }
  | {
      readonly kind: 'frames';
      readonly facts: Omit<FrameSource, 'kind' | 'frames' | 'audio'>;
      readonly audio?: { readonly sampleRateHz: number; readonly channels: number };
    };

/** One pass over a caller's frames or sound, opened by the worker and pulled value by value. */
type PassRequest = { readonly lane: 'frames' | 'audio'; readonly startSec: number };

/**
 * Splits a source into what can be posted and what has to be asked for. Iterators do not cross threads: the worker
 * pulls, and one value is on its way at a time.
 */
export function toWorkerSource(source: SourceInput): { plain: WorkerSource; callbacks: Callbacks } {
  if (source instanceof Blob) return { plain: { kind: 'file', file: source }, callbacks: {} };
  if (typeof source === 'string' || source instanceof URL) {
    return { plain: { kind: 'url', url: new URL(source, globalThis.location?.href).href }, callbacks: {} };
  }
  const { kind: _kind, frames, audio, ...facts } = source;
  const passes = new Map<number, AsyncIterator<unknown>>();
  let nextPass = 0;
  const callbacks = {
    async openPass({ lane, startSec }: PassRequest): Promise<Answer> {
      const values = lane === 'frames' ? frames({ startSec }) : audio!.blocks({ startSec });
      passes.set(nextPass, values[Symbol.asyncIterator]());
      return { value: nextPass++ };
    },
    async nextValue(pass: number): Promise<Answer> {
      const next = await passes.get(pass)!.next();
      if (next.done) return {};
      const transfer = next.value instanceof VideoFrame ? [next.value] : [];
      return { value: next.value, transfer };
    },
    async closePass(pass: number): Promise<Answer> {
      const values = passes.get(pass);
      passes.delete(pass);
      await values?.return?.();
      return {};
    },
  };
  return {
    plain: {
      kind: 'frames',
      facts,
      ...(audio && { audio: { sampleRateHz: audio.sampleRateHz, channels: audio.channels } }),
    },
    callbacks,
  };
}

/** The other half: what `openMedia` takes, on the worker's side. */
export function fromWorkerSource(plain: WorkerSource, ask: TaskContext['ask']): SourceInput {
  if (plain.kind === 'file') return plain.file;
  if (plain.kind === 'url') return plain.url;
  async function* pull<Value>(
    lane: PassRequest['lane'],
    startSec: number,
  ): AsyncGenerator<Value, void, void> {
    const pass = await ask<number>('openPass', { lane, startSec } satisfies PassRequest);
    try {
      for (;;) {
        const value = await ask<Value | undefined>('nextValue', pass);
        if (value === undefined) return;
        yield value;
      }
    } finally {
      await ask('closePass', pass);
    }
  }
  return {
    kind: 'frames',
    ...plain.facts,
    frames: ({ startSec }) => pull('frames', startSec),
    ...(plain.audio && { audio: { ...plain.audio, blocks: ({ startSec }) => pull('audio', startSec) } }),
  };
}
