import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { analysed, dropFile, type OpenPage, openBuiltPage, seriousFindings } from './page.js';

const clip = join(inject('material'), 'words.mp4');
const text = (page: OpenPage['page'], selector: string) =>
  page
    .locator(selector)
    .first()
    .textContent()
    .then(found => found?.replace(/\s+/g, ' ').trim());
const seekSec = (page: OpenPage['page']) =>
  page.$eval('#seek', seek => Number((seek as HTMLInputElement).value));

let open: OpenPage;
beforeAll(async () => {
  open = await openBuiltPage(inject('material'));
});
afterAll(async () => open?.[Symbol.asyncDispose]());

/** One person's visit; each step needs the one before. The recogniser is the tiny stand-in. */
describe('the transcript', { timeout: 180_000 }, () => {
  test('says what is missing and how to get it, where the recogniser is not beside the page', async () => {
    const { page } = open;
    // The page's own worker would ask in its place.
    await page.context().route(/moonshine/, route => route.fulfill({ status: 404 }));
    await page.reload();
    await dropFile(page, clip, 'words.mp4');
    await page.waitForSelector('#wants-words[disabled]');
    expect(await text(page, '#words-note')).toContain('npm run models -- --add words');
    await analysed(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().unroute(/moonshine/);
  });

  test('is written for a video that is analysed already', async () => {
    const { page } = open;
    await page.reload();
    await analysed(page);
    await page.check('#wants-words');
    await page.waitForSelector('.said-word');
    await analysed(page);
    expect(await page.locator('.said-word').count()).toBeGreaterThanOrEqual(2);
    expect(await text(page, '.speaker')).toBe('Speaker 1');
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('goes to a word that is clicked, and marks the word that is said', async () => {
    const { page } = open;
    const last = page.locator('.said-word').last();
    await last.click();
    await expect.poll(() => seekSec(page)).toBeGreaterThan(2.7);
    await expect.poll(() => last.getAttribute('class')).toContain('now');
  });

  test('takes a correction and a name, and gives them back', async () => {
    const { page } = open;
    const before = await text(page, '.said-word');
    await page.locator('.said-word').first().dblclick();
    await page.waitForSelector('.said-field:focus');
    await page.keyboard.type('Hello,');
    await page.keyboard.press('Enter');
    await expect.poll(() => text(page, '.said-word')).toBe('Hello,');
    await page.keyboard.press('Control+z');
    await expect.poll(() => text(page, '.said-word')).toBe(before);
    await page.keyboard.press('Control+Shift+z');
    await page.locator('.speaker').first().click();
    await page.waitForSelector('.said-field:focus');
    await page.keyboard.type('Ann');
    await page.keyboard.press('Enter');
    await expect.poll(() => text(page, '.speaker')).toBe('Ann');
    await page.reload();
    await analysed(page);
    expect([await text(page, '.said-word'), await text(page, '.speaker')]).toEqual(['Hello,', 'Ann']);
  });

  test('is used with keys alone, and selects what is exported', async () => {
    const { page } = open;
    await page.locator('.said-word').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('F2');
    await page.waitForSelector('.said-field:focus');
    await page.keyboard.press('Escape');
    // Until the page is drawn, the first word is the field.
    await page.waitForSelector('.said-field', { state: 'detached' });
    await page.locator('.said-word').first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await expect
      .poll(() => text(page, '#selection'))
      .toMatch(/^2 words, 0:0\d\.\d–0:0\d\.\d: the export has these only\.$/);
    expect(await text(page, '#estimate')).toMatch(/^Only 0:0\d\.\d–0:0\d\.\d, as chosen in the transcript\./);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('exports the selected words alone, with their captions', async () => {
    const { page } = open;
    await page.selectOption('.field:has-text("Size") select', '540');
    await page.click('#export');
    await page.waitForSelector('.clips li', { timeout: 150_000 });
    const clip = await page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const file = await (await folder.getFileHandle('picked words 9x16.mp4')).getFile();
      const bytes = new TextDecoder('latin1').decode(await file.arrayBuffer());
      const video = Object.assign(document.createElement('video'), { src: URL.createObjectURL(file) });
      await new Promise(resolve => (video.onloadedmetadata = resolve));
      return {
        hasTrack: bytes.includes('wvtt'),
        hasWord: bytes.includes('Hello,'),
        durationSec: video.duration,
      };
    });
    expect(clip).toMatchObject({ hasTrack: true, hasWord: true });
    expect(clip.durationSec).toBeLessThan(4.5);
    await page.click('#clear-selection');
    await expect.poll(() => text(page, '#estimate')).toMatch(/^Will take/);
  });

  test('leaves out pauses and words that were ticked, in one clip', async () => {
    const { page } = open;
    expect(await text(page, '#left-out')).toMatch(/^Could be left out: 2 pauses \(/);
    await page.click('#leave-out-all');
    await expect.poll(() => text(page, '#left-out')).toMatch(/^Left out: 2 pauses/);
    await page.click('#pieces summary');
    await page.locator('.piece-list input').last().uncheck();
    await expect.poll(() => text(page, '#left-out')).toMatch(/^Left out: 1 pause \(1\.\d s\)/);
    expect(await text(page, '#estimate')).toMatch(/^Only 2 pieces of 0:00\.0–0:06\.0/);
    expect(await seriousFindings(page)).toEqual([]);
    await page.click('#export');
    const lengthSec = () =>
      page.evaluate(async () => {
        const folder = await navigator.storage.getDirectory();
        const file = await (await folder.getFileHandle('picked words 9x16.mp4')).getFile();
        const video = Object.assign(document.createElement('video'), { src: URL.createObjectURL(file) });
        await new Promise(resolve => (video.onloadedmetadata = video.onerror = resolve));
        return video.duration;
      });
    // The clip of the test before was shorter.
    await expect.poll(lengthSec, { timeout: 150_000 }).toBeGreaterThan(4.5);
    expect(await lengthSec()).toBeLessThan(5.2);
    await page.locator('.said-word').first().click();
    await page.locator('.said-word').first().press('Shift+ArrowRight');
    await page.click('#leave-out');
    await expect.poll(() => page.locator('.said-word.left-out').count()).toBe(2);
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.locator('.said-word.left-out').count()).toBe(0);
    await page.click('#keep-all');
    await expect.poll(() => text(page, '#estimate')).toMatch(/^Will take/);
    expect(open.complaints).toEqual([]);
  });

  /** Pixels of the preview of exactly a colour, by thirds of the height. */
  const coloured = (page: OpenPage['page'], [red, green, blue]: readonly [number, number, number]) =>
    page.$eval(
      '#preview',
      (element, [r, g, b]) => {
        const canvas = element as HTMLCanvasElement;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        const counts = [0, 0, 0];
        for (let i = 0; i < data.length; i += 4) {
          const off = Math.abs(data[i]! - r!) + Math.abs(data[i + 1]! - g!) + Math.abs(data[i + 2]! - b!);
          if (off < 24) counts[Math.floor((3 * i) / data.length)]!++;
        }
        return counts;
      },
      [red, green, blue],
    );

  test('draws captions into the preview as they are styled, and into the clip', async () => {
    const { page } = open;
    // In the middle of the first word: a frame of this source lasts a tenth of a second.
    await page.fill('#seek', '0.92');
    const magenta = [255, 0, 255] as const;
    expect(await coloured(page, magenta)).toEqual([0, 0, 0]);
    await page.check('input[name=caption-look][value=box]');
    await page.fill('input[name=caption-boxColour]', '#ff00ff');
    await page.focus('input[name=caption-boxOpacityRatio]');
    await page.keyboard.press('End');
    await page.check('input[name=caption-position][value=top]');
    await expect.poll(async () => (await coloured(page, magenta))[0]).toBeGreaterThan(500);
    await page.check('input[name=caption-position][value=middle]');
    await expect.poll(async () => (await coloured(page, magenta))[0]).toBe(0);
    const [, boxed] = await coloured(page, magenta);
    expect(boxed).toBeGreaterThan(500);
    await page.check('input[name=caption-look][value=karaoke]');
    await expect.poll(() => coloured(page, magenta)).toEqual([0, 0, 0]);
    await page.fill('input[name=caption-highlightColour]', '#ff00ff');
    await expect.poll(async () => (await coloured(page, magenta))[1]).toBeGreaterThan(50);
    const lit = (await coloured(page, magenta))[1]!;
    await page.focus('input[name=caption-sizeRatio]');
    for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await coloured(page, magenta))[1]! / lit).toBeGreaterThan(1.3);
    await page.click('#captions-more summary');
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await coloured(page, magenta))[1]).toBeGreaterThan(20);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    // The preview is out of sight here: the card repeats it.
    expect(await page.locator('.caption-sample').boundingBox()).toMatchObject({ height: 256 });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.click('#export');
    const lettersInClip = () =>
      page.evaluate(async () => {
        const folder = await navigator.storage.getDirectory();
        const file = await (await folder.getFileHandle('picked words 9x16.mp4')).getFile();
        const video = Object.assign(document.createElement('video'), { src: URL.createObjectURL(file) });
        await new Promise(resolve => (video.onloadeddata = video.onerror = resolve));
        video.currentTime = 0.9;
        await new Promise(resolve => (video.onseeked = video.onerror = resolve));
        const canvas = new OffscreenCanvas(540, 960);
        const context = canvas.getContext('2d')!;
        context.drawImage(video, 0, 0, 540, 960);
        const { data } = context.getImageData(0, 0, 540, 960);
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
          count += Number(data[i]! > 190 && data[i + 1]! < 90 && data[i + 2]! > 190);
        return count;
      });
    await expect.poll(lettersInClip, { timeout: 150_000 }).toBeGreaterThan(300);
    await page.check('input[name=caption-look][value=none]');
    await expect.poll(() => coloured(page, magenta)).toEqual([0, 0, 0]);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await coloured(page, magenta))[1]).toBeGreaterThan(50);
    expect(open.complaints).toEqual([]);
  });
});
