import type { BuiltSite } from './built-site.js';
import type { Figures } from './figures.js';
import { cachedBytes } from './first-load.js';
import type { JourneyInput } from './journey.js';
import { analysed, dropFile, firstReframed, openVisitor, textOf } from './visitor.js';

/** Analyses the sample once, stops the server, and does a whole job on another video after a reload. */
export async function visitOffline(
  { origin, out, clip, site }: JourneyInput & { readonly site: BuiltSite },
  figures: Figures,
): Promise<void> {
  await using visitor = await openVisitor({ origin, out });
  const { page, requests, shot } = visitor;
  await page.click('#sample');
  await analysed(page);
  await page.waitForSelector('#works-offline', { timeout: 60_000 });
  const kept = await page.evaluate(cachedBytes);
  figures.say('kept after the first video', `${(kept / 1e6).toFixed(1)} MB`);
  const first = requests.length;
  await site[Symbol.asyncDispose]();
  await page.goto(origin);
  await page.waitForSelector('#file', { state: 'attached' });
  await shot('40-offline');
  await dropFile(page, clip);
  await firstReframed(page);
  await analysed(page);
  await page.selectOption('.field:has-text("Size") select', '540');
  if (await page.locator('.field:has-text("Save to")').count())
    await page.selectOption('.field:has-text("Save to") select', 'browser');
  await page.click('#export');
  await page.waitForSelector('.clips video, .failure', { timeout: 200_000 });
  await shot('41-offline-exported');
  figures.say('exported without a server', await textOf(page, '.clips, .failure'));
  const asked = requests.filter(url => /^(https?|wss?):/.test(url));
  const away = asked.filter(url => new URL(url).origin !== origin);
  figures.say('requests', `${first} with the server, ${requests.length - first} without`);
  figures.say('to other origins', away.join(' ') || 'none');
  figures.say('complaints', visitor.complaints.join('; ') || 'none');
}
