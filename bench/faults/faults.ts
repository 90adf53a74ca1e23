import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeModels } from '../../test/e2e/material.js';
import { describeLoad } from '../harness/load.js';
import { mulberry32 } from '../harness/random.js';
import { openSheet } from '../harness/sheet.js';
import {
  type FaultBench,
  type FaultSource,
  type Kill,
  type KillReport,
  openFaultBench,
} from './measure-faults.js';

const usage = `npm run bench:faults -- [options]

Kills the page of the service in the middle of jobs, opens another, and says how many seconds of media were done twice:
once in each step of one job, and at random moments of further jobs. The pipeline is the real one.

  --clip NAME   sample: the drawn people, repeated; discs: what the tests' tiny models see   (sample)
  --seconds N   length of the clip                (36)
  --random N    how many random moments           (10)
  --seed N      of the moments                    (1)
  --only PART   steps | random`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '36' },
    random: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    clip: { type: 'string', default: 'sample' },
    only: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
/** Most seconds of media that a kill may cost. */
const limitSec = 15;
const seconds = Number(values.seconds);
const sheet = openSheet('faults');
const { say, keep } = sheet;

if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-faults-'));
  const bench = await openFaultBench({
    seconds,
    ...(values.clip === 'discs'
      ? { clip: 'discs', ...tinyModels(join(folder, 'models')) }
      : { clip: 'sample' }),
  });
  try {
    say(`${seconds} s of ${values.clip}, seed ${values.seed}; ${describeLoad()}`);
    say('killed in                      at s  again from s   twice s');
    const twice = [
      ...(values.only === 'random' ? [] : await eachStep(bench)),
      ...(values.only === 'steps' ? [] : await randomMoments(bench)),
    ];
    const most = Math.max(...twice);
    const verdict = most > limitSec ? '; missed' : '';
    say(`most seconds done twice by one kill: ${most.toFixed(1)} (aim: at most ${limitSec}${verdict})`);
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true });
    sheet.save();
  }
}

function tinyModels(models: string): Pick<FaultSource, 'models' | 'manifest'> {
  writeModels(models);
  return { models, manifest: JSON.parse(readFileSync(join(models, 'manifest.json'), 'utf8')) };
}

/** One job that advances by polls, so that each analysis is a step of its own. */
function eachStep(bench: FaultBench): Promise<number[]> {
  const atSec = 0.8 * seconds;
  return runJob(bench, 'poll', [
    { work: 'ingest', atSec: 0 },
    { work: 'analyse', part: 'scene_detection', atSec },
    { work: 'analyse', part: 'face_tracking_yolov8', atSec },
    { work: 'analyse', part: 'active_speaker', atSec },
    { work: 'render', atSec },
  ]);
}

/** A job for each moment; a second of analysis and a second of render are as likely. */
async function randomMoments(bench: FaultBench): Promise<number[]> {
  const random = mulberry32(Number(values.seed));
  const twice: number[] = [];
  for (let i = 0; i < Number(values.random); i++) {
    const sec = 2 * seconds * random();
    const kill: Kill =
      sec < seconds ? { work: 'analyse', atSec: sec } : { work: 'render', atSec: sec - seconds };
    twice.push(...(await runJob(bench, 'auto', [kill])));
  }
  return twice;
}

async function runJob(
  bench: FaultBench,
  advance: 'auto' | 'poll',
  kills: readonly Kill[],
): Promise<number[]> {
  const { kills: reports, end } = await bench.run(advance, kills);
  for (const report of reports) {
    say(rowOf(report));
    keep({ what: 'kill', advance, ...report });
  }
  const isSound = end.frames === bench.frames && /^hold (\d+),charge \1$/.test(end.ledger.join());
  if (!isSound) process.exitCode = 1;
  keep({ what: 'job', advance, isSound, ...end });
  say(
    `  ${isSound ? 'completed' : 'WRONG'}: ${end.frames} of ${bench.frames} frames, played to ${end.durationSec.toFixed(2)} s, ledger: ${end.ledger.join(', ')}; its record says ${end.repeatedSec.toFixed(1)} s twice`,
  );
  return reports.map(({ twiceSec }) => twiceSec);
}

function rowOf({ work, part, reachedSec, resumedSec, twiceSec }: KillReport): string {
  return [
    (part ?? work).padEnd(25),
    reachedSec.toFixed(1).padStart(9),
    resumedSec.toFixed(1).padStart(13),
    twiceSec.toFixed(1).padStart(9),
  ].join(' ');
}
