import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../bin/browser.js';
import { createSpeakerModel } from '../src/inference/lr-asd.js';
import { createSceneCutModel, type SceneCutModel } from '../src/inference/scene-cuts.js';
import { openSession } from '../src/inference/session.js';
import { type SpeakerFamily, speakerFamilies } from '../src/pipeline/engine-options.js';
import { hasShared } from './clips.js';
import { evaluateCost } from './evaluate-cost.js';
import { evaluateCuts, findCutsWith, findCutsWithoutModel } from './evaluate-cuts.js';
import { evaluateFaces } from './evaluate-faces.js';
import { compareSpeakers, evaluateSpeakers } from './evaluate-speakers.js';
import { type EvaluatedModel, findModels, readStandIn } from './evaluated-models.js';
import { type Row, type Section, toMarkdown } from './report.js';

const usage = `npm run models:evaluate -- [--only PART,…] [--model ID,…] [--also ID=FILE] [--models DIR] [--quick]

Measures the models that ship, and the public ones where they are, through the library's own inference code.

  --only    parts to measure: faces, cuts, speakers, cost  (all); the others keep their last figures
  --model   models to measure, by their ids in the manifest        (all that are here)
  --also    ID=FILE: a file measured as that model is, under its own name; may be given again
  --models  folder with the public model files                     (../shared/models, else models/cache)
  --quick   every eighth picture only, and no report

The report is written to models/REPORT.md, figures and detections are kept in out/evaluate.`;

const shared = join(root, '../shared');
const out = join(root, 'out/evaluate');
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
type Part = Omit<Section, 'columns'> & {
  readonly isAbout: (model: EvaluatedModel) => boolean;
  /** Development data that it needs; it is left out where they are not. */
  readonly needs?: string;
  readonly measure: (models: readonly EvaluatedModel[]) => Promise<Record<string, readonly Row[]>>;
};

const facePack = join(shared, 'data/faces');
const speakerPack = join(shared, 'data/av');
const parts: Readonly<Record<string, Part>> = {
  faces: {
    title: 'Faces',
    note:
      'Pictures of the face pack’s `val` split (gold ones are among them), average precision at IoU 0.5 by the rules of ' +
      'its README; input sides 640 and 320. Intervals: 95 %, by picture.',
    needs: facePack,
    // The variants with raw heads are the same networks.
    isAbout: ({ id, entry }) => entry.task === 'face-detection' && !id.endsWith('-heads'),
    measure: models =>
      each(models, model =>
        evaluateFaces(model, { pack: facePack, cache: out, every: values.quick ? 8 : 1, onProgress: show }),
      ),
  },
  cuts: {
    title: 'Scene cuts',
    note:
      'The annotated clips of cuts, talking and composites (gradual transitions there are not judged), and clips made of ' +
      'a fixed seed, whose lengths of transitions, wipes and graphics no training has. Counts at ±1 frame. Intervals: 95 %, by clip.',
    isAbout: ({ entry }) => /cuts|transnet/.test(entry.id),
    measure: measureCuts,
  },
  speakers: {
    title: 'Active speaker',
    note:
      'The reference lines of the speaker pack on people that ours was not trained on, windows of one second, and the ' +
      'stored negative cases. Intervals: 95 %, by person.',
    needs: speakerPack,
    isAbout: ({ id }) => id.endsWith('-visual'),
    measure: measureSpeakers,
  },
  cost: {
    title: 'Cost',
    note:
      'One run: a 640×384 picture for faces, one second of one face or of sound for speakers. Times are the fastest of ' +
      '12 runs in Node; a busy machine makes them longer.',
    // The speech gates branch inside of the graph, where nothing is counted.
    isAbout: ({ id, entry }) => entry.task !== 'speech-probability' && !id.endsWith('-heads'),
    measure: models => evaluateCost(models, folders),
  },
};

async function main(): Promise<void> {
  const asked = values.only?.split(',') ?? Object.keys(parts);
  const unknown = asked.find(name => !(name in parts));
  if (unknown) throw new Error(`--only takes ${Object.keys(parts).join(', ')}, not ${unknown}.`);
  const wanted = values.model?.split(',');
  const models = findModels(folders)
    .filter(({ id }) => !wanted || wanted.includes(id))
    .concat(values.also.map(readStandIn))
    .sort((a, b) => Number(b.isOurs) - Number(a.isOurs));
  mkdirSync(out, { recursive: true });
  const report: string[] = [];
  for (const [name, { isAbout, needs, measure, title, note }] of Object.entries(parts)) {
    const kept = join(out, `${name}${values.quick ? '-quick' : ''}.json`);
    const before = existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as Section['columns']) : {};
    const isHere = !needs || existsSync(needs);
    if (asked.includes(name) && !isHere) console.log(`${title}: ${needs} is not here.`);
    const now = asked.includes(name) && isHere ? await measure(models.filter(isAbout)) : {};
    const columns = { ...now, ...Object.fromEntries(Object.entries(before).filter(([id]) => !(id in now))) };
    writeFileSync(kept, JSON.stringify(columns));
    if (Object.keys(columns).length) report.push(toMarkdown({ title, note, columns: oursFirst(columns) }));
  }
  console.log(report.join('\n'));
  if (!values.quick) writeFileSync(join(root, 'models/REPORT.md'), [head, ...report].join('\n'));
}

const head = `# How good the models are

Written by \`npm run models:evaluate\`, which runs every model through this library's own code on onnxruntime-web (wasm).
Names that begin with \`edge-\` are ours and ship; the others are public models, for comparison.
`;

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
  const open = async (family: SpeakerFamily) => {
    const part = (name: string) => {
      const { id, bytes } = all.find(model => model.id === `${family}-${name}`)!;
      return openSession(bytes, id, onOneThread);
    };
    return createSpeakerModel({
      family,
      visual: await part('visual'),
      audio: await part('audio'),
      backend: await part('backend'),
    });
  };
  const golden = join(shared, 'golden');
  const options = { open, golden, pack: speakerPack, cache: join(out, 'embeddings'), onProgress: show };
  const families = speakerFamilies.filter(family => models.some(({ id }) => id === `${family}-visual`));
  const columns: Record<string, readonly Row[]> = {};
  for (const family of families) columns[family] = await evaluateSpeakers(family, options);
  if (families.includes('edge-speaker') && families.includes('lr-asd'))
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

const oursFirst = (columns: Section['columns']): Section['columns'] =>
  Object.fromEntries(
    Object.entries(columns).sort(([a], [b]) => Number(b.startsWith('edge-')) - Number(a.startsWith('edge-'))),
  );

/** A line that the next one replaces. */
function show(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
}

if (values.help) console.log(usage);
else await main();
