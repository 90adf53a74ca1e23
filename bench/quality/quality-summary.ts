import { bootstrap } from '../harness/bootstrap.js';
import type { Row, Section } from '../harness/report.js';
import type { Measures } from './measures.js';

/** The figures of one clip with one set of models. */
export type ClipFigures = { readonly name: string; readonly figures: Measures };

/** Both sets on one clip. */
type Pair = { readonly name: string; readonly ours: Measures; readonly theirs: Measures };

/** Shares that are averaged over the clips in which both sets could be judged. */
const means = {
  face_recall: 'faces found',
  speaking_acc: 'face frames judged right',
  owner_decided: 'one talker of several faces: decided for that face alone',
  false_speech: 'silent frames with a face marked (less is better)',
  speaker_framed: 'speaker framed',
  empty: 'frames with faces and none in the picture (less is better)',
  wide: 'wide frames',
  turn_latency_p50: 'seconds after a turn, median',
  false_switches_per_min: 'wrong changes a minute',
} as const;
/** Counts that add up. */
const sums = {
  cuts_missed: 'cuts missed',
  cuts_false: 'false cuts',
  id_switches: 'faces that changed their number',
};
/** What is told of each clip. */
const perClip = ['face_recall', 'speaking_acc', 'owner_decided', 'speaker_framed'] as const;

/** The whole pipeline with the models that ship beside the public ones; intervals resample clips, differences are paired. */
export function qualitySection(
  ours: readonly ClipFigures[],
  theirs: readonly ClipFigures[],
): Section['columns'] {
  const pairs = ours.flatMap(({ name, figures }): Pair[] => {
    const other = theirs.find(row => row.name === name);
    return other ? [{ name, ours: figures, theirs: other.figures }] : [];
  });
  const columns: Record<'shipped' | 'public' | 'shipped less public', Row[]> = {
    shipped: [],
    public: [],
    'shipped less public': [],
  };
  const add = (
    measure: string,
    judged: readonly Pair[],
    value: (figures: Measures) => number,
    isMean: boolean,
  ) => {
    const of = (figure: (pair: Pair) => number) => weighted(judged.map(figure), isMean);
    const row = (figure: (pair: Pair) => number): Row => ({ measure, ...of(figure), n: judged.length });
    columns.shipped.push(row(pair => value(pair.ours)));
    columns.public.push(row(pair => value(pair.theirs)));
    columns['shipped less public'].push(row(pair => value(pair.ours) - value(pair.theirs)));
  };
  for (const [key, measure] of Object.entries(means)) {
    const judged = pairs.filter(pair => isFigure(pair.ours[key]) && isFigure(pair.theirs[key]));
    if (judged.length) add(measure, judged, figures => Number(figures[key]), true);
  }
  for (const [key, measure] of Object.entries(sums))
    add(measure, pairs, figures => Number(figures[key] ?? 0), false);
  for (const pair of pairs) {
    const measure = `${pair.name}`;
    columns.shipped.push(ofClip(measure, pair.ours));
    columns.public.push(ofClip(measure, pair.theirs));
  }
  return columns;
}

const isFigure = (value: unknown): value is number => typeof value === 'number';

function weighted(values: readonly number[], isMean: boolean) {
  return bootstrap(values.length, weights => {
    const sum = values.reduce((total, value, i) => total + value * weights[i]!, 0);
    return isMean ? sum / values.length : sum;
  });
}

const ofClip = (measure: string, figures: Measures): Row => ({
  measure,
  value: Number.NaN,
  text: perClip.map(key => (isFigure(figures[key]) ? figures[key].toFixed(3) : '–')).join(' · '),
});
