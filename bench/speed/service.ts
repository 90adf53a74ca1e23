import { createLocalService } from '../../src/service/index.js';
import { createFakePipeline, fakeMedia } from '../../test/fixtures/fake-pipeline.js';
import { medianOf } from '../harness/load.js';

export type ServiceFigures = {
  /** Requests answered in a second, one after the other: polls of a finished job, and refused requests. */
  readonly pollsPerSec: number;
  readonly refusalsPerSec: number;
  /** Milliseconds that a job through the service takes longer than the same calls made directly. */
  readonly jobOverheadMs: number;
};

const requests = 2000;
const jobs = 50;
const base = 'http://service.bench';

/** What the service itself costs: the work under it is a stand-in that does nothing. */
export async function measureService(runs: number): Promise<ServiceFigures> {
  const source = fakeMedia({ seconds: 10 });
  const service = createLocalService({ reframer: createFakePipeline() });
  const url = await service.put(source);
  const send = async (path: string, body?: string) => {
    const init = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    return (await service.fetch(new Request(base + path, init || {}))).json();
  };
  const runJob = async (): Promise<string> => {
    const { job_id } = await send('/api/v2/reframe', JSON.stringify({ url }));
    for (;;) {
      if ((await send(`/api/v2/reframe/${job_id}`)).status === 'completed') return job_id;
      await new Promise(resolve => setImmediate(resolve));
    }
  };
  const direct = createFakePipeline();
  const runDirect = async () => {
    await direct.probe(source);
    const want = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'] as const;
    const result = await direct.analyse(source, { want });
    await direct.render(source, direct.plan(result));
  };
  const msOf = async (count: number, work: () => Promise<unknown>) => {
    const startMs = performance.now();
    for (let i = 0; i < count; i++) await work();
    return (performance.now() - startMs) / count;
  };
  const median = async (count: number, work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let run = 0; run < runs; run++) times.push(await msOf(count, work));
    return medianOf(times);
  };

  try {
    const jobId = await runJob();
    return {
      pollsPerSec: 1000 / (await median(requests, () => send(`/api/v2/reframe/${jobId}`))),
      refusalsPerSec: 1000 / (await median(requests, () => send('/api/v2/reframe', '{"url":7}'))),
      jobOverheadMs: (await median(jobs, runJob)) - (await median(jobs, runDirect)),
    };
  } finally {
    await service.close();
  }
}
