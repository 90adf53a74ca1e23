import type { Page } from 'playwright';
import type { Figures } from './figures.js';
import type { JourneyInput } from './journey.js';
import { analysed, firstReframed, openVisitor, textOf } from './visitor.js';

/** More stops than this between two places nobody would press Tab for. */
const mostTabs = 120;

/** Presses Tab until the element has the focus; tells how often. */
async function tabTo(page: Page, selector: string): Promise<number> {
  for (let presses = 0; presses <= mostTabs; presses++) {
    if (await page.evaluate(wanted => document.activeElement?.matches(wanted), selector)) return presses;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${selector} is not reached by ${mostTabs} presses of Tab`);
}

/** The visit without a mouse: everything by Tab, Enter, Space and arrow keys. */
export async function visitWithKeys({ origin, out, clip }: JourneyInput, figures: Figures): Promise<void> {
  await using visitor = await openVisitor({ origin, out });
  const { page, shot } = visitor;
  const presses: string[] = [];
  const go = async (selector: string, key?: string) => {
    presses.push(`${selector} ${await tabTo(page, selector)}`);
    if (key) await page.keyboard.press(key);
  };
  page.once('filechooser', chooser => void chooser.setFiles(clip));
  await go('#file');
  await shot('30-keys-choose');
  await page.keyboard.press('Enter');
  await firstReframed(page);
  await go('#play', 'Enter');
  await analysed(page);
  await go('.scene:nth-child(2)', 'Enter');
  await page.waitForTimeout(500);
  await go('.overlay .face:not(.framed)', 'Enter');
  await page.waitForSelector('#follow-here');
  await shot('31-keys-face');
  await go('#follow-here', 'Enter');
  await page.waitForTimeout(400);
  const corrected = await page.locator('.scene.corrected').count();
  await page.keyboard.press('Control+z');
  const undone = await page.locator('.scene.corrected').count();
  await page.keyboard.press('Control+Shift+z');
  await page.waitForTimeout(200);
  const redone = await page.locator('.scene.corrected').count();
  figures.say('corrected scenes: followed, undone, redone', [corrected, undone, redone].join(', '));
  await go('.overlay .window', 'Shift+ArrowRight');
  await shot('32-keys-window');
  await go('input[name=look-aspect]:checked', 'ArrowRight');
  await page.waitForTimeout(300);
  figures.say('shape by arrow key', await textOf(page, '.result-pane figcaption'));
  await page.keyboard.press('ArrowLeft');
  await go('.field:first-child select', 'ArrowUp');
  await page.keyboard.press('ArrowUp');
  if (await page.locator('.field:has-text("Save to")').count()) await go('.field:last-child select', 'End');
  figures.say('estimate', await textOf(page, '#estimate'));
  await go('#export', 'Enter');
  await page.waitForSelector('.clips li', { timeout: 200_000 });
  await shot('33-keys-exported');
  await page.keyboard.press('F5');
  await page.reload();
  await analysed(page);
  figures.say('corrected scenes after a reload', String(await page.locator('.scene.corrected').count()));
  figures.say('presses of Tab', presses.join(' · '));
  figures.say('complaints', visitor.complaints.join('; ') || 'none');
}
