import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { Figures } from './figures.js';
import type { JourneyInput } from './journey.js';
import { dropFile, openVisitor, textOf, type Visitor } from './visitor.js';

/** Files that cannot be used, with what is the matter with them. */
const badFiles = [
  ['sound-only', 'odd/androidx_sample_audio_only.mp4'],
  ['protected', 'odd/mp4parse_short-cenc.mp4'],
  ['no-index', 'odd/mp4parse_chunk_out_of_range.mp4'],
] as const;

/** Everything that goes wrong in a person's life, and the sentence that the page has for it. */
export async function visitMishaps(
  { origin, out, clip, media }: JourneyInput & { readonly media: string },
  figures: Figures,
): Promise<void> {
  await using visitor = await openVisitor({ origin, out, serviceWorkers: 'block' });
  const { page, shot } = visitor;
  const failure = async (name: string) => {
    // What looks hopeless may be readable after all.
    await page.waitForSelector('[role=alert], #export:not([disabled])', { timeout: 120_000 });
    await shot(`50-error-${name}`);
    const isRefused = (await page.locator('[role=alert]').count()) > 0;
    figures.say(name, isRefused ? await textOf(page, '[role=alert] p') : 'could be read');
    if (isRefused) await page.click('[role=alert] button');
    if (await page.locator('#new').count()) await page.click('#new');
  };
  // First of all, because models are kept once they are there.
  await withoutModels(page, clip, failure);
  await page.setInputFiles('#file', {
    name: 'notes.mp4',
    mimeType: 'video/mp4',
    buffer: Buffer.from('These are not pictures.'),
  });
  await failure('not-a-video');
  for (const [name, file] of badFiles)
    if (existsSync(join(media, file))) {
      await dropFile(page, join(media, file));
      await failure(name);
    }
  await page.setInputFiles('#file', {
    name: 'cut short.mp4',
    mimeType: 'video/mp4',
    buffer: readFileSync(clip).subarray(0, 60_000),
  });
  await failure('cut-short');
  for (const [name, link] of [
    ['missing-link', `${origin}/missing.mp4`],
    ['page-link', `${origin}/index.html`],
  ] as const) {
    await page.fill('#link', link);
    await page.click('.link button');
    await failure(name);
  }
  await stopped(visitor, clip, figures);
  const foreign = join(media, 'odd/androidx_sample.avi');
  if (existsSync(foreign)) {
    await dropFile(page, foreign);
    await page.waitForSelector('.cover[role=note], [role=alert], #export:not([disabled])', {
      timeout: 120_000,
    });
    await page.waitForSelector('#export:not([disabled]), [role=alert]', { timeout: 120_000 });
    await shot('52-no-live-preview');
    figures.say(
      'a file that the browser cannot play',
      (await page.locator('.cover[role=note], [role=alert]').count())
        ? await textOf(page, '.cover[role=note], [role=alert]')
        : 'is played here',
    );
  }
}

async function stopped({ page, shot }: Visitor, clip: string, figures: Figures): Promise<void> {
  await dropFile(page, clip);
  await page.waitForSelector('#cancel');
  await page.click('#cancel');
  await page.waitForSelector('#again');
  await shot('51-analysis-stopped');
  figures.say('stopped', await textOf(page, '.progress'));
  await page.click('#new');
}

async function withoutModels(
  page: Page,
  clip: string,
  failure: (name: string) => Promise<void>,
): Promise<void> {
  await page.route('**/edge-face*.onnx', route => route.abort());
  await dropFile(page, clip);
  await failure('no-models');
  await page.unroute('**/edge-face*.onnx');
}
