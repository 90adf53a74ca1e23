import { type Row, type Section, toMarkdown } from '../harness/report.js';
import { aimsTable } from './evaluation-aims.js';

/** Figures of a part of the evaluation by column; empty where it was never measured. */
export type Kept = Section['columns'];

/** One table of the report, filled from the parts that were measured. */
type Table = { readonly part: string; readonly title: string; readonly note: string; readonly cost?: CostOf };
/** The models whose costs add up to those of a column. */
type CostOf = (column: string) => readonly string[];

const interval = 'Intervals: 95 %, bootstrap';
const tables: readonly Table[] = [
  {
    part: 'faces',
    title: 'Faces',
    note:
      'Pictures of the face pack’s `val` split (gold ones are among them), average precision at IoU 0.5 by the rules of ' +
      `its README; longer sides of the input 640 and 320. ${interval} by picture. A run is a 640×384 picture.`,
    cost: column => [column],
  },
  {
    part: 'cuts',
    title: 'Scene cuts',
    note:
      'The annotated clips of cuts, talking and composites (gradual transitions there are not judged), and clips made of ' +
      'a fixed seed, whose lengths of transitions, wipes and graphics no training has. Counts at ±1 frame. ' +
      `${interval} by clip. A run is a window of 100 frames, of which the middle 50 count.`,
    cost: column => [column],
  },
  {
    part: 'speakers',
    title: 'Active speaker',
    note:
      'The reference lines of the speaker pack on people that ours was not trained on, windows of one second, and the ' +
      `negative cases. ${interval} by person, of differences paired. The negative cases of one stored clip have none. ` +
      'A run is one second of one face and of the sound, through all three files.',
    cost: column => ['visual', 'audio', 'backend'].map(part => `${column}-${part}`),
  },
  {
    part: 'quality',
    title: 'The whole analysis',
    note:
      '`npm run bench:quality -- --sets shipped,public`: the annotated clips and the three hard ones through the whole ' +
      'pipeline. Public: YOLOv8n-face, LR-ASD, cuts without a model. Means of the clips in which both could be judged; ' +
      `${interval} by clip, of differences paired. Per clip: faces found · face frames judged right · one talker of ` +
      'several faces decided · speaker framed.',
  },
  {
    part: 'job',
    title: 'A whole job',
    note:
      '`npm run reframe` on the first seconds of `c1_two_up_turns` (1920×1080, two faces) on two cores, wasm: each set ' +
      'twice, by turns, the quicker run. Stages run beside each other and their work adds up to more than the job.',
  },
  { part: 'package', title: 'The package', note: '`npm pack --dry-run` after `npm run build`, in bytes.' },
];

const head = `# How good the models are

Written by \`npm run bench:models\`, which runs every model through this library's own code on onnxruntime-web (wasm).
Names that begin with \`edge-\` are ours and ship; the others are public models, for comparison. Times are the fastest of
36 runs in Node, three rounds of 12; a busy machine makes them longer.
`;

/**
 * The report as Markdown.
 *
 * @param kept - The figures of a part.
 */
export function toReport(kept: (part: string) => Kept): string {
  const costs = kept('cost');
  const sections = tables.flatMap(({ part, title, note, cost }) => {
    const columns = Object.entries(kept(part));
    if (!columns.length) return [];
    const whole = columns
      .map(([name, rows]): [string, readonly Row[]] => [
        name,
        [...rows, ...summed(costs, cost?.(name) ?? [])],
      ])
      .sort(([a], [b]) => Number(b.startsWith('edge-')) - Number(a.startsWith('edge-')));
    return [toMarkdown({ title, note, columns: Object.fromEntries(whole) })];
  });
  return [head, aimsTable(kept), ...sections].join('\n');
}

/** Costs of models that run together; none unless all are known. */
function summed(costs: Kept, ids: readonly string[]): Row[] {
  const all = ids.map(id => costs[id]);
  const [first] = all;
  if (!first || all.some(rows => !rows)) return [];
  return first.map(({ measure }) => ({
    measure,
    value: all.reduce((sum, rows) => sum + (rows!.find(row => row.measure === measure)?.value ?? 0), 0),
  }));
}
