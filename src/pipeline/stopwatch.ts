import type { StageTime } from '../schema/diagnostics.js';

/** Adds up the seconds that each named stage takes. */
export type Stopwatch = {
  /** Runs the work and adds its time to the stage; async work counts until it settles. */
  time<Value>(stage: string, work: () => Value): Value;
  /** Wraps an iterable so that waiting for its next value counts as the stage. */
  timeEach<Value>(stage: string, values: AsyncIterable<Value>): AsyncGenerator<Value, void, void>;
  readonly seconds: number;
  readonly stages: Readonly<Record<string, StageTime>>;
};

export function createStopwatch(): Stopwatch {
  const stages: Record<string, { seconds: number; count: number }> = {};
  const startMs = performance.now();
  const add = (stage: string, sinceMs: number) => {
    const entry = (stages[stage] ??= { seconds: 0, count: 0 });
    entry.seconds += (performance.now() - sinceMs) / 1000;
    entry.count++;
  };
  return {
    time(stage, work) {
      const sinceMs = performance.now();
      const value = work();
      if (!(value instanceof Promise)) {
        add(stage, sinceMs);
        return value;
      }
      return value.finally(() => add(stage, sinceMs)) as typeof value;
    },
    async *timeEach(stage, values) {
      const iterator = values[Symbol.asyncIterator]();
      try {
        for (;;) {
          const sinceMs = performance.now();
          const next = await iterator.next();
          add(stage, sinceMs);
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await iterator.return?.();
      }
    },
    get seconds() {
      return (performance.now() - startMs) / 1000;
    },
    stages,
  };
}
