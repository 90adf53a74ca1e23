import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { compareWithClip } from './compare-clip.js';
import type { Figures } from './figures.js';
import { analysed, dropFile, firstReframed, openVisitor, textOf, type Visitor } from './visitor.js';

export type JourneyInput = { readonly origin: string; readonly out: string; readonly clip: string };

const phone = { width: 390, height: 844 };
const usual = { width: 1440, height: 900 };
const wide = { width: 2560, height: 1300 };

/** One person's visit with a mouse, a picture of every state on the way; tells what was measured. */
export async function visitWithMouse({ origin, out, clip }: JourneyInput, figures: Figures): Promise<void> {
  await using visitor = await openVisitor({ origin, out });
  const { page, shot } = visitor;
  await emptyPage(visitor, figures);
  await page.reload();
  await page.waitForSelector('#file', { state: 'attached' });
  const startMs = Date.now();
  const sinceSec = () => (Date.now() - startMs) / 1000;
  await dropFile(page, clip);
  await page.waitForSelector('#progress');
  await shot('05-waiting');
  const doneRatio = await firstReframed(page);
  const firstSec = sinceSec();
  await shot('06-first-picture');
  await page.waitForFunction(() => document.querySelector<HTMLProgressElement>('#progress')!.value > 0.3);
  await shot('07-playing-while-analysing');
  await correctWhileAnalysing(visitor, figures);
  await analysed(page);
  figures.say('first reframed picture', `${firstSec.toFixed(1)} s after the drop`);
  figures.say('share of the analysis done by then', `${(100 * doneRatio).toFixed(0)} % by its own progress`);
  figures.say('analysis with pictures and corrections on the way', `${sinceSec().toFixed(1)} s`);
  await page.waitForFunction(() => document.querySelectorAll('.scene[style*="url"]').length > 0);
  await shot('10-done', true);
  await tellShifts(page, 'from the drop to the end of the analysis', figures);
  await correct(visitor, figures);
  await looks(visitor);
  await sizesAndThemes(visitor);
  await exportClips(visitor, figures);
  await comeBack(visitor, figures);
  await tellShifts(page, 'after the reload', figures);
  figures.say('complaints', visitor.complaints.join('; ') || 'none');
}

/** The three largest of the shifts that no click or key caused. Other sizes of the window count as shifts too. */
async function tellShifts(page: Page, when: string, figures: Figures): Promise<void> {
  const { layoutShift, shifted } = await page.evaluate(() => globalThis.notes);
  figures.say(`layout shift that nobody caused, ${when}`, layoutShift.toFixed(3));
  for (const line of [...shifted].sort().slice(-3)) figures.say('  shifted', line);
}

async function emptyPage({ page, shot }: Visitor, figures: Figures): Promise<void> {
  await shot('01-empty');
  await page.selectOption('#theme', 'dark');
  await shot('02-empty-dark');
  await page.selectOption('#theme', 'light');
  await page.setViewportSize(phone);
  await shot('03-empty-phone', true);
  await page.setViewportSize(wide);
  await shot('04-empty-wide');
  await page.setViewportSize(usual);
  await page.selectOption('#theme', 'system');
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  figures.say('first contentful paint', `${paint.toFixed(0)} ms`);
}

const framedFace = (page: Page) =>
  page
    .locator('.overlay .face.framed')
    .first()
    .getAttribute('aria-label', { timeout: 5000 })
    .catch(() => null);

/** What a person decides is still there when the analysis goes on, and when it is done. */
async function correctWhileAnalysing({ page, shot }: Visitor, figures: Figures): Promise<void> {
  if (await page.locator('#pause').count()) {
    await page.click('#pause');
    await shot('08-paused');
    await page.click('#resume').catch(() => {});
  }
  await page.locator('.scene').first().click();
  await page.waitForTimeout(300);
  const window = page.locator('.overlay .window');
  if (!(await window.count())) return;
  const before = (await window.boundingBox())!;
  const stage = (await page.locator('.overlay').boundingBox())!;
  const way = before.x - stage.x > stage.width / 3 ? -80 : 80;
  await page.mouse.move(before.x + 12, before.y + 14);
  await page.mouse.down();
  await page.mouse.move(before.x + 12 + way, before.y + 14, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(400);
  const moved = (await window.boundingBox())!.x;
  await shot('09-corrected-while-analysing');
  await analysed(page);
  await page.waitForTimeout(300);
  const after = (await window.boundingBox())!.x;
  figures.say(
    'a window dragged during the analysis',
    `moved by ${(moved - before.x).toFixed(0)} px; after the analysis ${Math.abs(after - moved) < 2 ? 'where it was put' : `moved away by ${(after - moved).toFixed(0)} px`}`,
  );
}

async function correct({ page, shot }: Visitor, figures: Figures): Promise<void> {
  const scenes = page.locator('.scene');
  const other = page.locator('.overlay .face:not(.framed)');
  for (let i = 1; i < (await scenes.count()); i++) {
    await scenes.nth(i).click();
    await page.waitForTimeout(500);
    if ((await other.count()) && (await framedFace(page))) break;
  }
  const before = await framedFace(page);
  if (!(await other.count())) return;
  await other.first().click();
  await page.waitForSelector('.face-menu');
  await shot('11-face-menu');
  await page.click('#follow-here');
  await page.waitForTimeout(500);
  const after = await framedFace(page);
  await shot('12-corrected');
  await page.click('#undo');
  await page.waitForTimeout(400);
  const undone = await framedFace(page);
  await page.click('#redo');
  await page.waitForTimeout(400);
  const redone = await framedFace(page);
  figures.say('framed: before, clicked, undone, redone', [before, after, undone, redone].join(' · '));
}

async function looks({ page, shot }: Visitor): Promise<void> {
  for (const aspect of ['4:5', '1:1', '16:9']) {
    await page.check(`input[name=look-aspect][value="${aspect}"]`);
    await page.waitForTimeout(300);
    await page.locator('#look-title').scrollIntoViewIfNeeded();
    await shot(`13-look-${aspect.replace(':', 'x')}`);
  }
  await page.check('input[name=look-aspect][value="9:16"]');
  await page.check('input[name=look-layout][value="fit"]');
  await page.waitForTimeout(300);
  await shot('14-whole-picture');
  await page.check('input[name=look-layout][value="auto"]');
}

async function sizesAndThemes({ page, shot }: Visitor): Promise<void> {
  for (const part of ['.curves', '.report', '.engine']) await page.click(`${part} > summary`);
  await page.waitForTimeout(1200);
  await shot('15-everything-open', true);
  await page.selectOption('#theme', 'dark');
  await page.waitForTimeout(200);
  await shot('16-dark', true);
  await page.setViewportSize(phone);
  await page.waitForTimeout(400);
  await shot('17-phone-dark', true);
  await page.selectOption('#theme', 'light');
  await page.evaluate(() => scrollTo(0, 0));
  await shot('18-phone');
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.waitForTimeout(300);
  await shot('19-tablet', true);
  await page.setViewportSize(wide);
  await page.waitForTimeout(300);
  await shot('20-wide');
  await page.setViewportSize(usual);
  await page.selectOption('#theme', 'system');
  for (const part of ['.curves', '.report', '.engine']) await page.click(`${part} > summary`);
}

/** Two shapes from one analysis, small ones; the first of them is compared with the preview. */
async function exportClips({ page, shot }: Visitor, figures: Figures): Promise<void> {
  await page.selectOption('.field:has-text("Size") select', '540');
  if (await page.locator('.field:has-text("Save to")').count())
    await page.selectOption('.field:has-text("Save to") select', 'browser');
  await exportOnce(page, figures, 'one shape', () => shot('21-exporting'));
  await page.locator('.clips').scrollIntoViewIfNeeded();
  await shot('22-exported');
  const parts = await saved(page, '#save-analysis');
  const plan = await saved(page, '#save-plan');
  figures.say(
    'saved as JSON',
    `${Object.keys(parts).join(', ')}; plan of ${(plan.segments as []).length} segments`,
  );
  const { frames, sheet } = await compareWithClip(page, plan.video_fps as number);
  writeFileSync(join(figures.out, 'preview-against-clip.png'), sheet);
  const means = frames.map(({ mean }) => mean).sort((a, b) => a - b);
  const still = frames.filter(({ dx, dy }) => dx === 0 && dy === 0).length;
  figures.say(
    'preview against exported clip at 20 times, 270×480',
    `mean |d| ${(means.reduce((a, b) => a + b, 0) / means.length).toFixed(2)} of 255, worst ${means.at(-1)!.toFixed(2)}; best fit unmoved at ${still} of ${frames.length}`,
  );
  for (const { timeSec, mean, dx, dy } of frames)
    if (dx || dy) figures.say('  moved', `${timeSec.toFixed(2)} s by ${dx}, ${dy}; |d| ${mean.toFixed(2)}`);
  await page.check('input[name=export-aspect][value="1:1"]');
  await exportOnce(page, figures, 'two shapes from the same analysis', async () => {});
  await page.locator('.clips').scrollIntoViewIfNeeded();
  await shot('23-exported-two');
}

/** What a button offers for saving, read back. */
async function saved(page: Page, button: string): Promise<Record<string, unknown>> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return JSON.parse(readFileSync(await download.path(), 'utf8'));
}

async function exportOnce(
  page: Page,
  figures: Figures,
  what: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  // The page draws what was changed with the next frame.
  await page.waitForTimeout(200);
  const estimate = await textOf(page, '#estimate');
  const startMs = Date.now();
  await page.click('#export');
  await page.waitForSelector('#export-progress');
  await page
    .waitForFunction(() => document.querySelector<HTMLProgressElement>('#export-progress')!.value > 0.2)
    .catch(() => {});
  await meanwhile();
  await page.waitForSelector('#export:not([disabled])', { timeout: 240_000 });
  const clips = await page.locator('.clips li .quiet-text').allTextContents();
  figures.say(
    `export, ${what}`,
    `said: ${estimate} Took ${((Date.now() - startMs) / 1000).toFixed(1)} s: ${clips.map(clip => clip.replace(/\s+/g, ' ').trim()).join(' + ')}`,
  );
}

/** The same video after a reload: its corrections and its shape, without another analysis. */
async function comeBack({ page, shot }: Visitor, figures: Figures): Promise<void> {
  const corrected = () => page.locator('.scene.corrected').count();
  const before = await corrected();
  await page.reload();
  const startMs = Date.now();
  await analysed(page);
  await page.waitForSelector('.overlay .window, .overlay .face', { timeout: 20_000 }).catch(() => {});
  figures.say(
    'after a reload',
    `${before} corrected scenes before, ${await corrected()} after, ${((Date.now() - startMs) / 1000).toFixed(1)} s`,
  );
  await page.waitForTimeout(1500);
  await shot('24-reloaded');
  await page.check('input[name=look-camera][value="follow"]');
  await page.click('#undo');
  await page.click('#new');
  await page.waitForSelector('.saved');
  await shot('25-empty-with-saved');
}
