import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { standInServer } from '../fixtures/stand-in-advisor.js';
import { analysed, dropFile, type OpenPage, openBuiltPage, seriousFindings } from './page.js';

const clip = join(inject('material'), 'crowd.mp4');
const layoutShown = (page: OpenPage['page']) =>
  page.$eval('.why', element => element.textContent!.replace(/\s+/g, ' ').trim());

let open: OpenPage;
let server: Awaited<ReturnType<typeof standInServer>>;
beforeAll(async () => {
  server = await standInServer({ layout: 'fit', faces: [], reason: 'all five matter', confidence: 0.6 });
  open = await openBuiltPage(inject('material'));
});
afterAll(async () => {
  await open?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

describe('the advisor', { timeout: 180_000 }, () => {
  test('asks nobody until somebody is named, and says what is missing', async () => {
    const { page } = open;
    await dropFile(page, clip, 'crowd.mp4');
    await analysed(page);
    await page.click('.advisor summary');
    expect(await page.locator('#advise').count()).toBe(0);
    // This browser has the interface of a model of its own, and no model.
    await page.check('input[name=advisor-kind][value=browser]');
    await page.click('#advise');
    await expect
      .poll(() => page.locator('.advice-note').last().textContent(), { timeout: 30_000 })
      .toMatch(/the plan stays, because of this: .*model/);
    expect(await page.locator('#undo').isDisabled()).toBe(true);
    await page.check('input[name=advisor-kind][value=server]');
    await expect.poll(() => page.locator('.bottom').textContent()).toContain('but what the advisor is asked');
    await page.click('#advise');
    await expect
      .poll(() => page.locator('.failure').textContent())
      .toContain('needs an address and the name');
    await page.click('.failure button');
    expect(server.sent).toEqual([]);
  });

  test('tells a server numbers alone, and plans as it answers, until that is undone', async () => {
    const { page } = open;
    const before = await layoutShown(page);
    await page.fill('input[name=advisor-baseUrl]', server.baseUrl);
    await page.fill('input[name=advisor-model]', 'tiny');
    await page.fill('input[name=advisor-apiKey]', 'secret-7');
    await page.click('#advise');
    await expect
      .poll(() => layoutShown(page), { timeout: 30_000 })
      .toContain('As the advisor says: all five matter');
    expect(await page.locator('.advice li').count()).toBe(1);
    expect(await page.locator('.advice-note').first().textContent()).toContain(
      'answers of the advisor that are used: 1',
    );
    expect(server.sent).toHaveLength(1);
    const [{ headers, body }] = server.sent as [(typeof server.sent)[0]];
    expect(headers.authorization).toBe('Bearer secret-7');
    expect(headers.cookie).toBe(undefined);
    expect(body).not.toMatch(/image_url|words_said/);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.click('#undo');
    await expect.poll(() => layoutShown(page)).toBe(before);
    await page.click('#redo');
    await expect.poll(() => layoutShown(page)).toContain('all five matter');
    await page.click('.advice button:has-text("Leave out")');
    await expect.poll(() => layoutShown(page)).toBe(before);
  });

  test('sends pictures where that is ticked, and keeps advice but no key', async () => {
    const { page } = open;
    await page.check('input[name=advisor-allowPictures]');
    await page.click('#advise');
    await expect.poll(() => layoutShown(page), { timeout: 30_000 }).toContain('all five matter');
    expect(server.sent.at(-1)!.body).toMatch(/data:image\/jpeg;base64,/);
    await page.reload();
    await analysed(page);
    await expect.poll(() => layoutShown(page)).toContain('all five matter');
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept).not.toContain('secret-7');
    await page.click('.advisor summary');
    await page.check('input[name=advisor-kind][value=server]');
    expect(await page.inputValue('input[name=advisor-apiKey]')).toBe('');
    expect(open.complaints).toEqual([]);
  });
});
