import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { expect, test } from 'vitest';
import { openFfmpegSession } from '../../src/media/ffmpeg/ffmpeg-session.js';
import { openMedia } from '../../src/media/source.js';
import { drawClip } from './media-clips.js';

const ffmpeg = { coreUrl, wasmUrl };
const clip = () =>
  drawClip({
    timesSec: Array.from({ length: 50 }, (_, i) => i / 25),
    lastDurationSec: 0.04,
    soundSec: [0, 2],
  });
const address = 'https://videos.example/clip.mp4';

/** A server that knows ranges. */
const serve =
  (file: Blob): typeof fetch =>
  async (_, init) => {
    const range = /bytes=(\d+)-(\d*)/.exec(new Headers(init?.headers).get('Range') ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(file.size, range?.[2] ? Number(range[2]) + 1 : file.size);
    const headers = {
      'Content-Range': `bytes ${start}-${end - 1}/${file.size}`,
      'Content-Length': `${end - start}`,
    };
    return new Response(file.slice(start, end), { status: range ? 206 : 200, headers });
  };

test('an address is read in ranges', async () => {
  const media = await openMedia(address, { fetch: serve(await clip()) });
  expect(media.facts.totalFrames).toBe(50);
  let frames = 0;
  for await (const { frame } of media.frames({ startSec: 1 })) {
    frame.close();
    frames++;
  }
  expect(frames).toBe(25);
  await media.close();
});

test('an address of this page’s own Blob needs no server', async () => {
  const url = URL.createObjectURL(await clip());
  const media = await openMedia(url);
  expect(media.facts.totalFrames).toBe(50);
  await media.close();
  URL.revokeObjectURL(url);
});

test.for([
  ['source_unreachable', 404],
  ['source_unreachable', 500],
  ['source_forbidden', 403],
] as const)('%s when the server answers %s', async ([code, status]) => {
  const answer: typeof fetch = async () => new Response(null, { status });
  await expect(openMedia(address, { fetch: answer })).rejects.toMatchObject({ code });
});

test('a host that refuses this page differs from one that is away', async () => {
  const refuse: typeof fetch = async (_, init) => {
    if (init?.mode === 'no-cors') return Response.error();
    throw new TypeError('Failed to fetch');
  };
  const away: typeof fetch = async () => {
    throw new TypeError('Failed to fetch');
  };
  await expect(openMedia(address, { fetch: refuse })).rejects.toMatchObject({ code: 'source_forbidden' });
  await expect(openMedia(address, { fetch: away })).rejects.toMatchObject({ code: 'source_unreachable' });
});

test('what only ffmpeg could read says how to get it', async () => {
  const noise = new File([crypto.getRandomValues(new Uint8Array(5000))], 'noise.bin');
  const opening = openMedia(noise);
  await expect(opening).rejects.toMatchObject({ code: 'source_unsupported' });
  await expect(opening).rejects.toThrow('npm install @ffmpeg/core');
  await expect(openMedia(noise, { decoder: 'ffmpeg' })).rejects.toMatchObject({ code: 'source_unsupported' });
  await expect(openMedia(noise, { ffmpeg })).rejects.toMatchObject({ code: 'source_unsupported' });
});

test.for(['webcodecs', 'ffmpeg'] as const)(
  'a file cut short does not pass for a short one (%s)',
  async decoder => {
    const whole = await clip();
    const cut = new File([whole.slice(0, whole.size * 0.6)], 'cut.mp4');
    const reading = (async () => {
      const media = await openMedia(cut, { decoder, ffmpeg });
      try {
        for await (const { frame } of media.frames()) frame.close();
      } finally {
        await media.close();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'decode_failed' });
  },
);

test('a wrong worker address ends in an error instead of waiting for ever', async () => {
  const urls = { ...ffmpeg, classWorkerUrl: '/no-such-worker.js' };
  const loading = openFfmpegSession(urls, { loadTimeoutSec: 0.5 });
  await expect(loading).rejects.toMatchObject({ code: 'source_unsupported' });
});

test('an abort ends ffmpeg in the middle of a run', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const session = await openFfmpegSession(ffmpeg, { signal: abort.signal });
  const endless = session.exec(['-f', 'lavfi', '-i', 'testsrc2=duration=100000', '-f', 'null', '-']);
  abort.abort(reason);
  await expect(endless).rejects.toBe(reason);
});

test('an abort before anything happened gives its reason', async () => {
  const reason = new Error('enough');
  const signal = AbortSignal.abort(reason);
  await expect(openMedia(await clip(), { signal })).rejects.toBe(reason);
  await expect(openMedia(await clip(), { signal, decoder: 'ffmpeg', ffmpeg })).rejects.toBe(reason);
});

test('frames that come at other times than announced are refused', async () => {
  const media = await openMedia({
    kind: 'frames',
    timesSec: [0, 0.04],
    durationSec: 0.08,
    display: { width: 2, height: 2, rotationDeg: 0 },
    async *frames() {
      for (const timestamp of [0, 50_000])
        yield new VideoFrame(new Uint8Array(6), { format: 'I420', codedWidth: 2, codedHeight: 2, timestamp });
    },
  });
  const reading = (async () => {
    for await (const { frame } of media.frames()) frame.close();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'decode_failed' });
});
