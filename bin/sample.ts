import type { OpenPage } from './browser.js';

/** Makes the built-in sample (two drawn people who talk in turn) in the page and saves it. */
export async function writeSample(library: OpenPage, path: string): Promise<string> {
  const downloading = library.page.waitForEvent('download', { timeout: 0 });
  await library.page.evaluate(() => globalThis.offerSample());
  await (await downloading).saveAs(path);
  return path;
}
