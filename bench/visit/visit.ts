import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { describeLoad } from '../harness/load.js';
import { measureAnalyses } from './analysis-runs.js';
import { serveBuiltSite } from './built-site.js';
import { createFigures } from './figures.js';
import { measureFirstLoads } from './first-load.js';
import { visitWithMouse } from './journey.js';
import { visitWithKeys } from './keyboard.js';
import { visitMishaps } from './mishaps.js';
import { visitOffline } from './offline.js';

const steps = ['load', 'mouse', 'analyses', 'keys', 'offline', 'mishaps'] as const;
const usage = `npm run bench:visit -- [FILE] [--out DIR] [--steps STEP,…] [--runs N] [--built]

Builds the page and visits it as a person does, with pictures of every state and figures beside them.
Without FILE: a clip of ../shared/media, else the page's own sample.

  --out DIR     where pictures and figures go     (out/visit)
  --steps …     load       N loads of the empty page: bytes, first paint
                mouse      drop, correct, look, export, reload
                analyses   N traced analyses: longest tasks of the main thread, frame rate of the preview
                keys       the same visit without a mouse
                offline    a second load with the server stopped
                mishaps    what goes wrong, and what the page says
                           (all of them)
  --runs N      loads and traced analyses         (3)
  --built       takes the page as it was built the last time`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(root, 'out/visit') },
    steps: { type: 'string', default: steps.join(',') },
    runs: { type: 'string', default: '3' },
    built: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(usage);
else await main();

async function main(): Promise<void> {
  const shared = join(root, '../shared/media');
  const wished = positionals[0] ?? join(shared, 'talking/film_friends_cuts_640x360.mp4');
  const clip = positionals[0] || existsSync(wished) ? resolve(wished) : join(root, 'demo/public/sample.mp4');
  const out = resolve(values.out);
  const asked = values.steps.split(',');
  const unknown = asked.filter(step => !(steps as readonly string[]).includes(step));
  if (unknown.length) throw new TypeError(`no such step: ${unknown.join(', ')}`);
  const folder = join(out, 'site');
  for (const step of asked) {
    // Each has a server of its own, because one of them stops it.
    await using site = await serveBuiltSite(folder, values.built || step !== asked[0]);
    const figures = createFigures(out, step);
    figures.say('clip', clip);
    figures.say('machine', describeLoad());
    const input = { origin: site.origin, out, clip };
    const measured = { ...input, site, runs: Number(values.runs) };
    if (step === 'load') await measureFirstLoads(measured, figures);
    else if (step === 'mouse') await visitWithMouse(input, figures);
    else if (step === 'analyses') await measureAnalyses(measured, figures);
    else if (step === 'keys') await visitWithKeys(input, figures);
    else if (step === 'offline') await visitOffline({ ...input, site }, figures);
    else await visitMishaps({ ...input, media: shared }, figures);
  }
}
