import { ALL_FORMATS, BlobSource, Input } from 'mediabunny';
import { expect, test } from 'vitest';
import { captions } from '../../src/captions/captions.js';
import { toWebVtt } from '../../src/captions/to-webvtt.js';
import { createReframer, type RenderOptions } from '../../src/index.js';
import { regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { spoken } from '../unit/captions/spoken.js';

test('the browser’s own player reads the captions: times, speakers, lines', async () => {
  const made = captions(
    spoken('A: Is 3 < 4 && true? | B: Yes, that is what I always said about it, no doubt.'),
  );
  const video = document.createElement('video');
  const track = document.createElement('track');
  const url = URL.createObjectURL(new Blob([toWebVtt(made, { language: 'en' })], { type: 'text/vtt' }));
  track.src = url;
  track.kind = 'captions';
  video.append(track);
  document.body.append(video);
  track.track.mode = 'showing';
  await new Promise((resolve, reject) => {
    track.onload = resolve;
    track.onerror = () => reject(new Error('the track was refused'));
  });
  const cues = [...(track.track.cues ?? [])] as VTTCue[];
  expect(cues.map(cue => cue.getCueAsHTML().textContent)).toEqual(
    made.map(({ lines }) => lines.map(({ text }) => text).join('\n')),
  );
  cues.forEach((cue, i) => {
    expect(cue.startTime).toBeCloseTo(made[i]!.startSec, 2);
    expect(cue.endTime).toBeCloseTo(made[i]!.endSec, 2);
    expect(cue.getCueAsHTML().querySelector('span')!.title).toBe(made[i]!.speaker);
  });
  video.remove();
  URL.revokeObjectURL(url);
});

test.each([false, true])(
  'a clip carries captions as a track, in chunks: %s; one without words has none',
  async resumable => {
    const size = { width: 192, height: 108 };
    const { blob } = await drawnClip(
      { size, timesSec: regularTimes(10, 30), shots: [{ startFrame: 0, discs: [] }] },
      { audioCodec: 'aac' },
    );
    const reframer = createReframer({ device: 'wasm', models: { shotDetector: 'model-free' } });
    const result = await reframer.analyse(blob, { want: ['scene_detection'], startSec: 1 });
    const plan = reframer.plan(result, { outputHeight: 128 });
    const render = async (captionTrack: RenderOptions['captionTrack']) => {
      const fileName = `captioned-${resumable}.mp4`;
      const clip = await reframer.render(blob, plan, {
        ...{ fileName, resumable },
        ...(captionTrack && { captionTrack }),
      });
      return { clip, text: new TextDecoder('latin1').decode(await clip.file!.arrayBuffer()) };
    };
    const said = captions(spoken('A: Gone before the clip begins. | B: Heard within.'));
    const { clip, text } = await render({ captions: said, language: 'de' });
    expect(clip.startSec).toBeCloseTo(1, 2);
    expect(text).toContain('wvtt');
    expect(text).toContain('within.');
    using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(clip.file!) });
    expect((await input.getPrimaryVideoTrack())!.displayHeight).toBe(128);
    expect(await input.getPrimaryAudioTrack()).not.toBeNull();
    expect((await render({ captions: [], language: 'de' })).text).not.toContain('wvtt');
    expect((await render(undefined)).text).not.toContain('wvtt');
    reframer.close();
  },
);
