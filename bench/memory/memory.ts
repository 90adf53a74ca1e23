import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { describeLoad } from '../harness/load.js';
import { openSheet } from '../harness/sheet.js';
import { type MemoryTrend, measureMemory } from './measure-memory.js';

const usage = `npm run bench:memory -- [FILE] [--minutes M] [--models DIR]

Analyses and renders a clip of two faces, 640×360 and repeated for M minutes, and reads the memory of the browser's
processes every second. Without FILE: ../shared/media/composites/c1_two_up_turns.mp4, else a drawn clip.

  --minutes M   length of the clip                (2)
  --models DIR  folder with the model files       (models/cache)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '2' },
    models: { type: 'string', default: join(root, 'models/cache') },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const shared = join(root, '../shared/media/composites/c1_two_up_turns.mp4');
  const file = positionals[0] ?? (existsSync(shared) ? shared : undefined);
  const rows: string[] = [];
  const sheet = openSheet('memory');
  const save = () =>
    writeFileSync(join(sheet.folder, 'samples.csv'), `second,stage,MB\n${rows.join('\n')}\n`);
  const before = describeLoad();
  const report = await measureMemory({
    minutes: Number(values.minutes),
    models: values.models,
    ...(file && { file }),
    onSample: ({ atSec, stage, bytes }) => {
      rows.push(`${atSec.toFixed(0)},${stage},${megabytes(bytes)}`);
      if (rows.length % 30 === 0) save();
    },
  });
  save();
  const text = [
    `${(report.mediaSec / 60).toFixed(1)} minutes of 640×360, two faces, in ${(report.tookSec / 60).toFixed(1)} minutes; ${before} before, ${describeLoad()} after`,
    `frames: ${report.frames.analysed} analysed, ${report.frames.rendered} rendered`,
    `idle page ${megabytes(report.idleBytes)} MB, peak ${megabytes(report.peakBytes)} MB: ${megabytes(report.peakBytes - report.idleBytes)} MB above it`,
    describe('analysis', report.analyse),
    describe('render', report.render),
  ].join('\n');
  sheet.say(text);
  sheet.keep({ what: 'memory', ...report });
  sheet.save();
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function describe(name: string, { firstBytes, lastBytes, ratio }: MemoryTrend): string {
  const verdict = ratio <= 1.05 ? '' : '; missed';
  return `${name}: median of first third ${megabytes(firstBytes)} MB, of last third ${megabytes(lastBytes)} MB, ratio ${ratio.toFixed(3)} (aim: at most 1.05${verdict})`;
}
