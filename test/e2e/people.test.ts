import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { analysed, dropFile, type OpenPage, openBuiltPage, seriousFindings } from './page.js';

const clip = join(inject('material'), 'clip.mp4');

let open: OpenPage;
beforeAll(async () => {
  open = await openBuiltPage(inject('material'));
});
afterAll(async () => open?.[Symbol.asyncDispose]());

/** One person's visit; each step needs the one before. The network is the tiny stand-in. */
describe('people who are known again', { timeout: 180_000 }, () => {
  test('need a network, and the page says how to get it where it is missing', async () => {
    const { page } = open;
    // The page's own worker would ask in its place.
    await page.context().route(/dlib/, route => route.fulfill({ status: 404 }));
    await page.reload();
    await dropFile(page, clip, 'clip.mp4');
    await analysed(page);
    await page.waitForSelector('#wants-people[disabled]');
    expect(await page.locator('#people-note').textContent()).toContain('npm run models -- --add identities');
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().unroute(/dlib/);
  });

  test('have one role in all scenes, once somebody asks for it', async () => {
    const { page } = open;
    const roleAt = async (sec: number) => {
      await page.$eval(
        '#seek',
        (seek, value) => {
          (seek as HTMLInputElement).value = String(value);
          seek.dispatchEvent(new Event('input', { bubbles: true }));
        },
        sec,
      );
      return page.locator('ul[aria-label="Faces now"] select').first();
    };
    await page.reload();
    await analysed(page);
    // The cut comes after two seconds, and the face is elsewhere then.
    await (await roleAt(0.5)).selectOption('host');
    await expect.poll(async () => (await roleAt(0.6)).inputValue()).toBe('host');
    await expect.poll(async () => (await roleAt(2.4)).inputValue()).toBe('guest');

    await page.waitForSelector('#wants-people:not([disabled])');
    await page.check('#wants-people');
    await page.waitForSelector('#wants-people[disabled]');
    await analysed(page);
    await page.waitForSelector('#wants-people:not([disabled])');
    await expect.poll(async () => (await roleAt(2.4)).inputValue()).toBe('host');
    expect(await seriousFindings(page)).toEqual([]);
  });
});
