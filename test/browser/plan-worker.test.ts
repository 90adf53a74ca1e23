import { afterEach, expect, test, vi } from 'vitest';
import { createReframer } from '../../src/index.js';
import { analyse } from '../unit/core/plan/invented-scene.js';

const people = [0, 1].map(p => ({
  at: { x: 500 + 900 * p, y: 480 },
  speaks: Array.from({ length: 30 }, (_, i): [number, number] => [6 * i + 3 * p, 6 * i + 3 * p + 2.8]),
}));
const long = { parts: analyse({ people, durationSec: 180, cuts: [60, 90] }) };

/** The scripts of all workers that this page starts from now on. */
function watchWorkers(): string[] {
  const started: string[] = [];
  const Own = globalThis.Worker;
  vi.stubGlobal(
    'Worker',
    class extends Own {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        started.push(String(url));
      }
    },
  );
  return started;
}
afterEach(() => void vi.unstubAllGlobals());

test('a long result is planned in a worker of its own, as this thread would', async () => {
  const started = watchWorkers();
  const reframer = createReframer();
  const plan = await reframer.planInWorker(long, { camera: 'follow' });
  expect(plan).toEqual(reframer.plan(long, { camera: 'follow' }));
  await reframer.planInWorker(long, { pace: 'calm' });
  expect(started).toHaveLength(1);
  expect(started[0]).toContain('plan.worker');
  reframer.close();
  // Closed workers are started anew.
  expect((await reframer.planInWorker(long)).frame_count).toBe(4500);
  expect(started).toHaveLength(2);
  reframer.close();
});

test('the plan is the worker’s: whatever that says is what comes', async () => {
  const script = new URL('./plan-of-nobody.worker.ts', import.meta.url);
  const reframer = createReframer({ workerUrls: { plan: script } });
  expect(await reframer.planInWorker(long)).toEqual({ by: 'another worker' });
  reframer.close();
});
