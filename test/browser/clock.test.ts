import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { expect, test } from 'vitest';
import { createReframer, cropAtFrame } from '../../src/index.js';
import { openMedia } from '../../src/media/source.js';
import { cropAt } from '../../src/preview/index.js';
import { clockContract } from '../contract/clock-contract.js';
import { readTimecode } from '../fixtures/draw.js';
import { type DrawnSpec, regularTimes } from '../fixtures/drawn-clip.js';
import { withEdits } from '../fixtures/edit-list.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { beepsOf, lumaOf } from './read-clip.js';
import { shownByVideo } from './shown-by-video.js';

const ffmpeg = { coreUrl, wasmUrl };

clockContract('webcodecs', file => openMedia(file, { decoder: 'webcodecs' }));
clockContract('ffmpeg', file => openMedia(file, { decoder: 'ffmpeg', ffmpeg }));

/** Two scenes; a flash with a beep in each. */
const spec: DrawnSpec = {
  size: { width: 320, height: 180 },
  timesSec: regularTimes(25, 75),
  shots: [
    { startFrame: 0, discs: [{ x: 80, y: 90, radius: 20 }] },
    { startFrame: 40, discs: [{ x: 240, y: 90, radius: 20 }] },
  ],
  flashFrames: [20, 60],
};
/** Inside frame 10, which is not shown for that; frame 11 takes its place. */
const insideSec = 0.413;

test.for([
  ['at once', 0, 'webcodecs', 'aac'],
  ['at once', 0, 'ffmpeg', 'pcm-s16'],
  ['after a pause', 0.5, 'webcodecs', 'aac'],
] as const)(
  'analysis, plan, preview and clip have the clock of a player: it starts %s, %s s, read by %s, %s',
  async ([, pauseSec, decoder, audioCodec]) => {
    const { blob } = await drawnClip(spec, { audioCodec });
    const pause = pauseSec ? [{ durationSec: pauseSec }] : [];
    const cutOff = [...pause, { durationSec: 2.4, mediaSec: insideSec }];
    const file = await withEdits(blob, { vide: cutOff, soun: cutOff });
    const reframer = createReframer({
      device: 'wasm',
      threads: 1,
      decoder,
      ffmpeg,
      models: { cache: false, shotDetector: 'model-free' },
    });
    try {
      const result = await reframer.analyse(file, { want: ['scene_detection'] });
      const { scenes } = result.parts.scene_detection!;
      expect(scenes.map(scene => scene.start_frame)).toEqual([0, 29]);
      const shownSec = pauseSec + 29 / 25;
      expect(scenes[1]!.start_time).toBeCloseTo(shownSec, 3);

      const plan = reframer.plan(
        { ...result, size: spec.size },
        {
          outputHeight: 180,
          overrides: scenes.map(({ start_time, end_time }, i) => ({
            startSec: start_time,
            endSec: end_time,
            box: { x: i ? 200 : 20, y: 0, width: 100, height: 180 },
          })),
        },
      );
      const timecode = (picture: OffscreenCanvasRenderingContext2D) => {
        const { data } = picture.getImageData(0, 0, 320, 180);
        const green = Uint8Array.from(data.filter((_, i) => i % 4 === 1));
        return readTimecode(green, spec.size);
      };
      // The last frame of the first scene and the first of the second one, in their middles.
      const shown = await shownByVideo(file, [shownSec - 0.02, shownSec + 0.02], timecode);
      expect(shown.map(({ rank }) => rank)).toEqual([39, 40]);
      for (const { rank, mediaSec } of shown)
        expect(cropAt(plan, mediaSec)).toEqual(cropAtFrame(plan, rank - 11));

      const { file: clip, durationSec } = await reframer.render(file, plan, { target: 'memory' });
      // What is a pause in the source is none in the clip.
      expect(Math.abs(durationSec - 2.4)).toBeLessThan(1 / 25);
      const flashes: number[] = [];
      for await (const { timeSec, luma, stride, height } of lumaOf(clip!))
        if (luma[Math.round(height * 0.8) * stride + 20]! > 200) flashes.push(timeSec);
      const beeps = await beepsOf(clip!);
      expect(flashes).toHaveLength(2);
      expect(beeps).toHaveLength(2);
      for (const [i, rank] of spec.flashFrames!.entries()) {
        expect(Math.abs(flashes[i]! - (rank - 11) / 25)).toBeLessThan(1e-3);
        expect(Math.abs(beeps[i]! - (rank / 25 - insideSec))).toBeLessThan(0.01);
      }
    } finally {
      reframer.close();
    }
  },
);
