import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LibraryPage, openLibraryPage, root } from '../../bin/browser.js';
import { describeLoad, medianOf } from '../harness/load.js';
import { openSheet } from '../harness/sheet.js';
import { measureCorrection, measureLayouts } from './layouts.js';
import type { By, JobRequest, JobTimes, PartRequest } from './page/speed.js';
import type { Measured, StageTasks } from './page/stage-tasks.js';
import { measureReplan } from './replan.js';
import { measureService } from './service.js';

const usage = `npm run bench:speed -- [FILE] [--seconds N] [--runs N] [--models DIR] [--only PART] [--webgpu]

Times a whole job and each of its stages alone on a 1080p clip, on WASM, for both readers, and the media stages
against ffmpeg.wasm alone. Without FILE: ../shared/media/composites/c1_two_up_turns.mp4, else a drawn clip.

  --seconds N   so much of the clip                         (10)
  --runs N      each measurement's median over N runs       (3)
  --models DIR  folder with the model files                 (models/cache)
  --only PART   stages | media | layouts (every layout drawn, a contact sheet, and a correction; needs a FILE)
  --webgpu      adds a job on the software GPU: minutes`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
    models: { type: 'string', default: join(root, 'models/cache') },
    only: { type: 'string' },
    webgpu: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const endSec = Number(values.seconds);
const runs = Number(values.runs);
const sheet = openSheet('speed');
const { say, keep } = sheet;
const sec = (value: number) => value.toFixed(2).padStart(8);
/** A ratio with its aim. */
const judge = (value: number, aim: 'at most' | 'at least', bound: number) => {
  const good = aim === 'at most' ? value <= bound : value >= bound;
  return `${value.toFixed(2)} (aim: ${aim} ${bound}${good ? '' : '; missed'})`;
};

if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const shared = join(root, '../shared/media/composites/c1_two_up_turns.mp4');
  const file = positionals[0] ?? (existsSync(shared) ? shared : undefined);
  const library = await openLibraryPage('speed.html', 'bench/speed/page');
  try {
    if (file) await library.page.setInputFiles('#file', file);
    else await library.page.evaluate(() => globalThis.useSample());
    say(
      `${file?.split('/').pop() ?? 'drawn clip'}, first ${endSec} s; median of ${runs}; seconds; ${describeLoad()}`,
    );
    if (values.only === 'layouts') {
      await measureLayouts(library, sheet, { endSec, rounds: runs, device: 'wasm', outputHeight: 1280 });
      if (values.webgpu)
        await measureLayouts(library, sheet, { endSec, rounds: 1, device: 'webgpu', outputHeight: 1280 });
      await measureCorrection(library, sheet, 640);
      return;
    }
    if (values.only !== 'media') {
      for (const decoder of ['webcodecs', 'ffmpeg'] as const) await compareStages(library, decoder);
    }
    if (values.only !== 'stages') {
      // The plan of a job says what is to be drawn.
      if (values.only) await job(library, { endSec, decoder: 'webcodecs', device: 'wasm' });
      await compareMedia(library);
    }
    say();
    const replanMs = measureReplan();
    keep({ what: 'planning 10 minutes again', ms: replanMs });
    say(`planning 10 minutes again (25 Hz, 3 faces, warm): ${judge(replanMs, 'at most', 100)} ms`);
    for (const { what, seconds, longestMs } of await library.page.evaluate(() =>
      globalThis.timeLongPlan(120),
    )) {
      keep({ what: `planning 120 minutes ${what}`, seconds, longestMs });
      say(
        `planning 120 minutes ${what}: ${seconds.toFixed(2)} s; the page stood still ${longestMs.toFixed(0)} ms`,
      );
    }
    await timeService();
    if (values.webgpu) await softwareGpu(library);
    say(`load at the end: ${describeLoad()}`);
  } finally {
    await library.close();
    sheet.save();
  }
}

async function timeService(): Promise<void> {
  const figures = await measureService(runs);
  const { pollsPerSec, refusalsPerSec, jobOverheadMs } = figures;
  keep({ what: 'service', ...figures });
  say(`service: ${Math.round(pollsPerSec)} polls/s, ${Math.round(refusalsPerSec)} refusals/s in process;`);
  say(`a job by REST takes ${jobOverheadMs.toFixed(1)} ms longer than the direct calls`);
}

function job(library: LibraryPage, request: Omit<JobRequest, 'modelsUrl'>): Promise<JobTimes> {
  const asked = { ...request, modelsUrl: library.urlOf(values.models) };
  return library.page.evaluate(given => globalThis.timeJob(given), asked);
}

function part(library: LibraryPage, request: PartRequest): Promise<Measured> {
  const asked = [request, endSec, library.urlOf(values.models)] as const;
  return library.page.evaluate(given => globalThis.timePart(...given), asked);
}

/** Runs measurements in turn, so that a busy minute falls on all of them alike. */
async function inTurn<Name extends string>(
  work: Readonly<Record<Name, () => Promise<{ readonly seconds: number }>>>,
): Promise<Record<Name, number>> {
  const times = {} as Record<Name, number[]>;
  for (let run = 0; run < runs; run++) {
    for (const [name, measure] of Object.entries(work) as [Name, () => Promise<{ seconds: number }>][])
      (times[name] ??= []).push((await measure()).seconds);
  }
  return Object.fromEntries(
    Object.entries<number[]>(times).map(([name, values]) => [name, medianOf(values)]),
  ) as Record<Name, number>;
}

async function compareStages(library: LibraryPage, decoder: 'webcodecs' | 'ffmpeg'): Promise<void> {
  const asked = { endSec, decoder, device: 'wasm' } as const;
  // Its result says how often each stage runs.
  let jobTimes = await job(library, asked);
  const stage = (name: keyof StageTasks) => () => part(library, { kind: 'stage', name, decoder });
  const { whole, ...alone } = await inTurn({
    whole: async () => (jobTimes = await job(library, asked)),
    decode: stage('decode'),
    sample: stage('sample'),
    faces: stage('faces'),
    speaker: stage('speaker'),
    sound: stage('sound'),
    'decode again': stage('decode'),
    draw: stage('draw'),
    encode: stage('encode'),
  });
  const inside: Record<string, number | undefined> = {
    ...secondsOf(jobTimes.analysis.stages),
    sound: (jobTimes.analysis.stages.sound?.seconds ?? 0) + (jobTimes.analysis.stages.speech?.seconds ?? 0),
    'decode again': jobTimes.render.stages.decode?.seconds,
    draw: jobTimes.render.stages.draw?.seconds,
    encode: jobTimes.render.stages.encode?.seconds,
  };
  say();
  say(`reader ${decoder}, WASM           alone   in the job (waiting included)`);
  for (const [name, value] of Object.entries(alone)) {
    const within = inside[name];
    keep({ what: `stage ${name}`, decoder, aloneSec: value, inJobSec: within });
    say(`  ${name.padEnd(24)} ${sec(value)} ${within === undefined ? '' : sec(within)}`);
  }
  const sum = Object.values(alone).reduce((total, value) => total + value, 0);
  keep({ what: 'whole job', decoder, sec: whole, sumOfStagesSec: sum, mediaSec: endSec });
  say(`  ${'sum of stages alone'.padEnd(24)} ${sec(sum)}`);
  say(
    `  ${'whole job'.padEnd(24)} ${sec(whole)}   = analysis ${jobTimes.analysis.seconds.toFixed(2)} + render ${jobTimes.render.seconds.toFixed(2)} in its last run`,
  );
  say(
    `  whole job / sum: ${judge(whole / sum, 'at most', 0.8)};  ${(endSec / whole).toFixed(2)} s of video per second`,
  );
}

function secondsOf(stages: JobTimes['analysis']['stages']): Record<string, number> {
  return Object.fromEntries(Object.entries(stages).map(([name, { seconds }]) => [name, seconds]));
}

async function compareMedia(library: LibraryPage): Promise<void> {
  const everyone = ['us', 'ffmpeg', 'ffmpeg-threads'] as const;
  const among = (make: (by: By) => PartRequest) =>
    inTurn(
      Object.fromEntries(everyone.map(by => [by, () => part(library, make(by))])) as Record<
        By,
        () => Promise<Measured>
      >,
    );
  const row = (title: string, times: Record<By, number>, bound?: number) => {
    const ratio = times.ffmpeg / times.us;
    keep({ what: title, sec: times, ffmpegByOursRatio: ratio });
    const verdict = bound === undefined ? ratio.toFixed(2) : judge(ratio, 'at least', bound);
    say(`  ${title.padEnd(58)} ${everyone.map(by => sec(times[by])).join(' ')}   ${verdict}`);
  };
  say();
  say(`${'media stages'.padEnd(60)}     ours   ffmpeg  ffmpeg-mt   ffmpeg / ours`);
  for (const [density, title] of [
    ['five', 'decode, 48×27 of each frame, 640×360 five a second'],
    ['every', 'decode, 48×27 and 640×360 of each frame'],
  ] as const)
    row(title, await among(by => ({ kind: 'sampling', by, density })), 1.7);
  for (const preset of ['ultrafast', 'veryfast'] as const)
    row(
      `decode, crop, scale, encode 1080×1920 (x264 ${preset})`,
      await among(by => ({ kind: 'rendering', by, preset })),
      2.5,
    );
}

/** A second of the clip on the software adapter: shows that it runs, says nothing about GPUs. */
async function softwareGpu(library: LibraryPage): Promise<void> {
  const times = await job(library, {
    endSec: Math.min(1, endSec),
    decoder: 'webcodecs',
    device: 'webgpu',
    faceLongSide: 320,
  });
  say();
  keep({ what: 'job on the software adapter', sec: times.seconds });
  say(
    `WebGPU, software adapter, first ${Math.min(1, endSec)} s, detector at 320: ${times.seconds.toFixed(1)} s in all`,
  );
  for (const diagnostics of [times.analysis, times.render])
    say(
      `  ${Object.entries(secondsOf(diagnostics.stages))
        .map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`)
        .join(', ')} (${diagnostics.pixels})`,
    );
}
