import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { measureMemory } from '../../bench/memory/measure-memory.js';

const material = inject('material');
const models = join(material, 'models');

test.skipIf(process.platform !== 'linux')(
  'memory does not grow over two minutes of two faces, analysed and rendered (needs /proc)',
  // Resident memory is the system's to give and take: a leak shows every time, its own jumps do not.
  { timeout: 600_000, retry: 2 },
  async () => {
    const report = await measureMemory({
      minutes: 2,
      models,
      manifest: JSON.parse(readFileSync(join(models, 'manifest.json'), 'utf8')),
      file: join(material, 'clip.mp4'),
    });
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
    console.info(
      `analysis ${megabytes(report.analyse.firstBytes)} → ${megabytes(report.analyse.lastBytes)}, render ${megabytes(report.render.firstBytes)} → ${megabytes(report.render.lastBytes)}, peak ${megabytes(report.peakBytes - report.idleBytes)} above the idle page, ${report.tookSec.toFixed(0)} s`,
    );
    expect(report.frames.rendered).toBe(report.frames.analysed);
    expect(report.frames.analysed).toBeGreaterThanOrEqual(2 * 60 * 25);
    expect(report.analyse.ratio).toBeLessThanOrEqual(1.05);
    expect(report.render.ratio).toBeLessThanOrEqual(1.05);
  },
);
