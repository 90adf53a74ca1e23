import { expect, test } from 'vitest';
import type { Video } from '../../../../src/service/jobs/state.js';
import { ingest, type StepTools } from '../../../../src/service/jobs/steps.js';

/** A source of which nothing is seen or heard before 10 s, and nothing after 14 s. */
const tools = {
  pipeline: async () => ({
    probe: async () => ({ facts: { startSec: 10, durationSec: 14, frameRateHz: 25 } }),
  }),
  sources: { bring: async (source: unknown) => source, open: async () => new Blob() },
} as unknown as StepTools;
const call = { signal: new AbortController().signal, onProgress: () => {} };
const ask = (range: Partial<Video>) => ingest({ id: 'late', ...range } as Video, tools, call);

test('a video that starts late is as long as what there is to see of it', async () => {
  expect(await ask({})).toMatchObject({ durationSec: 4 });
});

test('a range that ends before there is anything to see is refused', async () => {
  await expect(ask({ startSec: 2, endSec: 5 })).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await ask({ startSec: 2, endSec: 11 })).toMatchObject({ startSec: 2, endSec: 11 });
});
