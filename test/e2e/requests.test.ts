import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type CommandPage, openCommandPage } from '../../bin/command-page.js';
import { openModelFolder } from '../../bin/model-folder.js';
import type { PageJob, PageOutcome } from '../../bin/page/reframe.js';

describe.each(['webcodecs', 'ffmpeg'] as const)('a whole job read by %s', decoder => {
  let library: CommandPage;
  let outcome: PageOutcome;
  beforeAll(async () => {
    const models = openModelFolder(join(inject('material'), 'models'));
    library = await openCommandPage('reframe', { models });
    const { page, assets } = library;
    await page.exposeFunction('reportProgress', () => {});
    await page.setInputFiles('#file', join(inject('material'), 'clip.mp4'));
    const job: PageJob = {
      engine: { decoder, device: 'wasm' },
      assets,
      ...{ words: false, identities: false, captions: 'off', leaveOut: [] },
      options: { plan: { outputHeight: 320 } },
    };
    outcome = await page.evaluate(given => globalThis.reframeFile(given), job);
  });
  afterAll(() => library.close());

  test('asks nothing of any other origin', () => {
    expect(outcome).toMatchObject({ kind: 'done' });
    const { origin } = new URL(library.page.url());
    // A blob carries the origin that made it; data addresses ask nobody.
    const asked = library.requests.map(url => new URL(url)).filter(({ protocol }) => protocol !== 'data:');
    expect(asked.filter(url => url.origin !== origin).map(String)).toEqual([]);
  });

  test('was recorded with the requests of its workers and of theirs', () => {
    const asked = (part: string) => library.requests.some(url => url.includes(part));
    // The analysis worker fetches models; its own worker, for faces, loads the runtime again.
    expect(asked('/given/')).toBe(true);
    expect(library.requests.filter(url => /ort-wasm.*\.wasm/.test(url)).length).toBeGreaterThan(1);
    expect(asked('render.worker')).toBe(true);
    if (decoder === 'ffmpeg') expect(asked('ffmpeg-core.wasm')).toBe(true);
  });
});
