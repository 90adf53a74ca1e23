// Makes a fresh machine ready: packages and a browser. Uses nothing but Node, because it runs before they exist.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChrome } from './chrome.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return !error && status === 0;
}

function stop(message) {
  console.error(message);
  process.exit(1);
}

/** Whether every package that the lock file asks for is there in that version; further ones do no harm. */
function packagesAreThere() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(join(root, 'package-lock.json')))
    .filter(([path, { optional }]) => path !== '' && !optional)
    .every(([path, { version }]) => installed[path]?.version === version);
}

if (Number(process.versions.node.split('.')[0]) < 20)
  stop(`Node 20 or newer is needed; this is ${process.version}.`);

if (!packagesAreThere()) {
  console.error('Installing packages (npm ci) …');
  if (!run('npm', ['ci', '--no-audit', '--no-fund'])) stop('npm ci failed; its message is above.');
}

// The speech gate comes with a package; beside our own models it is found the same way as they are.
copyFileSync(
  join(root, 'node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx'),
  join(root, 'models/silero_vad_v6.onnx'),
);

/** The browser's path; ends the program where CHROME_PATH names nothing. */
function findOrStop() {
  try {
    return findChrome();
  } catch (error) {
    return stop(error.message);
  }
}

if (!findOrStop()) {
  const debian = existsSync('/etc/debian_version');
  if (!debian || process.getuid?.() !== 0) {
    stop(
      `No Chrome or Chromium found. ${debian ? 'Run: sudo apt-get install chromium' : 'Install Chrome from your system’s usual place'}; ` +
        'or set CHROME_PATH to the browser’s program.',
    );
  }
  console.error('Installing Chromium (apt-get) …');
  run('apt-get', ['update', '-qq']);
  if (!run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])) {
    stop('apt-get could not install chromium; its message is above.');
  }
}
