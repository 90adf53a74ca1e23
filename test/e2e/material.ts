import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openLibraryPage } from '../../bin/browser.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { writeTinyModels } from '../fixtures/tiny-onnx.js';
import { writeTinyPeople } from '../fixtures/tiny-people.js';
import { writeTinyWords } from '../fixtures/tiny-words.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder with `clip.mp4` (640×360, 75 frames, one cut at 50), `words.mp4` (6 s, two stretches of a voice), `crowd.mp4` (2 s of five faces) and `models/`, tiny ones with their manifest. */
    material: string;
  }
}

/** Makes once what all tests of this project feed to the library, and takes it away afterwards. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-material-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeModels(join(folder, 'models'));
    const library = await openLibraryPage('clip.html', 'test/e2e/page');
    try {
      for (const name of ['clip', 'words', 'crowd'] as const) {
        const dataUrl = await library.page.evaluate(asked => globalThis.makeClip(asked), name);
        writeFileSync(join(folder, `${name}.mp4`), Buffer.from(dataUrl.split(',')[1]!, 'base64'));
      }
    } finally {
      await library.close();
    }
  } catch (error) {
    remove();
    throw error;
  }
  project.provide('material', folder);
  return remove;
}

/** The tiny stand-ins under the names of the real files, with a manifest that says what they are. */
export function writeModels(folder: string): void {
  mkdirSync(folder);
  const models = [...writeTinyModels(), ...writeTinyWords(), ...writeTinyPeople()].map(([id, bytes]) => {
    const { url: _public, ...entry } = findModel(packagedManifest(), id);
    writeFileSync(join(folder, entry.file), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { ...entry, version: 'tiny', bytes: bytes.length, sha256 };
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ models }));
}
