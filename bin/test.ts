import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './browser.js';

// Says first what the run can show here: with neither real weights nor footage, every stage still runs on
// generated networks and clips, and the tests that need the others are skipped by name.
const models = existsSync(join(root, 'models/cache')) || existsSync(join(root, '../shared/models'));
const media = existsSync(join(root, '../shared/media'));
console.log(
  [
    models ? 'Real models: found.' : 'Real models: none here; the chain runs on generated tiny networks.',
    media ? 'Real footage: found.' : 'Real footage: none here; clips are drawn by the tests.',
  ].join('\n'),
);
const { status } = spawnSync('npx', ['vitest', 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
