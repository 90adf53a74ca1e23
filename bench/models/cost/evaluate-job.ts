import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/browser.js';
import { packagedManifest } from '../../../src/inference/manifest.js';
import type { Row } from '../../harness/report.js';

/** Which models a whole job is timed with, as the command line names them. */
const sets = {
  shipped: [],
  public: ['--faces', 'yolov8n-face', '--speaker', 'lr-asd', '--shots', 'model-free'],
} as const;
/** Each set so often, by turns, so that what else the machine does meets both. */
const turns = 2;
/** Length of the timed part of the clip. */
const endSec = 12;
/** Work of the analysis that depends on the models. */
const stages = ['faces', 'speaker', 'shots'] as const;

type Report = {
  readonly seconds: number;
  readonly media_seconds: number;
  readonly peak_memory_mb: number;
  readonly analysis: {
    readonly seconds: number;
    readonly stages: Readonly<Record<string, { readonly seconds: number } | undefined>>;
  };
};

/**
 * Seconds of `npm run reframe` on one clip with the models that ship and with the public ones: the quickest run of each.
 *
 * @param models - Folder with the public files.
 */
export function evaluateJob(file: string, models: string, out: string): Record<string, Row[]> {
  const reports: Record<keyof typeof sets, Report[]> = { shipped: [], public: [] };
  for (let turn = 0; turn < turns; turn++) {
    for (const set of ['shipped', 'public'] as const) {
      const folder = join(out, set);
      const options = [...sets[set], '--models', models, '--end', `${endSec}`, '--out', folder];
      execFileSync(join(root, 'node_modules/.bin/tsx'), [join(root, 'bin/reframe.ts'), file, ...options], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      reports[set].push(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report);
    }
  }
  return Object.fromEntries(Object.entries(reports).map(([set, runs]) => [set, rowsOf(runs)]));
}

function rowsOf(runs: readonly Report[]): Row[] {
  const best = runs.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  return [
    { measure: `seconds for ${best.media_seconds.toFixed(1)} s of video`, value: best.seconds },
    { measure: 'the other run', value: Math.max(...runs.map(({ seconds }) => seconds)) },
    { measure: 'of these the analysis', value: best.analysis.seconds },
    ...stages.map(stage => ({
      measure: `work of ${stage}, s`,
      value: best.analysis.stages[stage]?.seconds ?? Number.NaN,
    })),
    { measure: 'peak memory of the browser, MB', value: best.peak_memory_mb },
  ];
}

type Packed = readonly [
  {
    readonly size: number;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string; readonly size: number }[];
  },
];

/** Sizes of the npm package as `npm pack --dry-run` tells them; `dist` has to be built. */
export function evaluatePackage(): Record<string, Row[]> {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  };
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], options)) as Packed;
  const models = packagedManifest().models.filter(({ bundled }) => bundled);
  const sizeOf = (file: string) => packed.files.find(({ path }) => path === `dist/models/${file}`)?.size;
  const rows = models.map(({ file }) => ({ measure: file, value: sizeOf(file) ?? Number.NaN }));
  const ours = rows.filter(({ measure }) => measure.startsWith('edge-'));
  return {
    bytes: [
      { measure: 'package, packed', value: packed.size },
      { measure: 'package, unpacked', value: packed.unpackedSize },
      ...rows,
      { measure: 'our models together', value: ours.reduce((sum, { value }) => sum + value, 0) },
    ],
  };
}
