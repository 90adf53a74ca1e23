import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLibraryPage, root } from '../../bin/browser.js';
import { type AnalysisResult, completePlanRequest, planCrop } from '../../src/index.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { defaultFaceDetector } from '../../src/pipeline/analysis/engine.js';
import {
  type AnnotatedClip,
  annotatedClips,
  hasShared,
  sharedModels,
  sharedSpeakerPack,
} from '../harness/clips.js';
import { readGroundTruth } from '../harness/ground-truth.js';
import { groupCuts } from '../harness/measure-geometry.js';
import { openSheet } from '../harness/sheet.js';
import { type KeptClip, tellAblation, tellLeftOut } from './ablation.js';
import { atHeight, sameSpeakersRatio, withMovedSound } from './altered-clips.js';
import { measureImitation } from './imitation.js';
import { keepAnalysis, keepEvidence, keptEvidence, readResult, replay } from './kept-analysis.js';
import { measure } from './measures.js';
import { type Half, halves } from './mixes/cast.js';
import { mixClips } from './mixes/mix-clips.js';
import type { AnalysisJob } from './page/analyse.js';
import { tellNoise } from './plans/noise-table.js';
import { tellPlanTime } from './plans/plan-time.js';
import { ourPlanner, plannerOf } from './plans/planner.js';
import { tellRules } from './plans/rule-table.js';
import { qualitySection } from './quality-summary.js';
import { line, type Row, tellRows } from './quality-table.js';
import { alwaysCentre, alwaysFit, alwaysStack, oracle, pingPong } from './straw-plans.js';

const usage = `npm run bench:quality -- [NAME …] [--mixes tune|judge] [--sets shipped,public] [--models DIR] [--reuse | --missing] [--no-straw]
       npm run bench:quality -- --plans [--against DIR]

Analyses and plans the annotated development clips and scores them against their ground truth.

  NAME        only clips whose name contains one of these
  --mixes     instead of the annotated clips, mixes of people unseen in training: the half that may be tuned to, or the
              half that only judges; clips, truths and contact sheets are made in out/quality/mixes
  --sets      which models: those that ship, the public ones, or both beside each other  (shipped)
  --models    folder with the public model files                       (../shared/models)
  --reuse     score the analyses of the last run again
  --missing   analyse only what the same model files have not analysed yet: a run that was cut short goes on
  --no-straw  leave out the straw plans
  --save-evidence  keep beside each analysis by what it was decided who speaks
  --replay    decide who speaks again, from kept evidence: seconds instead of an analysis
  --move N,…  each clip once more with its sound moved by N frames (-8,-4,4,8), in place of the clip
  --heights N,…  how alike the decisions are when each clip is scaled to N lines (360,720): share of frames
  --ablate    from kept evidence: what each part of the decision is worth, and constants chosen without a clip
  --plans     the planner alone: a scene a rule, wrong evidence, plan time; figures lie in out/quality/plans
  --against   another checkout whose planner is measured beside it
  --imitation how much our speaker model agrees with LR-ASD: on unseen faces, and on these clips where evidence of both
              sets is kept; figures lie in out/quality/imitation

Results lie in out/quality/<set>/<clip>, in the files that the command line writes. Where both sets have been asked for,
the figures become a part of models/REPORT.md with the next npm run bench:models. Figures of mixes, by kind as well, lie in
out/quality/mixes-tune and mixes-judge.`;

/** What a set of models is; what is not named is the library's default. */
type Models = NonNullable<AnalysisJob['models']>;
const sets: Readonly<Record<string, Models>> = {
  shipped: {},
  public: { faceDetector: 'yolov8n-face', speaker: 'lr-asd', shotDetector: 'model-free' },
};

const out = join(root, 'out/quality');
/** Beside each analysis: the files that made it. */
const keyFile = 'analysed-by.txt';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    mixes: { type: 'string' },
    models: { type: 'string', default: sharedModels },
    sets: { type: 'string', default: 'shipped' },
    reuse: { type: 'boolean', default: false },
    missing: { type: 'boolean', default: false },
    straw: { type: 'boolean', default: true },
    'save-evidence': { type: 'boolean', default: false },
    replay: { type: 'boolean', default: false },
    move: { type: 'string' },
    heights: { type: 'string' },
    ablate: { type: 'boolean', default: false },
    imitation: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    against: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

const sheet = openSheet(roomOf());

if (values.help) console.log(usage);
else if (values.plans) {
  const planners = [...(values.against === undefined ? [] : [await plannerOf(values.against)]), ourPlanner];
  tellRules(sheet, planners);
  tellNoise(sheet, planners, out);
  tellPlanTime(sheet, planners);
  sheet.save();
} else if (!hasShared())
  console.log('The annotated clips (../shared/media) are not here: nothing to measure.');
else if ((values.imitation || values.mixes !== undefined) && !existsSync(sharedSpeakerPack))
  console.log('The face tracks (../shared/data/av) are not here: nothing to mix or to compare.');
else if (values.imitation) {
  await measureImitation({
    sheet,
    pack: sharedSpeakerPack,
    cache: join(root, 'out/models/embeddings'),
    modelFolders: [join(root, 'models')],
    analyses: out,
    clips: clipsAskedFor().map(({ name }) => name),
  });
  sheet.save();
} else if (values.ablate) ablate();
else if (values.heights) await compareHeights(values.heights.split(',').map(Number));
else await main();

/** How alike decisions are on a clip and on the same clip with fewer lines. */
async function compareHeights(heights: readonly number[]): Promise<void> {
  const library = await openLibraryPage('analyse.html', 'bench/quality/page');
  try {
    for (const clip of clipsAskedFor()) {
      const analysed = (of: AnnotatedClip) =>
        analyse(library, of, { models: sets.shipped!, folder: join(out, 'altered', of.name) });
      const whole = await analysed(clip);
      for (const height of heights) {
        const small = await analysed(atHeight(clip, height, join(out, 'altered')));
        const same = sameSpeakersRatio(whole.parts, small.parts);
        sheet.say(
          `${clip.name} at ${height} lines: the same faces speak in ${(100 * same).toFixed(2)} % of frames`,
        );
        sheet.keep({ what: clip.name, height, same });
      }
    }
  } finally {
    await library.close();
    sheet.save();
  }
}

/** Tables of what the decision is made of, on the clips whose evidence was kept. */
function ablate(): void {
  for (const set of values.sets.split(',')) {
    const kept = clipsAskedFor().flatMap((clip): KeptClip[] => {
      const folder = join(out, set, clip.name);
      const evidence = keptEvidence(folder);
      if (!evidence) return [];
      const truth = readGroundTruth(clip.truth, clip.key);
      return [{ name: clip.name, result: readResult(folder), evidence, truth }];
    });
    sheet.say(
      `${kept.length} clips with evidence of the ${set} models; shares of frames in which one of several is right`,
    );
    tellAblation(sheet, kept);
    sheet.say();
    tellLeftOut(sheet, kept);
  }
  sheet.save();
}

async function main(): Promise<void> {
  const asked = values.sets.split(',');
  const unknown = asked.find(set => !(set in sets));
  if (unknown) throw new Error(`--sets takes ${Object.keys(sets).join(', ')}, not ${unknown}.`);
  const clips = clipsAskedFor();
  const rows: Row[] = [];
  let library: Awaited<ReturnType<typeof openLibraryPage>> | undefined;
  try {
    for (const clip of clips) {
      for (const set of asked) {
        const folder = join(out, set, clip.name);
        const isKept =
          values.reuse || values.replay || (values.missing && analysedBy(folder) === madeFrom(clip, set));
        const result = isKept
          ? values.replay
            ? replay(folder)
            : readResult(folder)
          : await analyse((library ??= await openLibraryPage('analyse.html', 'bench/quality/page')), clip, {
              models: sets[set]!,
              folder,
            });
        const row = {
          ...score(clip, set, result, folder),
          ...(clip.kind !== undefined && { kind: clip.kind }),
        };
        if (!isKept) writeFileSync(join(folder, keyFile), madeFrom(clip, set));
        rows.push(row);
        console.error(line(row));
      }
      if (values.straw && /^(c\d|h\d|debate_cuts_mexcaR|film_friends)/.test(clip.name))
        rows.push(...strawRows(clip, readResult(join(out, asked[0]!, clip.name))));
    }
  } finally {
    await library?.close();
  }
  tellRows(sheet, rows, asked);
  sheet.save();
  if (values.mixes !== undefined) return;
  const [ours, theirs] = ['shipped', 'public'].map(set => rows.filter(row => row.set === set));
  if (ours!.length && theirs!.length && !positionals.length) {
    const kept = join(root, 'out/models');
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, 'quality.json'), JSON.stringify(qualitySection(ours!, theirs!)));
  }
}

/** The annotated clips or one half of the mixes, as far as they are named. */
function clipsAskedFor(): readonly (AnnotatedClip & { readonly kind?: string })[] {
  const isWanted = (name: string) => !positionals.length || positionals.some(part => name.includes(part));
  if (values.mixes !== undefined) return mixClips(join(out, 'mixes'), halfOf(values.mixes), isWanted);
  const asked = annotatedClips(join(out, 'hard')).filter(({ name }) => isWanted(name));
  const moves = values.move?.split(',').map(Number);
  return moves
    ? asked.flatMap(clip => moves.map(by => withMovedSound(clip, by, join(out, 'altered'))))
    : asked;
}

function roomOf(): string {
  if (values.plans) return 'quality/plans';
  if (values.ablate) return 'quality/ablation';
  if (values.imitation) return 'quality/imitation';
  return values.mixes === undefined ? 'quality' : `quality/mixes-${halfOf(values.mixes)}`;
}

function halfOf(given: string): Half {
  const half = halves.find(name => name === given);
  if (!half) throw new Error(`--mixes takes ${halves.join(' or ')}, not ${given}.`);
  return half;
}

/** What an analysis depends on: model files, and what a mix is. */
function madeFrom({ truth, kind }: AnnotatedClip & { readonly kind?: string }, set: string): string {
  if (kind === undefined) return filesOf(sets[set]!);
  return `${filesOf(sets[set]!)}\nmix ${createHash('sha256').update(readFileSync(truth)).digest('hex')}`;
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
  keepAnalysis(folder, result, plan);
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
    'always stack': alwaysStack(parts),
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
  if (evidence !== undefined) keepEvidence(folder, evidence);
  return result;
}
