import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Row } from '../../harness/report.js';
import type { EvaluatedModel } from '../evaluated-models.js';
import { costOf, costSizes } from './model-cost.js';

/** Threads that are timed: the least that every page has, and what two cores give. */
const threadCounts = [1, 2] as const;
/** Each count is timed so often, by turns: what else the machine does passes. */
const rounds = 3;

/**
 * Bytes, parameters, arithmetic and times of each model.
 *
 * @param folders - Where `findModels` found them.
 */
export async function evaluateCost(
  models: readonly EvaluatedModel[],
  folders: readonly string[],
): Promise<Record<string, Row[]>> {
  const ids = models.map(({ id }) => id).join(',');
  const all = Array.from({ length: rounds }, () =>
    threadCounts.map(threads => timesOf(threads, ids, folders)),
  );
  const timed = threadCounts.map((threads, i) => ({
    threads,
    fastestMs: (id: string) => Math.min(...all.map(round => round[i]![id] ?? Number.NaN)),
  }));
  const columns: Record<string, Row[]> = {};
  for (const model of models) {
    const { parameters, macs } = await costOf(model, costSizes);
    columns[model.id] = [
      { measure: 'kB', value: model.bytes.length / 1000 },
      { measure: 'thousand parameters', value: parameters / 1000 },
      { measure: 'MMAC per run', value: macs / 1e6 },
      ...timed.map(({ threads, fastestMs }) => ({
        measure: `ms per run, wasm, ${threads === 1 ? '1 thread' : `${threads} threads`}`,
        value: fastestMs(model.id),
      })),
    ];
  }
  return columns;
}

function timesOf(threads: number, ids: string, folders: readonly string[]): Record<string, number> {
  const script = fileURLToPath(new URL('time-models.ts', import.meta.url));
  const answer = execFileSync('npx', ['tsx', script, `${threads}`, ids, ...folders], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(answer) as Record<string, number>;
}
