import type { Row } from '../harness/report.js';

/** What a figure of ours should reach. */
export type Aim = {
  /** Part of the evaluation, our column in it, and the measure. */
  readonly part: string;
  readonly column: string;
  readonly measure: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** What is compared: the figure itself, the lower end of its interval, or the gap to another column. */
  readonly by?: 'value' | 'low' | { readonly lessThan: string };
  /** Why this number. */
  readonly origin: string;
};

const yunet = 'YuNet’s figure';
const faces = (measure: string, atLeast: number, origin: string): Aim => ({
  part: 'faces',
  column: 'edge-face',
  measure,
  atLeast,
  origin,
});
const cuts = (measure: string, bound: Pick<Aim, 'atLeast' | 'atMost'>, origin: string): Aim => ({
  part: 'cuts',
  column: 'edge-cuts',
  measure,
  ...bound,
  origin,
});
const speakers = (measure: string, bound: Pick<Aim, 'atLeast' | 'atMost' | 'by'>, origin: string): Aim => ({
  part: 'speakers',
  column: 'edge-speaker',
  measure,
  ...bound,
  origin,
});
const gain = 'two mouths, 2AFC 1 s: score: edge-speaker less lr-asd';
const decided = 'two mouths, 2AFC 1 s: score, contrast and sync: edge-speaker less lr-asd';

/** What this project wants of its models. */
export const aims: readonly Aim[] = [
  faces('AP50 gold @640', 0.971, yunet),
  faces('AP50 gold @320', 0.943, yunet),
  faces('AP50 val @640', 0.945, yunet),
  faces('AP50 val @320', 0.803, yunet),
  faces('recall ≥ 48 px at 0.45, val @640', 0.98, 'a large face that is missed is missed on screen'),
  {
    ...faces('AP50 val video @640', -0.02, 'YOLOv8n-face less 0.02'),
    by: { lessThan: 'yolov8n-face' },
  },
  cuts('media: hard cuts, F1 ±1', { atLeast: 0.98 }, 'one cut in fifty'),
  cuts('media: wrong boundaries in 5 minutes', { atMost: 1 }, 'seen as a jump of the camera'),
  cuts('generated: hard cuts, F1 ±1', { atLeast: 0.98 }, 'one cut in fifty'),
  speakers('(c) speaking or quiet face, own sound, AUC 1 s', { atLeast: 0.98 }, 'near LR-ASD'),
  speakers('(c) speaking or quiet face with foreign speech, AUC 1 s', { atLeast: 0.98 }, 'near LR-ASD'),
  speakers('several faces, hand labels, frames AUC', { atLeast: 0.95 }, 'near LR-ASD'),
  ...['silence', 'faint noise', 'white noise', 'music', 'still photo'].map(name =>
    speakers(`frames speaking: ${name}`, { atMost: 0.03 }, 'nobody speaks'),
  ),
  ...['silence', 'faint noise', 'white noise', 'music', 'still photo'].map(name =>
    speakers(`unseen talkers, frames speaking: ${name}`, { atMost: 0.03 }, 'nobody speaks'),
  ),
  speakers(gain, { atLeast: 0.05 }, 'better than LR-ASD where two mouths move'),
  speakers(gain, { atLeast: 0, by: 'low' }, 'and not by chance'),
  speakers(decided, { atLeast: 0.05 }, 'the same as the product decides'),
  speakers(decided, { atLeast: 0, by: 'low' }, 'and not by chance'),
];

/** A line of a table for each aim whose figure is known. */
export function aimsTable(columnsOf: (part: string) => Readonly<Record<string, readonly Row[]>>): string {
  const lines = aims.flatMap(aim => {
    const columns = columnsOf(aim.part);
    const find = (column: string) => columns[column]?.find(({ measure }) => measure === aim.measure);
    const row = find(aim.column);
    if (!row) return [];
    const { by = 'value' } = aim;
    const rival = typeof by === 'object' ? find(by.lessThan) : undefined;
    if (typeof by === 'object' && !rival) return [];
    const figure = by === 'low' ? (row.low ?? row.value) : row.value - (rival?.value ?? 0);
    const holds = figure >= (aim.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (aim.atMost ?? Infinity);
    const wanted = aim.atLeast === undefined ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`;
    const what = `${aim.measure}${by === 'low' ? ', lower end' : ''}${rival ? ' less YOLOv8n-face' : ''}`;
    return [`| ${what} | ${aim.origin} | ${wanted} | ${figure.toFixed(3)} | ${holds ? 'yes' : '**no**'} |`];
  });
  const head = ['| figure of ours | why | aim | reached | holds |', '|---|---|--:|--:|---|'];
  return ['## Aims', '', ...head, ...lines, ''].join('\n');
}
