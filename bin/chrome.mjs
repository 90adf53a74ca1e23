import { existsSync } from 'node:fs';

/** Flags of every Chromium started here: quiet, no background traffic. */
export const baseArgs = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The only flags with which video frames reach WebGPU on a machine without a GPU. */
export const softwareGpuArgs = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
];

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of the browser to use: `CHROME_PATH`, else the first of the usual places; undefined when there is none. */
export function findChrome() {
  const asked = process.env.CHROME_PATH;
  if (asked) {
    if (!existsSync(asked)) throw new Error(`CHROME_PATH names ${asked}, which does not exist.`);
    return asked;
  }
  return usualPlaces.find(path => existsSync(path));
}
