import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CaptionPainter,
  type CaptionPicture,
  captionStretches,
  captions,
  createCaptionPainter,
  safeArea,
} from '../../src/captions/index.js';
import { createReframer, discardChunks, type Plan } from '../../src/index.js';
import { openMedia } from '../../src/media/source.js';
import { createRenderTasks, type RenderTask } from '../../src/pipeline/rendering/render-tasks.js';
import { toWorkerSource } from '../../src/pipeline/worker-source.js';
import { type CaptionStyle, completeCaptionStyle } from '../../src/schema/caption-style.js';
import { spoken } from '../unit/captions/spoken.js';
import { drawClip } from './media-clips.js';

const source = { width: 192, height: 108 };
const output = { width: 360, height: 640 };
const rateHz = 25;
const frames = 75;

/** One view: the middle of the source, upright. */
const plan: Plan = {
  model: 'reframe',
  ...source,
  ...{ output_width: output.width, output_height: output.height, video_fps: rateHz },
  ...{ total_frames: frames, first_frame: 0, frame_count: frames },
  segments: [
    {
      ...{ scene_id: 0, start_frame: 0, end_frame: frames, layout: 'single', reason: 'center' },
      ...{ confidence: 1, alternatives: [] },
      panels: [
        {
          output: { x: 0, y: 0, ...output },
          keyframes: [{ frame_number: 0, timestamp: 0, x: 65.6, y: 0, width: 60.75, height: 108 }],
        },
      ],
    },
  ],
};

const painterOf = (text: string, style: Partial<CaptionStyle>, language = 'en'): CaptionPainter => {
  const lines = captions(spoken(text, 10, language), { maxCharacters: 18 });
  return createCaptionPainter({
    ...{ captions: lines, language, output, stretches: captionStretches(lines, plan) },
    style: completeCaptionStyle(style),
  });
};

/** The pixels of a picture, and where those of a colour lie: their mean place across, and how many they are. */
function look({ image, box }: CaptionPicture) {
  const { data } = image.getContext('2d')!.getImageData(0, 0, box.width, box.height);
  return {
    alphaAt: (x: number, y: number) => data[4 * (y * box.width + x) + 3]!,
    of([red, green, blue]: readonly [number, number, number]) {
      let [count, sum] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        const off = [red, green, blue].some((value, i) => Math.abs(data[at + i]! - value) > 8);
        if (off || data[at + 3]! < 250) continue;
        count++;
        sum += (at / 4) % box.width;
      }
      return { count, x: box.x + sum / count };
    },
  };
}

const yellow = [255, 214, 10] as const;
const white = [255, 255, 255] as const;

describe('the painter', () => {
  test('colours the word that is heard, from left to right', () => {
    const painter = painterOf('one two three', { look: 'karaoke' });
    const [first, last] = [look(painter.at(0.05)!).of(yellow), look(painter.at(1)!).of(yellow)];
    expect(first.count).toBeGreaterThan(20);
    expect(first.x).toBeLessThan(last.x);
  });

  test('colours the word that is heard from right to left, where that is how it is read', () => {
    const painter = painterOf('שלום לכולם כאן', { look: 'karaoke' }, 'he');
    const [first, last] = [look(painter.at(0.05)!).of(yellow), look(painter.at(1.1)!).of(yellow)];
    expect(first.count).toBeGreaterThan(20);
    expect(first.x).toBeGreaterThan(last.x);
  });

  test.each(['plain', 'karaoke', 'pop', 'box'] as const)('cuts nothing off (%s)', kind => {
    const painter = painterOf('gjpqy ÄÖÜ Ăng', { look: kind, sizeRatio: 0.09, outlineRatio: 0.2 });
    const { box } = painter.at(1)!;
    const { alphaAt } = look(painter.at(1)!);
    for (let x = 0; x < box.width; x++) expect([alphaAt(x, 0), alphaAt(x, box.height - 1)]).toEqual([0, 0]);
    for (let y = 0; y < box.height; y++) expect([alphaAt(0, y), alphaAt(box.width - 1, y)]).toEqual([0, 0]);
    const area = safeArea(output);
    expect(box.x % 2 || box.y % 2 || box.width % 2 || box.height % 2).toBe(0);
    expect(box.y).toBeGreaterThan(area.y);
    expect(box.y + box.height).toBeLessThan(area.y + area.height);
  });

  test('keeps its picture while nothing changes', () => {
    const painter = painterOf('one two', { look: 'karaoke' });
    expect(painter.at(0.1)).toBe(painter.at(0.2));
    expect(painter.at(0.6)).not.toBe(painter.at(0.2));
    expect(painter.at(20)).toBeUndefined();
    const plain = painterOf('one two', { look: 'plain' });
    expect(plain.at(0.6)).toBe(plain.at(0.1));
  });

  test('lets words pop one after the other', () => {
    const painter = painterOf('one two three', { look: 'pop', highlightColour: '#ffffff' });
    const amounts = [0.3, 0.7, 1.2].map(timeSec => look(painter.at(timeSec)!).of(white).count);
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    expect(amounts[2]).toBeGreaterThan(2 * amounts[0]!);
    // Larger when a word begins.
    expect(look(painter.at(0)!).of(white).count).toBeGreaterThan(look(painter.at(0.3)!).of(white).count);
  });

  test('puts a box behind the lines', () => {
    const { of } = look(
      painterOf('one two', { look: 'box', boxColour: '#1e4ac0', boxOpacityRatio: 1 }).at(0.1)!,
    );
    expect(of([0x1e, 0x4a, 0xc0]).count).toBeGreaterThan(of(white).count);
  });
});

let clip: File;
beforeAll(async () => {
  const timesSec = Array.from({ length: frames }, (_, i) => i / rateHz);
  clip = await drawClip({ timesSec, lastDurationSec: 1 / rateHz });
});

type Burn = NonNullable<RenderTask['burn']>;
const burnOf = (text: string, style: Partial<CaptionStyle> = {}): Burn => {
  const lines = captions(spoken(text, 10), { maxCharacters: 18 });
  return {
    ...{ captions: lines, language: 'en', stretches: captionStretches(lines, plan) },
    style: completeCaptionStyle(style),
  };
};

/** Renders in this thread, in chunks of half a second that stay. */
async function render(fileName: string, burn?: Burn) {
  const { plain } = toWorkerSource(clip);
  return createRenderTasks().render(
    {
      source: plain,
      engine: { device: 'wasm', decoder: 'auto', threads: 1, models: {} },
      ...{ plan, fileName, target: 'storage', settings: { videoBitrate: 4_000_000 } },
      ...{ resumable: 'keep', chunkSec: 0.5, ...(burn && { burn }) },
    },
    {
      signal: new AbortController().signal,
      onProgress: () => {},
      ask: () => Promise.reject(new Error('nothing is asked')),
    },
  );
}

/** Luma of each frame of a clip. */
async function lumaOf(file: Blob): Promise<{ timeSec: number; luma: Uint8Array }[]> {
  const media = await openMedia(file);
  const seen: { timeSec: number; luma: Uint8Array }[] = [];
  for await (const { frame, timeSec } of media.frames()) {
    const data = new Uint8Array(frame.allocationSize());
    const [{ offset, stride }] = (await frame.copyTo(data)) as [PlaneLayout];
    frame.close();
    const luma = new Uint8Array(output.width * output.height);
    for (let y = 0; y < output.height; y++)
      luma.set(data.subarray(offset + y * stride, offset + y * stride + output.width), y * output.width);
    seen.push({ timeSec, luma });
  }
  await media.close();
  return seen;
}

describe('a render', () => {
  test('has captions in its picture while they are said, in their place and nowhere else', async () => {
    const burn = burnOf('we are here', {
      look: 'box',
      boxColour: '#ffffff',
      boxOpacityRatio: 1,
      colour: '#000000',
    });
    const bare = await lumaOf((await render('bare.mp4')).file!);
    const drawn = await lumaOf((await render('burned.mp4', burn)).file!);
    const [{ endSec }] = burn.captions as [Burn['captions'][number]];
    const { box } = createCaptionPainter({ ...burn, output }).at(0.1)!;
    const middle = (box.y + box.height / 2) * output.width;
    drawn.forEach(({ timeSec, luma }, i) => {
      const isSaid = timeSec < endSec - 1e-3;
      // In the padding of the box, where no letter is.
      const x = box.x + Math.round(box.width / 4);
      const edge = luma.subarray(Math.round(middle) + box.x, Math.round(middle) + x);
      expect(Math.max(...edge) > 225, `${timeSec}`).toBe(isSaid);
      const above = box.y * output.width - 8 * output.width;
      const apart = bare[i]!.luma.subarray(0, above).reduce(
        (sum, value, at) => sum + Math.abs(value - luma[at]!),
        0,
      );
      expect(apart / above).toBeLessThan(2);
    });
    for (const name of ['bare.mp4', 'burned.mp4']) await discardChunks(name);
  });

  test('encodes again only the chunks that show a word that was changed', async () => {
    // Three captions, in different half seconds each: pauses of a second part them.
    const first = await render('words.mp4', burnOf('Yes. | Sure. | Fine.'));
    expect(first.diagnostics.chunks).toMatchObject({ reused: 0 });
    const total = first.diagnostics.chunks!.encoded;
    const same = await render('words.mp4', burnOf('Yes. | Sure. | Fine.'));
    expect(same.diagnostics.chunks).toEqual({ reused: total, encoded: 0 });
    const changed = burnOf('Yes. | Soon. | Fine.');
    const [, { startSec, endSec }] = changed.captions as [object, Burn['captions'][number]];
    // Half a second is twelve and a half frames.
    const chunkSec = 13 / rateHz;
    const showing = Array.from({ length: total }, (_, i) => i * chunkSec).filter(
      from => from < endSec && from + chunkSec > startSec,
    ).length;
    const corrected = await render('words.mp4', changed);
    expect(corrected.diagnostics.chunks).toEqual({ reused: total - showing, encoded: showing });
    expect(showing).toBeLessThan(total - 1);
    // Another colour: all that show a caption.
    const coloured = await render('words.mp4', {
      ...changed,
      style: { ...changed.style, highlightColour: '#00ff00' },
    });
    expect(coloured.diagnostics.chunks!.encoded).toBeGreaterThan(showing);
    // Chunks without a caption are those of a clip without any.
    expect(coloured.diagnostics.chunks!.reused).toBeGreaterThan(0);
    await discardChunks('words.mp4');
  });

  test('refuses a style that is wrong, and a font that is none', async () => {
    const reframer = createReframer({ device: 'wasm' });
    const { captions: lines, language } = burnOf('so');
    const ask = (style: Partial<CaptionStyle>) =>
      reframer.render(clip, plan, { target: 'memory', burnCaptions: { captions: lines, language, style } });
    await expect(ask({ sizeRatio: 7 })).rejects.toThrow(/style\.sizeRatio/);
    const noFont = URL.createObjectURL(new Blob(['no font']));
    await expect(ask({ fontUrl: noFont })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ask({ fontUrl: '/nowhere.woff2' })).rejects.toMatchObject({ code: 'invalid_request' });
    URL.revokeObjectURL(noFont);
    const { diagnostics } = await ask({});
    expect(diagnostics.output!.frames).toBe(frames);
    reframer.close();
  });
});
