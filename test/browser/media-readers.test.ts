import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { soundOf } from '../../src/media/sound.js';
import { openMedia } from '../../src/media/source.js';
import { mediaContract } from '../contract/media-contract.js';

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
