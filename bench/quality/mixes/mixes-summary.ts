import type { Measures } from '../measures.js';

/** The figures of one mix. */
export type MixFigures = { readonly kind: string; readonly figures: Measures };

/** What is told of each kind: shares, as means over the clips in which they could be judged. */
const shares = [
  ['face_recall', 'recall'],
  ['speaking_acc', 'speak'],
  ['owner_acc', 'highest'],
  ['owner_decided', 'owner'],
  ['false_speech', 'false'],
  ['speaker_framed', 'framed'],
  ['wide', 'wide'],
  ['turn_latency_p50', 'lat50'],
  ['false_switches_per_min', 'fsw'],
] as const;

export type KindSummary = { readonly kind: string; readonly clips: number; readonly means: Measures };

/** Means by kind, in the order of first appearance, and over all clips (`all`). */
export function summariseMixes(rows: readonly MixFigures[]): KindSummary[] {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const groups = [
    ...kinds.map(kind => ({ kind, own: rows.filter(row => row.kind === kind) })),
    { kind: 'all', own: rows },
  ];
  return groups.map(({ kind, own }) => ({
    kind,
    clips: own.length,
    means: Object.fromEntries(shares.map(([key]) => [key, mean(own.map(({ figures }) => figures[key]))])),
  }));
}

/** The summary as a table of fixed columns. */
export function mixesTable(set: string, summary: readonly KindSummary[]): string[] {
  const cells = (values: readonly string[]) => values.map(value => value.padStart(7)).join(' ');
  return [
    `${set.padEnd(22)} clips ${cells(shares.map(([, title]) => title))}`,
    ...summary.map(({ kind, clips, means }) => {
      const values = shares.map(([key]) => {
        const value = means[key];
        return typeof value === 'number' ? value.toFixed(3) : '–';
      });
      return `${kind.padEnd(22)} ${String(clips).padStart(5)} ${cells(values)}`;
    }),
  ];
}

function mean(values: readonly unknown[]): number | null {
  const known = values.filter(value => typeof value === 'number');
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
}
