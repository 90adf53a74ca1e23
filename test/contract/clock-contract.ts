import { describe, expect, test } from 'vitest';
import type { Media } from '../../src/media/media.js';
import { type ClipSpec, drawClip, readFrame, soundRateHz } from '../browser/media-clips.js';
import { type ShownFrame, shownByVideo } from '../browser/shown-by-video.js';
import { withEdits, withPictureDelay } from '../fixtures/edit-list.js';
import { beepStart } from './media-contract.js';

/** A file whose clock is not the plain one. */
type ClockFile = {
  readonly make: () => Promise<File>;
  /** When picture or sound first begins, in seconds; default 0. */
  readonly startSec?: number;
  /** When the first beep is heard; without it the file is silent. */
  readonly beepSec?: number;
  /** How far readers may be off; default 2 ms. */
  readonly beepToleranceSec?: number;
};

const frameSec = 1 / 25;
const regular = (startSec = 0): number[] => Array.from({ length: 50 }, (_, i) => startSec + i * frameSec);
const draw = (spec: Partial<ClipSpec> = {}): Promise<File> =>
  drawClip({ timesSec: regular(), lastDurationSec: frameSec, ...spec });
const beeps: Partial<ClipSpec> = { soundSec: [0, 2], beepsSec: [[1, 1.1]] };
/** What an AAC encoder puts first; where the edit list does not take it off, the sound comes that much later. */
const primingSec = 1024 / soundRateHz;
/** A moment inside frame 10. */
const insideSec = 0.413;

const files: Readonly<Record<string, ClockFile>> = {
  'no edit list': { make: () => draw() },
  'an edit that starts with a frame': {
    make: async () => withEdits(await draw(), { vide: [{ durationSec: 1.2, mediaSec: 0.4 }] }),
  },
  'an edit that starts inside a frame': {
    make: async () => withEdits(await draw(), { vide: [{ durationSec: 1.2, mediaSec: insideSec }] }),
  },
  'an edit that starts near the end of the first frame': {
    make: async () => withEdits(await draw(), { vide: [{ durationSec: 1.9, mediaSec: 0.0343 }] }),
  },
  'an edit that ends inside a frame': {
    make: async () => withEdits(await draw(), { vide: [{ durationSec: 1.013, mediaSec: 0.2 }] }),
  },
  'a picture cut inside a frame beside whole sound with priming': {
    make: async () =>
      withEdits(await draw(beeps), {
        vide: [{ durationSec: 1.2, mediaSec: insideSec }],
        soun: [{ durationSec: 1.9, mediaSec: primingSec }],
      }),
    beepSec: 1,
  },
  'picture and sound cut inside a frame': {
    make: async () =>
      withEdits(await draw(beeps), {
        vide: [{ durationSec: 1.2, mediaSec: insideSec }],
        soun: [{ durationSec: 1.2, mediaSec: insideSec }],
      }),
    beepSec: 1 + primingSec - insideSec,
  },
  'priming that no edit list takes off': {
    make: async () => withEdits(await draw(beeps), { soun: [] }),
    beepSec: 1 + primingSec,
  },
  'a pause before the picture': {
    make: async () =>
      withEdits(await draw(beeps), { vide: [{ durationSec: 0.21 }, { durationSec: 1.2, mediaSec: 0 }] }),
    beepSec: 1,
  },
  'a pause before a picture that is cut inside a frame': {
    make: async () =>
      withEdits(await draw(), { vide: [{ durationSec: 0.2 }, { durationSec: 1.2, mediaSec: insideSec }] }),
    startSec: 0.2,
  },
  'a pause before sound of which the start is cut off': {
    make: async () =>
      withEdits(
        await draw({
          ...beeps,
          beepsSec: [
            [0.3, 0.36],
            [1, 1.1],
          ],
        }),
        {
          soun: [{ durationSec: 0.2 }, { durationSec: 1.2, mediaSec: insideSec }],
        },
      ),
    beepSec: 0.2 + 1 + primingSec - insideSec,
  },
  'a pause before everything': {
    make: async () =>
      withEdits(await draw(beeps), {
        vide: [{ durationSec: 0.5 }, { durationSec: 2, mediaSec: 0 }],
        soun: [{ durationSec: 0.5 }, { durationSec: 1.9, mediaSec: primingSec }],
      }),
    startSec: 0.5,
    beepSec: 1.5,
  },
  'pictures that are shown later than decoded': {
    make: async () => withPictureDelay(await draw(), 0.08),
    startSec: 0.08,
  },
  'pictures before 0': { make: async () => withPictureDelay(await draw(), -0.09), startSec: 0.03 },
  'fragments whose edit starts inside a frame': {
    make: async () =>
      withEdits(await draw({ fragmented: true }), { vide: [{ durationSec: 0, mediaSec: insideSec }] }),
    startSec: 11 * frameSec - insideSec,
  },
  'WebM that starts late': {
    make: () => draw({ container: 'webm', codec: 'vp9', timesSec: regular(10) }),
    startSec: 10,
  },
  'WebM whose picture starts late': {
    make: () => draw({ container: 'webm', codec: 'vp9', timesSec: regular(0.5), ...beeps }),
    beepSec: 1,
    // The file does not say how long its Opus warms up: ffmpeg counts these 6.5 ms, browsers do not.
    beepToleranceSec: 0.008,
  },
};

const made = new Map<string, Promise<{ file: File; shown: ShownFrame[] }>>();

/** The file, and what a `<video>` element makes of it; made once for all readers. */
const look = (name: string): Promise<{ file: File; shown: ShownFrame[] }> => {
  const { make, startSec = 0 } = files[name]!;
  const looking =
    made.get(name) ??
    make().then(async file => ({
      file,
      // In the middle of frames, so that rounding does not matter; the start comes last, because players begin there.
      shown: await shownByVideo(file, [startSec + 0.81, startSec + 0.61, startSec + 0.001]),
    }));
  made.set(name, looking);
  return looking;
};

/**
 * One clock: a reader gives frames the times at which a `<video>` element shows them, and sound lies where the edit list
 * puts it on the same clock.
 */
export function clockContract(name: string, open: (file: File) => Promise<Media>): void {
  describe(`the clock of ${name}`, () => {
    test.for(Object.entries(files))(
      '%s',
      async ([fileName, { startSec = 0, beepSec, beepToleranceSec = 0.002 }]) => {
        const { file, shown } = await look(fileName);
        const media = await open(file);
        try {
          const times = new Map<number, number>();
          for await (const { frame, frameNumber, timeSec } of media.frames()) {
            expect(frameNumber).toBe(times.size);
            times.set((await readFrame(frame)).rank, timeSec);
            frame.close();
          }
          const ours = shown.map(({ rank }) => ({ rank, mediaSec: times.get(rank) ?? Number.NaN }));
          for (const [i, { mediaSec }] of shown.entries())
            expect(Math.abs(ours[i]!.mediaSec - mediaSec), JSON.stringify({ ours, shown })).toBeLessThan(
              1e-3,
            );
          const [first] = times.values();
          expect(media.facts.firstFrameSec).toBe(first);
          expect(media.facts.startSec).toBeCloseTo(startSec, 3);
          if (beepSec === undefined) expect(media.facts.audio).toBeUndefined();
          else expect(Math.abs((await beepStart(media)) - beepSec)).toBeLessThan(beepToleranceSec);
        } finally {
          await media.close();
        }
      },
    );
  });
}
