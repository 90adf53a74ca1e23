import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Plan } from '../../src/index.js';
import {
  analysed,
  dropFile,
  type OpenPage,
  openBuiltPage,
  previewBrightness,
  seriousFindings,
} from './page.js';

const clip = join(inject('material'), 'clip.mp4');
const text = (page: OpenPage['page'], selector: string) =>
  page
    .locator(selector)
    .textContent()
    .then(found => found?.replace(/\s+/g, ' ').trim());

/** The plan as the page offers it for saving. */
async function savedPlan(page: OpenPage['page']): Promise<Plan> {
  const saved = page.waitForEvent('download');
  await page.click('#save-plan');
  return JSON.parse(readFileSync(await (await saved).path(), 'utf8'));
}

let open: OpenPage;
beforeAll(async () => {
  open = await openBuiltPage(inject('material'));
});
afterAll(async () => open?.[Symbol.asyncDispose]());

/** One person's visit, from the drop to the second visit without a network. Each step needs the one before. */
describe('the page', { timeout: 180_000 }, () => {
  test('says first what it will download and that nothing leaves the device', async () => {
    expect(await text(open.page, '.promise')).toMatch(/Nothing leaves this device.*\d+ MB.*MB/s);
    expect(await seriousFindings(open.page)).toEqual([]);
  });

  test('shows a reframed picture of a dropped video, then its scenes and who speaks', async () => {
    const { page } = open;
    await dropFile(page, clip, 'talk.mp4');
    await page.waitForSelector('.overlay .face');
    await expect.poll(() => previewBrightness(page)).toBeGreaterThan(10);
    await analysed(page);
    expect(await page.locator('.scene').count()).toBe(2);
    expect(await page.locator('.lane .said').count()).toBeGreaterThanOrEqual(2);
    expect(await page.locator('.overlay .face').count()).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('takes finer choices: a colour, a gap, who is never shown', async () => {
    const { page } = open;
    await page.check('input[name=look-layout][value="fit"]');
    await page.check('input[name=look-background][value="colour"]');
    await page.fill('input[name=look-backgroundColour]', '#336699');
    await expect
      .poll(async () => (await savedPlan(page)).segments.map(segment => segment.background_colour))
      .toContain('#336699');
    await page.check('input[name=look-layout][value="stack"]');
    await page.click('#look-more summary');
    await page.focus('input[name=look-gapRatio]');
    for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => text(page, '.slider:has([name=look-gapRatio]) output'))
      .toBe('2.0 % of the width');
    const shown = async () => {
      const { segments } = await savedPlan(page);
      return new Set(segments.flatMap(({ panels }) => panels.flatMap(panel => panel.face_id ?? [])));
    };
    await page.check('input[name=look-layout][value="single"]');
    const role = page.getByLabel(/^Role of face/).first();
    const face = Number((await role.getAttribute('aria-label'))!.match(/\d+/)![0]) - 1;
    await role.selectOption('Never show');
    await expect.poll(async () => (await shown()).has(face)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    await role.selectOption('Host');
  });

  test('follows a face that is clicked, and takes it back', async () => {
    const { page } = open;
    // Of two drawn faces nobody knows for sure which one speaks: both would be shown.
    await page.check('input[name=look-layout][value="single"]');
    const framed = () => page.locator('.overlay .face.framed').getAttribute('aria-label');
    const before = await framed();
    const other = page.locator('.overlay .face:not(.framed)').first();
    await other.click();
    await page.waitForSelector('.face-menu');
    await page.click('#follow-here');
    await expect.poll(framed).not.toBe(before);
    await expect.poll(() => text(page, '[aria-labelledby=scene-title]')).toContain('As you corrected it.');
    await page.click('#undo');
    await expect.poll(framed).toBe(before);
    await page.click('#redo');
    await expect.poll(framed).not.toBe(before);
  });

  test('sets a keyframe where the crop window is dragged to', async () => {
    const { page } = open;
    const scene = page.locator('.scene').nth(1);
    await scene.click();
    await expect.poll(() => text(page, '#scene-title')).toBe('Scene 2');
    const boxOf = async () => (await page.locator('.overlay .window').boundingBox())!;
    const before = await boxOf();
    await page.mouse.move(before.x + 10, before.y + before.height / 2);
    await page.mouse.down();
    await page.mouse.move(before.x - 60, before.y + before.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await boxOf()).x).toBeLessThan(before.x - 50);
    expect(await scene.getAttribute('class')).toContain('corrected');
  });

  test('draws another shape at once', async () => {
    const { page } = open;
    await page.check('input[name=look-aspect][value="1:1"]');
    const ratio = () =>
      page.$eval(
        '#preview',
        canvas => (canvas as HTMLCanvasElement).width / (canvas as HTMLCanvasElement).height,
      );
    await expect.poll(ratio).toBeCloseTo(1, 1);
  });

  test('exports the shape that is shown to a chosen file, with an estimate before', async () => {
    const { page } = open;
    await page.selectOption('.field:has-text("Size") select', '540');
    expect(await text(page, '#estimate')).toMatch(/about \d+ s and .*[kM]B/);
    await page.click('#export');
    await page.waitForSelector('.clips li', { timeout: 150_000 });
    const head = await page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle('picked talk 1x1.mp4');
      const bytes = await (await handle.getFile()).arrayBuffer();
      return { brand: new TextDecoder().decode(bytes.slice(4, 8)), size: bytes.byteLength };
    });
    expect(head.brand).toBe('ftyp');
    expect(head.size).toBeGreaterThan(10_000);
  });

  test('is as it was after a reload, and works without a network', async () => {
    const { page } = open;
    await page.waitForSelector('#works-offline');
    await page.context().setOffline(true);
    await page.reload();
    await analysed(page);
    expect(await text(page, '.name')).toBe('talk.mp4');
    expect(await page.locator('.scene.corrected').count()).toBe(2);
    expect(await page.isChecked('input[name=look-aspect][value="1:1"]')).toBe(true);
    expect(await page.inputValue('input[name=look-backgroundColour]')).toBe('#336699');
    expect(await page.inputValue('input[name=look-gapRatio]')).toBe('0.02');
    expect(
      await page
        .getByLabel(/^Role of face/)
        .evaluateAll(all => all.map(role => (role as HTMLSelectElement).value)),
    ).toContain('host');
    await page.click('.engine summary');
    await page.click('#analyse-again');
    await page.waitForSelector('#cancel');
    await analysed(page);
    expect(await page.locator('.failure').count()).toBe(0);
    await page.context().setOffline(false);
  });

  test('can be read in the dark, and used with keys alone', async () => {
    const { page } = open;
    await page.selectOption('#theme', 'dark');
    expect(await seriousFindings(page)).toEqual([]);
    await page.focus('input[name=look-aspect][value="1:1"]');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => text(page, '.result-pane figcaption')).toBe('Result 4:5');
    await page.keyboard.press('Control+z');
    await expect.poll(() => text(page, '.result-pane figcaption')).toBe('Result 1:1');
    await page.locator('.scene').first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => text(page, '#scene-title')).toBe('Scene 1');
    await page.locator('.overlay .window').focus();
    const left = async () => (await page.locator('.overlay .window').boundingBox())!.x;
    const before = await left();
    const room = before - (await page.locator('.overlay').boundingBox())!.x;
    await page.keyboard.press(room > 60 ? 'Shift+ArrowLeft' : 'Shift+ArrowRight');
    await expect.poll(async () => Math.abs((await left()) - before)).toBeGreaterThan(15);
    await page.locator('.overlay .face').last().focus();
    await page.keyboard.press('Enter');
    // Before the menu is drawn, the next stop would be another.
    await page.waitForSelector('#follow-here');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('follow-here');
  });

  test('says what went wrong and what to do', async () => {
    const { page } = open;
    await page.click('#new');
    await page.setInputFiles('#file', {
      name: 'notes.mp4',
      mimeType: 'video/mp4',
      buffer: Buffer.from('These are not pictures.'),
    });
    await expect.poll(() => text(page, '[role=alert]')).toMatch(/cannot be read here.*Convert it/s);
  });

  test('asked nothing of any other origin and never stumbled', () => {
    const asked = open.requests.filter(url => /^https?:/.test(url));
    expect(asked.filter(url => new URL(url).origin !== open.origin)).toEqual([]);
    expect(open.complaints).toEqual([]);
  });
});
