import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { createSceneCutModel, type SceneCutModel } from '../../src/inference/scene-cuts.js';
import { openSession } from '../../src/inference/session.js';
import { type SpeakerFamily, speakerFamilies } from '../../src/pipeline/engine-options.js';
import { annotatedClips, hasShared } from '../harness/clips.js';
import type { Row } from '../harness/report.js';
import { evaluateCost } from './cost/evaluate-cost.js';
import { evaluateJob, evaluatePackage } from './cost/evaluate-job.js';
import { evaluateCuts, findCutsWith, findCutsWithoutModel } from './cuts/evaluate-cuts.js';
import { type EvaluatedModel, findModels, openSpeakerFamily, readStandIn } from './evaluated-models.js';
import { type Kept, toReport } from './evaluation-report.js';
import { evaluateFaces } from './faces/evaluate-faces.js';
import { compareSpeakers, evaluateSpeakers } from './speakers/evaluate-speakers.js';

const usage = `npm run bench:models -- [--only PART,…] [--model ID,…] [--also ID=FILE] [--models DIR] [--quick]

Measures the models that ship, and the public ones where they are, through the library's own inference code.

  --only    parts to measure: faces, cuts, speakers, cost, job, package, or none of them  (all)
            the others keep their last figures
  --model   models to measure, by their ids in the manifest        (all that are here)
  --also    ID=FILE: a file measured as that model is, under its own name; may be given again
  --models  folder with the public model files                     (../shared/models, else models/cache)
  --quick   every eighth picture only, and no report

The report is written to models/REPORT.md, figures and detections are kept in out/models.`;

const shared = join(root, '../shared');
const out = join(root, 'out/models');
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    model: { type: 'string' },
    models: { type: 'string' },
    also: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const folders = [
  join(root, 'models'),
  ...(values.models ? [values.models] : [join(shared, 'models'), join(root, 'models/cache')]),
];

const onOneThread = { device: 'wasm', threads: 1 } as const;

/** A part of the report: which models it is about, and how they are measured. */
type Part = {
  readonly isAbout: (model: EvaluatedModel) => boolean;
  /** Development data that it needs; it is left out where they are not. */
  readonly needs?: string;
  readonly measure: (models: readonly EvaluatedModel[]) => Promise<Record<string, readonly Row[]>>;
};

const facePack = join(shared, 'data/faces');
const speakerPack = join(shared, 'data/av');
/** The clip whose job is timed: two people in one picture, Full HD. */
const timedClip = 'c1_two_up_turns';
const parts: Readonly<Record<string, Part>> = {
  faces: {
    needs: facePack,
    // The variants with raw heads are the same networks.
    isAbout: ({ entry, id }) => entry.task === 'face-detection' && !id.endsWith('-heads'),
    measure: models =>
      each(models, model =>
        evaluateFaces(model, { pack: facePack, cache: out, every: values.quick ? 8 : 1, onProgress: show }),
      ),
  },
  cuts: { isAbout: ({ entry }) => entry.task === 'scene-cuts', measure: measureCuts },
  speakers: {
    needs: speakerPack,
    isAbout: ({ entry }) => entry.task === 'active-speaker-visual',
    measure: measureSpeakers,
  },
  cost: {
    // The speech gates branch inside of the graph, where nothing is counted.
    isAbout: ({ entry, id }) => entry.task !== 'speech-probability' && !id.endsWith('-heads'),
    measure: models => evaluateCost(models, folders),
  },
  job: {
    needs: join(shared, 'media'),
    isAbout: () => false,
    measure: async () => {
      const clip = annotatedClips(join(root, 'out/quality/hard')).find(({ name }) => name === timedClip)!;
      return evaluateJob(clip.file, join(shared, 'models'), join(out, 'job'));
    },
  },
  package: {
    needs: join(root, 'dist'),
    isAbout: () => false,
    measure: async () => evaluatePackage(),
  },
};

async function main(): Promise<void> {
  const asked = values.only === undefined ? Object.keys(parts) : values.only.split(',').filter(Boolean);
  const unknown = asked.find(name => !(name in parts));
  if (unknown) throw new Error(`--only takes ${Object.keys(parts).join(', ')}, not ${unknown}.`);
  const wanted = values.model?.split(',');
  const models = findModels(folders)
    .filter(({ id }) => !wanted || wanted.includes(id))
    .concat(values.also.map(readStandIn))
    .sort((a, b) => Number(b.isOurs) - Number(a.isOurs));
  mkdirSync(out, { recursive: true });
  for (const [name, { isAbout, needs, measure }] of Object.entries(parts)) {
    if (!asked.includes(name)) continue;
    if (needs && !existsSync(needs)) {
      console.log(`${name}: ${needs} is not here.`);
      continue;
    }
    const now = await measure(models.filter(isAbout));
    writeFileSync(keptFile(name), JSON.stringify({ ...kept(name), ...now }));
  }
  const report = toReport(kept);
  console.log(report);
  if (!values.quick) writeFileSync(join(root, 'models/REPORT.md'), report);
}

const keptFile = (part: string) => join(out, `${part}${values.quick ? '-quick' : ''}.json`);

/** The last figures of a part. */
function kept(part: string): Kept {
  const file = keptFile(part);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : {};
}

/** The finder without a model beside those with one. */
async function measureCuts(models: readonly EvaluatedModel[]): Promise<Record<string, readonly Row[]>> {
  const opened: SceneCutModel[] = [];
  for (const { id, bytes } of models)
    opened.push(createSceneCutModel(await openSession(bytes, id, onOneThread), id));
  const finders = Object.fromEntries(opened.map(model => [model.name, findCutsWith(model)]));
  try {
    return await evaluateCuts(
      { ...finders, 'without a model': findCutsWithoutModel },
      {
        cache: join(out, 'thumbnails'),
        pictures: facePack,
        perKind: values.quick ? 1 : 8,
        hasShared: hasShared(),
        onProgress: show,
      },
    );
  } finally {
    await Promise.all(opened.map(model => model.close()));
  }
}

/** Each family under its own name; the first of ours also against LR-ASD on the same windows. */
async function measureSpeakers(models: readonly EvaluatedModel[]): Promise<Record<string, readonly Row[]>> {
  const all = findModels(folders);
  const open = (family: SpeakerFamily) => openSpeakerFamily(all, family);
  const golden = join(shared, 'golden');
  const options = { open, golden, pack: speakerPack, cache: join(out, 'embeddings'), onProgress: show };
  const families = speakerFamilies.filter(family => models.some(({ id }) => id === `${family}-visual`));
  const columns: Record<string, readonly Row[]> = {};
  for (const family of families) columns[family] = await evaluateSpeakers(family, options);
  if (families.includes('edge-speaker') && all.some(({ id }) => id === 'lr-asd-visual'))
    columns['edge-speaker'] = [
      ...columns['edge-speaker']!,
      ...(await compareSpeakers(['edge-speaker', 'lr-asd'], options)),
    ];
  return columns;
}

async function each(
  models: readonly EvaluatedModel[],
  measure: (model: EvaluatedModel) => Promise<Row[]>,
): Promise<Record<string, Row[]>> {
  const columns: Record<string, Row[]> = {};
  for (const model of models) columns[model.id] = await measure(model);
  return columns;
}

/** A line that the next one replaces. */
function show(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
}

if (values.help) console.log(usage);
else await main();
