import { describe, expect, test } from 'vitest';
import type { Media, MediaFrame, ReadRange } from '../../src/media/media.js';
import { type ClipSpec, drawClip, readFrame } from '../browser/media-clips.js';

/** Frame times of a phone that cannot keep its rate: 25 per second, up to 8 ms late. */
const unsteady = (count: number, startSec = 0): number[] =>
  Array.from({ length: count }, (_, i) => startSec + i / 25 + (i % 3) * 0.004);

/** The MP4 timescale of drawn clips is 57600: times are kept to half a tick, 9 µs. */
const tickSec = 10e-6;

const clip = (spec: Partial<ClipSpec> = {}): Promise<File> =>
  drawClip({ timesSec: unsteady(60), lastDurationSec: 0.04, ...spec });

/** What every reader promises about a file, whichever way it decodes. */
export function mediaContract(name: string, open: (file: File) => Promise<Media>): void {
  const using = async <T>(file: File, task: (media: Media) => Promise<T>): Promise<T> => {
    const media = await open(file);
    try {
      return await task(media);
    } finally {
      await media.close();
    }
  };

  describe(name, () => {
    test('hands out every frame once, in order, with its rank and its true time', async () => {
      const timesSec = unsteady(60);
      await using(await clip(), async media => {
        expect(media.facts).toMatchObject({ totalFrames: 60, firstFrameSec: 0, dynamicRange: 'sdr' });
        expect(media.facts.audio).toBeUndefined();
        const frames = await collect(media);
        expect(frames.map(f => f.frameNumber)).toEqual(timesSec.map((_, i) => i));
        expect(frames.map(f => f.shown)).toEqual(timesSec.map((_, i) => i));
        for (const [i, f] of frames.entries()) {
          expect(Math.abs(f.timeSec - timesSec[i]!)).toBeLessThan(tickSec);
          expect(f.timestamp).toBe(Math.round(f.timeSec * 1e6));
          expect(
            Math.abs(f.durationSec - ((timesSec[i + 1] ?? timesSec[i]! + 0.04) - timesSec[i]!)),
          ).toBeLessThan(2 * tickSec);
        }
        expect(Math.abs(media.facts.durationSec - (timesSec[59]! + 0.04))).toBeLessThan(tickSec);
      });
    });

    test('counts the frames of a range from the start of the file', async () => {
      await using(await clip(), async media => {
        const range = { startSec: 0.7, endSec: 1.3 };
        const expected = unsteady(60).flatMap((t, i) => (t >= 0.7 && t < 1.3 ? [i] : []));
        const frames = await collect(media, range);
        expect(frames.map(f => f.frameNumber)).toEqual(expected);
        expect(frames.map(f => f.shown)).toEqual(expected);
        const again = await collect(media, { startSec: frames[3]!.timeSec, endSec: frames[5]!.timeSec });
        expect(again.map(f => f.frameNumber)).toEqual(expected.slice(3, 5));
        expect(await collect(media, { startSec: 50 })).toEqual([]);
      });
    });

    test('leaves pixels as they are coded and says how to turn them', async () => {
      await using(await clip({ rotation: 90, width: 192, height: 108 }), async media => {
        expect(media.facts.display).toEqual({ width: 108, height: 192, rotationDeg: 90 });
        for await (const { frame } of media.frames({ endSec: 0.05 })) {
          expect([frame.visibleRect!.width, frame.visibleRect!.height]).toEqual([192, 108]);
          frame.close();
        }
      });
    });

    test('keeps what starts late where it is', async () => {
      const late = await clip({ timesSec: unsteady(20, 10) });
      await using(late, async media => {
        expect(media.facts).toMatchObject({ startSec: 10, firstFrameSec: 10 });
        expect(Math.abs(media.facts.durationSec - (unsteady(20, 10)[19]! + 0.04))).toBeLessThan(tickSec);
        expect(media.frameTimeSec(0)).toBe(10);
        expect((await collect(media, { endSec: 10.1 })).map(f => f.frameNumber)).toEqual([0, 1, 2]);
      });
      const soundFirst = await clip({
        timesSec: unsteady(20, 0.5),
        soundSec: [0, 1.4],
        beepsSec: [[0.6, 0.7]],
      });
      await using(soundFirst, async media => {
        expect(Math.abs(media.facts.firstFrameSec - 0.5)).toBeLessThan(tickSec);
        expect(Math.abs((await beepStart(media)) - 0.6)).toBeLessThan(0.002);
      });
    });

    test('fills silence before sound that starts late, and hears it on time', async () => {
      await using(await clip({ soundSec: [0.11, 2.3], beepsSec: [[1, 1.1]] }), async media => {
        expect(media.facts.audio).toMatchObject({ sampleRateHz: 48_000, channels: 1 });
        const { samples, startSec } = await listen(media);
        expect(startSec).toBe(0);
        expect(Math.max(...samples.subarray(0, 1600).map(Math.abs))).toBeLessThan(0.01);
        expect(Math.abs((await beepStart(media)) - 1)).toBeLessThan(0.002);
        expect(Math.abs(samples.length / 16_000 - 2.3)).toBeLessThan(0.05);
      });
    });

    test('gives the same sound for a range as for the whole', async () => {
      await using(await clip({ soundSec: [0, 2.4], beepsSec: [[0.2, 2.2]] }), async media => {
        const whole = (await listen(media)).samples;
        const part = await listen(media, { startSec: 0.8, endSec: 1.5 });
        expect(part.startSec).toBe(0.8);
        expect(Math.abs(part.samples.length - 0.7 * 16_000)).toBeLessThanOrEqual(1);
        for (let i = 0; i < part.samples.length; i++)
          expect(Math.abs(part.samples[i]! - whole[0.8 * 16_000 + i]!)).toBeLessThan(0.02);
      });
    });

    test('gives no sound where there is none', async () => {
      await using(await clip({ timesSec: unsteady(5) }), async media => {
        expect((await listen(media)).samples.length).toBe(0);
      });
    });

    test('stops at an abort with the reason, and at an early leave without', async () => {
      await using(await clip(), async media => {
        const abort = new AbortController();
        const reason = new Error('enough');
        const reading = (async () => {
          for await (const { frame, frameNumber } of media.frames({ signal: abort.signal })) {
            frame.close();
            if (frameNumber === 2) abort.abort(reason);
          }
        })();
        await expect(reading).rejects.toBe(reason);
        for await (const { frame } of media.frames()) {
          frame.close();
          break;
        }
        expect((await collect(media, { endSec: 0.1 })).length).toBe(3);
      });
    });
  });
}

type Seen = Omit<MediaFrame, 'frame'> & { readonly shown: number; readonly timestamp: number };

async function collect(media: Media, range?: ReadRange): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { frame, ...rest } of media.frames(range)) {
    seen.push({ ...rest, shown: (await readFrame(frame)).rank, timestamp: frame.timestamp });
    frame.close();
  }
  return seen;
}

/** All blocks joined; checks that they follow without gaps. */
export async function listen(
  media: Media,
  range?: ReadRange,
): Promise<{ samples: Float32Array; startSec: number }> {
  const blocks: Float32Array[] = [];
  let startSec = Number.NaN;
  let length = 0;
  for await (const block of media.audio(range)) {
    if (!blocks.length) startSec = block.timeSec;
    expect(block.timeSec).toBeCloseTo(startSec + length / 16_000, 9);
    blocks.push(block.samples);
    length += block.samples.length;
  }
  const samples = new Float32Array(length);
  let at = 0;
  for (const block of blocks) {
    samples.set(block, at);
    at += block.length;
  }
  return { samples, startSec };
}

/** When the tone is first at half of its strength, in seconds. */
export async function beepStart(media: Media, range?: ReadRange): Promise<number> {
  const { samples, startSec } = await listen(media, range);
  return startSec + samples.findIndex(x => Math.abs(x) > 0.4) / 16_000;
}
