import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { expect, test } from 'vitest';
import { soundOf } from '../../src/media/input/sound.js';
import { openMedia } from '../../src/media/source.js';
import { listen, mediaContract } from '../contract/media-contract.js';
import { drawClip, readFrame } from './media-clips.js';

const ffmpeg = { coreUrl, wasmUrl };

mediaContract('webcodecs', file => openMedia(file, { decoder: 'webcodecs' }));
mediaContract('ffmpeg', file => openMedia(file, { decoder: 'ffmpeg', ffmpeg }));
mediaContract('frames of an editor', async file => {
  const inner = await openMedia(file, { decoder: 'webcodecs' });
  const timesSec: number[] = [];
  for await (const { frame, timeSec } of inner.frames()) {
    timesSec.push(timeSec);
    frame.close();
  }
  const sound = soundOf(inner);
  return openMedia({
    kind: 'frames',
    timesSec,
    durationSec: inner.facts.durationSec,
    display: inner.facts.display,
    async *frames(range) {
      for await (const { frame } of inner.frames(range)) yield frame;
    },
    ...(sound && {
      audio: {
        sampleRateHz: sound.sampleRateHz,
        channels: sound.channels,
        blocks: range => sound.blocks(range),
      },
    }),
  });
});

test('ffmpeg joins many chunks without losing a frame or a sample', async () => {
  const timesSec = Array.from({ length: 250 }, (_, i) => i / 4);
  const file = await drawClip({
    timesSec,
    lastDurationSec: 0.25,
    soundSec: [0, 62.5],
    beepsSec: [[0.5, 62]],
  });
  const [own, other] = await Promise.all([
    openMedia(file, { decoder: 'ffmpeg', ffmpeg }),
    openMedia(file, { decoder: 'webcodecs' }),
  ]);
  const shown: number[] = [];
  for await (const { frame, frameNumber } of own.frames()) {
    expect(frameNumber).toBe(shown.length);
    shown.push((await readFrame(frame)).rank);
    frame.close();
  }
  expect(shown).toEqual([...timesSec.keys()]);
  const [a, b] = [(await listen(own)).samples, (await listen(other)).samples];
  expect(a.length).toBe(b.length);
  const worst = a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);
  expect(worst).toBeLessThan(0.01);
  await Promise.all([own.close(), other.close()]);
});
