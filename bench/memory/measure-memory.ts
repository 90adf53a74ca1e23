import { openLibraryPage } from '../../bin/browser.js';
import type { ModelManifest } from '../../src/schema/model.js';
import { medianOf } from '../harness/load.js';

export type MemoryRequest = {
  readonly minutes: number;
  /** Folder with the model files. */
  readonly models: string;
  /** What the folder holds, where that is not the packaged list. */
  readonly manifest?: ModelManifest;
  /** A clip with two faces; absent: the drawn sample. It is brought to 640×360 and repeated. */
  readonly file?: string;
  readonly onSample?: (sample: MemorySample) => void;
};

/** Resident memory of all processes of the browser, with what the job was doing. */
export type MemorySample = {
  readonly atSec: number;
  readonly stage: 'analyse' | 'render';
  readonly bytes: number;
};

/** Memory over one part of the job: medians of its first and last third. */
export type MemoryTrend = {
  readonly firstBytes: number;
  readonly lastBytes: number;
  readonly ratio: number;
};

export type MemoryReport = {
  readonly mediaSec: number;
  readonly tookSec: number;
  readonly idleBytes: number;
  readonly peakBytes: number;
  readonly analyse: MemoryTrend;
  readonly render: MemoryTrend;
  readonly frames: { readonly analysed: number; readonly rendered: number };
};

/** Reads memory every second while a long clip is analysed and rendered. Linux only: elsewhere it cannot be read. */
export async function measureMemory(request: MemoryRequest): Promise<MemoryReport> {
  const library = await openLibraryPage('memory.html', 'bench/memory/page');
  const { page } = library;
  const resident = async () => {
    const bytes = await library.residentBytes();
    if (bytes === undefined) throw new Error('This system does not tell how much memory a process has.');
    return bytes;
  };
  try {
    const idleBytes = await resident();
    let stage: MemorySample['stage'] = 'analyse';
    await page.exposeFunction('reportStage', (name: string) => {
      if (name === 'render') stage = 'render';
    });
    if (request.file) await page.setInputFiles('#file', request.file);
    const { minutes, manifest } = request;
    const job = { modelsUrl: library.urlOf(request.models), minutes, ...(manifest && { manifest }) };
    const mediaSec = await page.evaluate(given => globalThis.prepareLongJob(given), job);

    const startMs = performance.now();
    const elapsedSec = () => (performance.now() - startMs) / 1000;
    const samples: MemorySample[] = [];
    let running = true;
    const work = page.evaluate(() => globalThis.runLongJob()).finally(() => (running = false));
    const watch = (async () => {
      while (running) {
        const sample = { atSec: elapsedSec(), stage, bytes: await resident() };
        samples.push(sample);
        request.onSample?.(sample);
        await new Promise(resolve => setTimeout(resolve, 1000));
      }
    })();
    const [frames] = await Promise.all([work, watch]);
    return {
      mediaSec,
      tookSec: elapsedSec(),
      idleBytes,
      peakBytes: Math.max(...samples.map(({ bytes }) => bytes)),
      analyse: trendOf(samples.filter(sample => sample.stage === 'analyse').map(({ bytes }) => bytes)),
      render: trendOf(samples.filter(sample => sample.stage === 'render').map(({ bytes }) => bytes)),
      frames,
    };
  } finally {
    await library.close();
  }
}

/** Medians of the first and the last third. */
export function trendOf(bytes: readonly number[]): MemoryTrend {
  const third = Math.max(1, Math.floor(bytes.length / 3));
  const firstBytes = medianOf(bytes.slice(0, third));
  const lastBytes = medianOf(bytes.slice(-third));
  return { firstBytes, lastBytes, ratio: lastBytes / firstBytes };
}
