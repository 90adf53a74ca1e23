import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLibraryPage, root } from '../../bin/browser.js';
import { decideSpeakers } from '../../src/core/active-speaker.js';
import { toActiveSpeaker } from '../../src/core/active-speaker-result.js';
import { type AnalysisResult, completePlanRequest, type Plan, planCrop } from '../../src/index.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { defaultFaceDetector } from '../../src/pipeline/analysis/engine.js';
import { type AnnotatedClip, annotatedClips, hasShared, sharedModels } from '../harness/clips.js';
import { readEvidence } from '../harness/evidence-text.js';
import { readGroundTruth } from '../harness/ground-truth.js';
import { groupCuts } from '../harness/measure-geometry.js';
import { openSheet } from '../harness/sheet.js';
import { type Measures, measure } from './measures.js';
import type { AnalysisJob } from './page/analyse.js';
import { qualitySection } from './quality-summary.js';
import { alwaysCentre, alwaysFit, oracle, pingPong } from './straw-plans.js';

const usage = `npm run bench:quality -- [NAME …] [--sets shipped,public] [--models DIR] [--reuse | --missing] [--no-straw]

Analyses and plans the annotated development clips and scores them against their ground truth.

  NAME        only clips whose name contains one of these
  --sets      which models: those that ship, the public ones, or both beside each other  (shipped)
  --models    folder with the public model files                       (../shared/models)
  --reuse     score the analyses of the last run again
  --missing   analyse only what the same model files have not analysed yet: a run that was cut short goes on
  --no-straw  leave out the straw plans
  --save-evidence  keep beside each analysis by what it was decided who speaks
  --replay    decide who speaks again, from kept evidence: seconds instead of an analysis

Results lie in out/quality/<set>/<clip>, in the files that the command line writes. Where both sets have been asked for,
the figures become a part of models/REPORT.md with the next npm run bench:models.`;

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

/** What a set of models is; what is not named is the library's default. */
type Models = NonNullable<AnalysisJob['models']>;
const sets: Readonly<Record<string, Models>> = {
  shipped: {},
  public: { faceDetector: 'yolov8n-face', speaker: 'lr-asd', shotDetector: 'model-free' },
};

/** One line of the table; `set` is empty for a straw plan. */
type Row = { readonly name: string; readonly set: string; readonly figures: Measures };

const sheet = openSheet('quality');
const out = sheet.folder;
/** Beside each analysis: the files that made it. */
const keyFile = 'analysed-by.txt';
const evidenceFile = 'evidence.json';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    models: { type: 'string', default: sharedModels },
    sets: { type: 'string', default: 'shipped' },
    reuse: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    straw: { type: 'boolean', default: true },
    'save-evidence': { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(usage);
else if (!hasShared()) console.log('The annotated clips (../shared/media) are not here: nothing to measure.');
else await main();

async function main(): Promise<void> {
  const asked = values.sets.split(',');
  const unknown = asked.find(set => !(set in sets));
  if (unknown) throw new Error(`--sets takes ${Object.keys(sets).join(', ')}, not ${unknown}.`);
  const clips = annotatedClips(join(out, 'hard')).filter(
    clip => !positionals.length || positionals.some(part => clip.name.includes(part)),
  );
  const rows: Row[] = [];
  let library: Awaited<ReturnType<typeof openLibraryPage>> | undefined;
  try {
    for (const clip of clips) {
      for (const set of asked) {
        const folder = join(out, set, clip.name);
        const isKept =
          values.reuse || values.replay || (values.missing && analysedBy(folder) === filesOf(sets[set]!));
        const result = isKept
          ? values.replay
            ? replay(folder)
            : readResult(folder)
          : await analyse((library ??= await openLibraryPage('analyse.html', 'bench/quality/page')), clip, {
              models: sets[set]!,
              folder,
            });
        const row = score(clip, set, result, folder);
        if (!isKept) writeFileSync(join(folder, keyFile), filesOf(sets[set]!));
        rows.push(row);
        console.error(line(row));
      }
      if (values.straw && /^(c\d|h\d|debate_cuts_mexcaR|film_friends)/.test(clip.name))
        rows.push(...strawRows(clip, readResult(join(out, asked[0]!, clip.name))));
    }
  } finally {
    await library?.close();
  }
  const titles = Object.fromEntries(columns.map(([key, title]) => [key, title]));
  const table = [
    line({ name: 'clip', set: '', figures: titles }),
    ...rows.map(line),
    ...asked.map(set => pooled(rows, set)),
  ];
  for (const text of table) sheet.say(text);
  for (const { name, set, figures } of rows) sheet.keep({ what: name, set, ...figures });
  sheet.save();
  const [ours, theirs] = ['shipped', 'public'].map(set => rows.filter(row => row.set === set));
  if (ours!.length && theirs!.length && !positionals.length) {
    const kept = join(root, 'out/models');
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, 'quality.json'), JSON.stringify(qualitySection(ours!, theirs!)));
  }
}

/** What tells one set of model files from another: their hashes. */
function filesOf({
  faceDetector = defaultFaceDetector,
  speaker = 'edge-speaker',
  shotDetector,
}: Models): string {
  const parts = ['visual', 'audio', 'backend'].map(part => `${speaker}-${part}`);
  const ids = [faceDetector, ...parts, ...(shotDetector === 'model-free' ? [] : ['edge-cuts']), 'silero-vad'];
  return ids.map(id => `${id} ${findModel(packagedManifest(), id).sha256}`).join('\n');
}

function analysedBy(folder: string): string | undefined {
  const path = join(folder, keyFile);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Plans a clip from its analysis, keeps both, and measures. */
function score(clip: AnnotatedClip, set: string, result: AnalysisResult, folder: string): Row {
  const plan = planCrop(result.parts, completePlanRequest(), {
    ...result.range,
    size: result.size,
    ...(result.speech && { speech: result.speech }),
  });
  write(folder, result, plan);
  const truth = readGroundTruth(clip.truth, clip.key);
  const measured = measure({ parts: result.parts, plan }, truth);
  return { name: clip.name, set, figures: { ...measured, cuts: groupCuts(truth.cuts).length } };
}

function strawRows(clip: AnnotatedClip, { parts, size }: AnalysisResult): Row[] {
  const truth = readGroundTruth(clip.truth, clip.key);
  const straws = {
    fit: alwaysFit(parts),
    centre: alwaysCentre(parts),
    'ping-pong': pingPong(parts),
    oracle: oracle(truth, { ...size, totalFrames: parts.scene_detection!.total_frames }),
  };
  return Object.entries(straws).map(([name, straw]) => ({
    name: `  straw: ${name}`,
    set: '',
    figures: measure(straw, truth),
  }));
}

async function analyse(
  library: Awaited<ReturnType<typeof openLibraryPage>>,
  clip: AnnotatedClip,
  { models, folder }: { readonly models: Models; readonly folder: string },
): Promise<AnalysisResult> {
  await library.page.setInputFiles('#file', clip.file);
  const job = { modelsUrl: library.urlOf(values.models), models, evidence: values['save-evidence'] };
  const { result, evidence } = await library.page.evaluate(asked => globalThis.analyseFile(asked), job);
  mkdirSync(folder, { recursive: true });
  if (evidence !== undefined) writeFileSync(join(folder, evidenceFile), evidence);
  return result;
}

function write(folder: string, result: AnalysisResult, plan: Plan): void {
  mkdirSync(folder, { recursive: true });
  for (const [part, value] of Object.entries(result.parts))
    writeFileSync(join(folder, `${part}.json`), JSON.stringify(value));
  writeFileSync(join(folder, 'crop_path.json'), JSON.stringify(plan));
  const { parts: _parts, ...envelope } = result;
  writeFileSync(join(folder, 'envelope.json'), JSON.stringify(envelope));
}

function readResult(folder: string): AnalysisResult {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const parts: Record<string, unknown> = {};
  for (const part of ['scene_detection', 'face_tracking_yolov8', 'active_speaker']) {
    if (existsSync(join(folder, `${part}.json`))) parts[part] = read(`${part}.json`);
  }
  return { ...read('envelope.json'), parts };
}

/** A kept analysis whose speakers are decided anew; as it is where no evidence was kept. */
function replay(folder: string): AnalysisResult {
  const result = readResult(folder);
  const file = join(folder, evidenceFile);
  const before = result.parts.active_speaker;
  if (!existsSync(file) || !before) return result;
  const decisions = decideSpeakers(readEvidence(readFileSync(file, 'utf8')));
  const clock = { frameRateHz: before.video_fps, totalFrames: before.total_frames };
  return { ...result, parts: { ...result.parts, active_speaker: toActiveSpeaker(decisions, clock) } };
}

function line({ name, set, figures }: Row): string {
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
  return `${name.slice(0, 34).padEnd(34)} ${set.padEnd(8)} ${cells.join(' ')}`;
}

/** Cuts of all clips together: misses and false ones add up, which a mean of F1 hides. */
function pooled(rows: readonly Row[], set: string): string {
  const real = rows.filter(row => row.set === set);
  const sum = (key: string) => real.reduce((total, { figures }) => total + Number(figures[key] ?? 0), 0);
  const [cuts, missed, wrong] = [sum('cuts'), sum('cuts_missed'), sum('cuts_false')];
  const hit = cuts - missed;
  return `${set}: pooled cuts at ±1: ${cuts} true, ${missed} missed, ${wrong} false, F1 ${((2 * hit) / (2 * hit + missed + wrong)).toFixed(3)}`;
}
