import type { Sheet } from '../harness/sheet.js';
import type { Measures } from './measures.js';
import { mixesTable, summariseMixes } from './mixes/mixes-summary.js';

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
  ['speaker_large', 'large'],
  ['empty', 'empty'],
  ['wide', 'wide'],
  ['turn_latency_p50', 'lat50'],
  ['turn_latency_p90', 'lat90'],
  ['false_switches_per_min', 'fsw'],
  ['flips_per_min', 'flips'],
  ['reversals_per_s', 'rev'],
  ['late_plan_changes', 'late'],
] as const;

/** One line of the table; `set` is empty for a straw plan, `kind` is that of a mix. */
export type Row = {
  readonly name: string;
  readonly set: string;
  readonly figures: Measures;
  readonly kind?: string;
};

/** Writes every row, the cuts of each set together, and mixes by kind. */
export function tellRows(sheet: Sheet, rows: readonly Row[], sets: readonly string[]): void {
  sheet.say(line({ name: 'clip', set: '', figures: Object.fromEntries(columns) }));
  for (const row of rows) {
    const { name, set, kind, figures } = row;
    sheet.say(line(row));
    sheet.keep({ what: name, set, ...(kind && { kind }), ...figures });
  }
  // Most mixes have no cut.
  if (rows.some(({ figures }) => figures.cuts)) for (const set of sets) sheet.say(pooled(rows, set));
  for (const set of sets) sayByKind(sheet, rows, set);
}

function sayByKind(sheet: Sheet, rows: readonly Row[], name: string): void {
  const mixes = rows.flatMap(({ set, kind, figures }) => (set === name && kind ? [{ kind, figures }] : []));
  if (!mixes.length) return;
  const summary = summariseMixes(mixes);
  for (const text of ['', ...mixesTable(name, summary)]) sheet.say(text);
  for (const { kind, clips, means } of summary)
    sheet.keep({ what: `kind: ${kind}`, set: name, clips, ...means });
}

/** A row as text of fixed columns. */
export function line({ name, set, figures }: Row): string {
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
