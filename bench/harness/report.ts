/** One figure with its interval over `n` groups (pictures, people, clips); without an interval where none is due. */
export type Row = {
  readonly measure: string;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  readonly n?: number;
  /** What the table says instead of the value. */
  readonly text?: string;
};

/** Figures of several models, side by side. */
export type Section = {
  readonly title: string;
  /** What was measured on what, in a sentence or two. */
  readonly note: string;
  /** By model; ours come first. */
  readonly columns: Readonly<Record<string, readonly Row[]>>;
};

/** Writes a section as a Markdown table: a line for each measure, a column for each model. */
export function toMarkdown({ title, note, columns }: Section): string {
  const names = Object.keys(columns);
  const measures = [...new Set(names.flatMap(name => columns[name]!.map(row => row.measure)))];
  const lines = measures.map(measure => {
    const cells = names.map(name => columns[name]!.find(row => row.measure === measure));
    return `| ${[measure, groupsOf(cells), ...cells.map(cellOf)].join(' | ')} |`;
  });
  const head = `| measure | n | ${names.join(' | ')} |`;
  const rule = `|---|--:|${names.map(() => '--:').join('|')}|`;
  return [`## ${title}`, '', note, '', head, rule, ...lines, ''].join('\n');
}

function cellOf(row: Row | undefined): string {
  if (!row) return '–';
  const { value, low, high, text } = row;
  if (text !== undefined) return text;
  if (low === undefined || high === undefined) return figure(value);
  return `${figure(value)} (${figure(low)}–${figure(high)})`;
}

const groupsOf = (cells: readonly (Row | undefined)[]): string => {
  const counts = new Set(cells.flatMap(row => row?.n ?? []));
  return [...counts].join(', ');
};

/** Three decimals below 10, which shares are; fewer above. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) < 10 ? 3 : 1).replace('-', '−');
}
