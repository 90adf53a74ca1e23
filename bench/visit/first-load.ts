import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { medianOf } from '../harness/load.js';
import type { BuiltSite } from './built-site.js';
import type { Figures } from './figures.js';
import type { JourneyInput } from './journey.js';
import { openVisitor } from './visitor.js';

type Load = {
  /** Path and bytes of each file that the page itself loaded, its own document first. */
  readonly files: readonly (readonly [path: string, bytes: number])[];
  readonly paintMs: number;
  /** When everything on the empty page can be used. */
  readonly readyMs: number;
  readonly layoutShift: number;
};

/** What the empty page costs: bytes before any video is chosen, first paint; the middle one of several loads. */
export async function measureFirstLoads(
  { runs, out, origin }: JourneyInput & { readonly site: BuiltSite; readonly runs: number },
  figures: Figures,
): Promise<void> {
  const loads: Load[] = [];
  let kept = 0;
  for (let i = 0; i < runs; i++) {
    await using visitor = await openVisitor({ origin, out });
    const { page } = visitor;
    loads.push(await page.evaluate(describeLoad));
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    kept = await page.evaluate(cachedBytes);
  }
  const [{ files }] = loads as [Load];
  const zipped = files.reduce((sum, [path]) => {
    const file = join(out, 'site', path === '/' ? 'index.html' : path);
    return sum + gzipSync(readFileSync(file)).length;
  }, 0);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  const total = files.reduce((sum, [, bytes]) => sum + bytes, 0);
  figures.say(
    'first load',
    `${kilobytes(total)} in ${files.length} files as this server sends them, ${kilobytes(zipped)} by gzip: ${files
      .map(([path, bytes]) => `${path} ${kilobytes(bytes)}`)
      .join(', ')}`,
  );
  figures.say('kept by the service worker, the sample included', kilobytes(kept));
  figures.say('median: first contentful paint', `${medianOf(loads.map(load => load.paintMs)).toFixed(0)} ms`);
  figures.say('median: usable', `${medianOf(loads.map(load => load.readyMs)).toFixed(0)} ms`);
  figures.say('median: layout shift', medianOf(loads.map(load => load.layoutShift)).toFixed(4));
}

function describeLoad(): Load {
  const entries = [
    ...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource'),
  ] as PerformanceResourceTiming[];
  return {
    files: entries
      // What the service worker asks for again comes from the browser's cache.
      .filter(({ name, encodedBodySize }) => name.startsWith(location.origin) && encodedBodySize > 0)
      .map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize] as const),
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    readyMs: performance.now(),
    layoutShift: globalThis.notes.layoutShift,
  };
}

/** Runs in the page: bytes of everything that its service worker keeps. */
export async function cachedBytes(): Promise<number> {
  let bytes = 0;
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const answer of await cache.matchAll()) bytes += (await answer.arrayBuffer()).byteLength;
  }
  return bytes;
}
