import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was measured, told at once and kept beside the pictures. */
export type Figures = {
  readonly out: string;
  say(what: string, value: string): void;
};

export function createFigures(out: string, name: string): Figures {
  mkdirSync(out, { recursive: true });
  const lines: string[] = [];
  return {
    out,
    say(what, value) {
      const line = `${what}: ${value}`;
      console.log(line);
      lines.push(line);
      writeFileSync(join(out, `${name}.txt`), `${lines.join('\n')}\n`);
    },
  };
}
