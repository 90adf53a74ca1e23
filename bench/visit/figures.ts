import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was measured, told at once and kept beside the pictures, as text and as JSON. */
export type Figures = {
  readonly out: string;
  say(what: string, value: string): void;
};

export function createFigures(out: string, name: string): Figures {
  mkdirSync(out, { recursive: true });
  const lines: string[] = [];
  const figures: { what: string; value: string }[] = [];
  return {
    out,
    say(what, value) {
      const line = `${what}: ${value}`;
      console.log(line);
      lines.push(line);
      figures.push({ what, value });
      writeFileSync(join(out, `${name}.txt`), `${lines.join('\n')}\n`);
      writeFileSync(join(out, `${name}.json`), `${JSON.stringify(figures, undefined, 1)}\n`);
    },
  };
}
