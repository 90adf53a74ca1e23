import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bin/browser.js';

/** A row of figures; `what` says of what they are. */
export type FigureRow = { readonly what: string; readonly [figure: string]: unknown };

/** A table that is printed as it grows and kept in `out/<room>`: `table.txt` as it is read, `figures.json` unrounded. */
export type Sheet = {
  /** Where both files lie, and what else a bench keeps. */
  readonly folder: string;
  say(line?: string): void;
  keep(row: FigureRow): void;
  /** Writes both files; in `finally`, so that a bench that fails keeps what it had. */
  save(): void;
};

/** @param room - Folder of `bench` that the figures are of. */
export function openSheet(room: string): Sheet {
  const folder = join(root, 'out', room);
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  const rows: FigureRow[] = [];
  return {
    folder,
    say(line = '') {
      console.log(line);
      lines.push(line);
    },
    keep: row => void rows.push(row),
    save() {
      writeFileSync(join(folder, 'table.txt'), `${lines.join('\n')}\n`);
      writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(rows, undefined, 1)}\n`);
    },
  };
}
