import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLibraryPage, root } from '../bin/browser.js';
import { type AnalysisResult, completePlanRequest, type Plan, planCrop } from '../src/index.js';
import { type AnnotatedClip, annotatedClips, hasShared, sharedModels } from './clips.js';
import { readGroundTruth } from './ground-truth.js';
import { groupCuts } from './measure-geometry.js';
import { type Measures, measure } from './measures.js';
import type { AnalysisJob } from './page/analyse.js';
import { alwaysCentre, alwaysFit, oracle, pingPong } from './straw-plans.js';

const usage = `npm run quality -- [NAME …] [--models DIR] [--reuse] [--straw]

Analyses and plans the annotated development clips and scores them against their ground truth.

  NAME        only clips whose name contains one of these
  --models    folder with the model files           (../shared/models)
  --reuse     score the analyses of the last run again
  --no-straw  leave out the straw plans

Results lie in out/quality/<clip>, in the files that the command line writes.`;

const columns = [
  ['cuts_missed', 'miss'],
  ['cuts_false', 'false'],
  ['cut_f1_exact', 'F1±0'],
  ['cut_f1_1', 'F1±1'],
  ['face_recall', 'recall'],
  ['id_switches', 'ids'],
  ['speaking_acc', 'speak'],
  ['owner_decided', 'owner'],
  ['false_speech', 'false'],
  ['speaker_framed', 'framed'],
  ['empty', 'empty'],
  ['wide', 'wide'],
  ['turn_latency_p50', 'lat50'],
  ['turn_latency_p90', 'lat90'],
  ['false_switches_per_min', 'fsw'],
  ['flips_per_min', 'flips'],
  ['reversals_per_s', 'rev'],
  ['late_plan_changes', 'late'],
] as const;

const out = join(root, 'out/quality');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    models: { type: 'string', default: sharedModels },
    reuse: { type: 'boolean', default: false },
    straw: { type: 'boolean', default: true },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(usage);
else if (!hasShared()) console.log('The annotated clips (../shared/media) are not here: nothing to measure.');
else await main();

async function main(): Promise<void> {
  mkdirSync(out, { recursive: true });
  const clips = annotatedClips(join(out, 'hard')).filter(
    clip => !positionals.length || positionals.some(part => clip.name.includes(part)),
  );
  const rows: [string, Measures][] = [];
  const library = values.reuse ? undefined : await openLibraryPage('analyse.html', 'bench/page');
  try {
    for (const clip of clips) {
      const result = library ? await analyse(library, clip) : readResult(clip);
      const plan = planCrop(result.parts, completePlanRequest(), {
        ...result.range,
        size: result.size,
        ...(result.speech && { speech: result.speech }),
      });
      write(clip, result, plan);
      const truth = readGroundTruth(clip.truth, clip.key);
      const figures = {
        ...measure({ parts: result.parts, plan }, truth),
        cuts: groupCuts(truth.cuts).length,
      };
      rows.push([clip.name, figures]);
      console.error(line(clip.name, figures));
      if (values.straw && /^(c\d|h\d|debate_cuts_mexcaR|film_friends)/.test(clip.name)) {
        const { width, height } = result.size;
        const straws = {
          fit: alwaysFit(result.parts),
          centre: alwaysCentre(result.parts),
          'ping-pong': pingPong(result.parts),
          oracle: oracle(truth, { width, height, totalFrames: plan.total_frames }),
        };
        for (const [name, straw] of Object.entries(straws))
          rows.push([`  straw: ${name}`, measure(straw, truth)]);
      }
    }
  } finally {
    await library?.close();
  }
  const table = [
    line('clip', Object.fromEntries(columns.map(([key, title]) => [key, title]))),
    ...rows.map(([name, figures]) => line(name, figures)),
    pooled(rows),
  ];
  console.log(table.join('\n'));
  writeFileSync(join(out, 'table.txt'), `${table.join('\n')}\n`);
}

async function analyse(
  library: Awaited<ReturnType<typeof openLibraryPage>>,
  clip: AnnotatedClip,
): Promise<AnalysisResult> {
  await library.page.setInputFiles('#file', clip.file);
  return library.page.evaluate<AnalysisResult, AnalysisJob>(job => globalThis.analyseFile(job), {
    modelsUrl: library.urlOf(values.models),
  });
}

function write(clip: AnnotatedClip, result: AnalysisResult, plan: Plan): void {
  const folder = join(out, clip.name);
  mkdirSync(folder, { recursive: true });
  for (const [part, value] of Object.entries(result.parts))
    writeFileSync(join(folder, `${part}.json`), JSON.stringify(value));
  writeFileSync(join(folder, 'crop_path.json'), JSON.stringify(plan));
  const { parts: _parts, ...envelope } = result;
  writeFileSync(join(folder, 'envelope.json'), JSON.stringify(envelope));
}

function readResult(clip: AnnotatedClip): AnalysisResult {
  const read = (file: string) => JSON.parse(readFileSync(join(out, clip.name, file), 'utf8'));
  const parts: Record<string, unknown> = {};
  for (const part of ['scene_detection', 'face_tracking_yolov8', 'active_speaker']) {
    if (existsSync(join(out, clip.name, `${part}.json`))) parts[part] = read(`${part}.json`);
  }
  return { ...read('envelope.json'), parts };
}

function line(name: string, figures: Measures): string {
  const cells = columns.map(([key]) => {
    const value = figures[key];
    const text =
      value === null || value === undefined
        ? '–'
        : typeof value === 'number'
          ? String(Number(value.toFixed(3)))
          : String(value);
    return text.padStart(6);
  });
  return `${name.slice(0, 34).padEnd(34)} ${cells.join(' ')}`;
}

/** Cuts of all clips together: misses and false ones add up, which a mean of F1 hides. */
function pooled(rows: readonly [string, Measures][]): string {
  const real = rows.filter(([name]) => !name.startsWith('  straw'));
  const sum = (key: string) => real.reduce((total, [, figures]) => total + Number(figures[key] ?? 0), 0);
  const [cuts, missed, wrong] = [sum('cuts'), sum('cuts_missed'), sum('cuts_false')];
  const hit = cuts - missed;
  return `pooled cuts at ±1: ${cuts} true, ${missed} missed, ${wrong} false, F1 ${((2 * hit) / (2 * hit + missed + wrong)).toFixed(3)}`;
}
