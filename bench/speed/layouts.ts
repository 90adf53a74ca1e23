import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LibraryPage } from '../../bin/browser.js';
import { medianOf } from '../harness/load.js';
import type { Sheet } from '../harness/sheet.js';
import type { CorrectionTimes, LayoutsRequest, LayoutTimes } from './page/layouts.js';

/** Frames per second of every layout, drawing alone and the whole render, each beside `single` of the same round. */
export async function measureLayouts(
  library: LibraryPage,
  sheet: Sheet,
  request: LayoutsRequest,
): Promise<void> {
  const { say, keep, folder } = sheet;
  const { times, sheet: picture } = await library.page.evaluate<
    { times: readonly LayoutTimes[]; sheet: string },
    LayoutsRequest
  >(asked => globalThis.timeLayouts(asked), request);
  writeFileSync(join(folder, `layouts-${request.device}.png`), Buffer.from(picture, 'base64'));
  say();
  say(
    `layouts on ${request.device}, ${request.outputHeight} lines      draw fps  × single   render fps  × single`,
  );
  const of = (name: string) => times.filter(time => time.name === name);
  const single = of('single');
  for (const name of new Set(times.map(time => time.name))) {
    const own = of(name);
    const rate = (sec: (time: LayoutTimes) => number) => medianOf(own.map(time => time.frames / sec(time)));
    const beside = (sec: (time: LayoutTimes) => number) =>
      medianOf(own.map((time, i) => sec(single[i]!) / sec(time)));
    const [draw, render] = [(time: LayoutTimes) => time.drawSec, (time: LayoutTimes) => time.renderSec];
    const cells = [
      rate(draw).toFixed(1),
      beside(draw).toFixed(2),
      rate(render).toFixed(1),
      beside(render).toFixed(2),
    ];
    say(`  ${name.padEnd(28)}${cells.map((cell, i) => cell.padStart(i % 2 ? 10 : 12)).join('')}`);
    keep({ what: `layout ${name}`, device: request.device, drawFps: rate(draw), renderFps: rate(render) });
  }
}

/** What a correction costs of a clip that was rendered before. */
export async function measureCorrection(
  library: LibraryPage,
  { say, keep }: Sheet,
  outputHeight: number,
): Promise<void> {
  const rows = await library.page.evaluate<readonly CorrectionTimes[], number>(
    height => globalThis.timeCorrection(height),
    outputHeight,
  );
  say();
  say('render in chunks, then corrected          seconds   encoded    reused');
  for (const { what, seconds, encoded, reused } of rows) {
    const cells = [seconds.toFixed(2), encoded, reused].map(cell => String(cell).padStart(10));
    say(`  ${what.padEnd(36)}${cells.join('')}`);
    keep({ what: `correction: ${what}`, seconds, encoded, reused });
  }
}
