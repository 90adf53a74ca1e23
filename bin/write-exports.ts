import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ExportFormat, exportPlan } from '../src/export/index.js';
import type { Plan } from '../src/index.js';

/** Writes `portrait.*` for other programs, which find the source where it lies now. @param out - An existing folder. */
export function writeExports(
  out: string,
  plan: Plan,
  {
    file,
    formats,
    hasSound,
  }: { readonly file: string; readonly formats: readonly ExportFormat[]; readonly hasSound: boolean },
): void {
  const source = { url: pathToFileURL(file).href, name: basename(file), hasSound };
  for (const format of formats) {
    const { extension, text } = exportPlan(plan, format, source);
    writeFileSync(join(out, `portrait.${extension}`), text);
  }
}
