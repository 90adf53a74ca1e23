import { ALL_FORMATS, AudioBufferSink, BlobSource, Input } from 'mediabunny';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caption, captions } from '../../src/captions/captions.js';
import { createClipClock } from '../../src/core/clip-clock.js';
import { createReframer, discardChunks, type Plan, type RenderOptions } from '../../src/index.js';
import { openMedia } from '../../src/media/source.js';
import { createRenderTasks, type RenderTask } from '../../src/pipeline/rendering/render-tasks.js';
import { toWorkerSource } from '../../src/pipeline/worker-source.js';
import { spoken } from '../unit/captions/spoken.js';
import { drawClip, readFrame } from './media-clips.js';

const size = { width: 192, height: 108 };
const rateHz = 25;
const regular = Array.from({ length: 200 }, (_, i) => i / rateHz);
const beeps = [0.52, 1.8, 3.2, 4.52, 6.4, 7.4] as const;
const range = (startSec: number, endSec: number) => ({ startSec, endSec });
/** Of what is left out between them one stretch is decoded and thrown away, the other is jumped over. */
const keep = [range(0.4, 1.2), range(3, 3.6), range(7.285, 8)];

/** Shows all of the picture, so that each frame's number can be read from it. */
const planOf = (timesSec: readonly number[]): Plan => ({
  model: 'reframe',
  ...size,
  ...{ output_width: size.width, output_height: size.height, video_fps: rateHz },
  ...{ total_frames: timesSec.length, first_frame: 0, frame_count: timesSec.length },
  segments: [
    {
      ...{ scene_id: 0, start_frame: 0, end_frame: timesSec.length, layout: 'single', reason: 'center' },
      ...{ confidence: 1, alternatives: [] },
      panels: [
        {
          output: { x: 0, y: 0, ...size },
          keyframes: [{ frame_number: 0, timestamp: timesSec[0]!, x: 0, y: 0, ...size }],
        },
      ],
    },
  ],
});
const plan = planOf(regular);

const reframer = createReframer({ device: 'wasm', threads: 1 });
afterAll(() => reframer.close());
let beeping: File;
let humming: File;
beforeAll(async () => {
  const clip = { timesSec: regular, lastDurationSec: 1 / rateHz, soundSec: [0, 8] } as const;
  beeping = await drawClip({ ...clip, beepsSec: beeps.map(at => [at, at + 0.1] as const) });
  humming = await drawClip({ ...clip, beepsSec: [[0, 8]] });
});

const render = (source: Blob, options: RenderOptions, of: Plan = plan) =>
  reframer.render(source, of, { target: 'memory', videoBitrate: 2e6, ...options });

async function framesOf(file: Blob) {
  const media = await openMedia(file);
  const frames: { rank: number; timeSec: number; durationSec: number }[] = [];
  for await (const { frame, timeSec, durationSec } of media.frames()) {
    frames.push({ rank: (await readFrame(frame)).rank, timeSec, durationSec });
    frame.close();
  }
  await media.close();
  return frames;
}

/** All samples of a clip from its 0 s on, and their rate. */
async function soundOf(file: Blob) {
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  const samples: number[] = [];
  let sampleRateHz = 0;
  const sink = new AudioBufferSink((await input.getPrimaryAudioTrack())!);
  for await (const { buffer, timestamp } of sink.buffers()) {
    sampleRateHz = buffer.sampleRate;
    const at = Math.round(timestamp * sampleRateHz);
    buffer.getChannelData(0).forEach((sample, i) => {
      if (at + i >= 0) samples[at + i] = sample;
    });
  }
  return { samples, sampleRateHz };
}

/** When beeps begin: sound after a twentieth of a second without any. */
async function beepsOf(file: Blob): Promise<number[]> {
  const { samples, sampleRateHz } = await soundOf(file);
  const begun: number[] = [];
  let quiet = Number.POSITIVE_INFINITY;
  samples.forEach((sample, i) => {
    if (Math.abs(sample) < 0.3) quiet++;
    else {
      if (quiet > sampleRateHz / 20) begun.push(i / sampleRateHz);
      quiet = 0;
    }
  });
  return begun;
}

test('a clip of several pieces has their frames and their beeps, each in its time', async () => {
  const { file, kept, durationSec } = await render(beeping, { keep });
  expect(kept).toEqual([range(0.4, 1.2), range(3, 3.6), range(7.28, 8)]);
  const clock = createClipClock(kept);
  expect(durationSec).toBeCloseTo(clock.durationSec, 3);
  const within = (timeSec: number) =>
    kept.some(r => timeSec >= r.startSec - 1e-6 && timeSec < r.endSec - 1e-6);
  const frames = await framesOf(file!);
  expect(frames.map(({ rank }) => rank)).toEqual([...regular.keys()].filter(rank => within(regular[rank]!)));
  for (const { rank, timeSec } of frames)
    expect(Math.abs(timeSec - clock.toClip(regular[rank]!))).toBeLessThan(1e-4);
  const heard = await beepsOf(file!);
  const wanted = beeps.filter(within).map(clock.toClip);
  expect(heard).toHaveLength(wanted.length);
  for (const [i, at] of wanted.entries()) expect(Math.abs(heard[i]! - at)).toBeLessThan(0.002);
});

test('the sound goes down and comes up at a join, without a jump, and nowhere else', async () => {
  // Pieces that begin and end in the middle of the waves of 1 kHz: at the joins the wave would jump.
  const { file, kept, diagnostics } = await render(humming, { keep });
  expect(diagnostics.output!.audio).not.toContain('copied');
  const { samples, sampleRateHz } = await soundOf(file!);
  const { stretches, durationSec } = createClipClock(kept);
  const peak = (fromSec: number, untilSec: number) =>
    Math.max(
      ...samples.slice(Math.round(fromSec * sampleRateHz), Math.round(untilSec * sampleRateHz)).map(Math.abs),
    );
  const joins = stretches.slice(1).map(({ atSec }) => atSec);
  for (const join of joins) {
    expect(peak(join - 0.0005, join + 0.0005)).toBeLessThan(0.12);
    for (const side of [join - 0.03, join + 0.02]) expect(peak(side, side + 0.01)).toBeGreaterThan(0.7);
  }
  // A wave of 1 kHz and 0.8 moves by a tenth from sample to sample; what the encoder adds is a tenth of that.
  const steepest = 0.8 * 2 * Math.sin((Math.PI * 1000) / sampleRateHz) * 1.15;
  const jumps = samples.slice(1).map((sample, i) => Math.abs(sample - samples[i]!));
  expect(Math.max(...jumps.slice(2000, -2000))).toBeLessThan(steepest);
  expect(Math.abs(samples.length / sampleRateHz - durationSec)).toBeLessThan(0.05);
});

test('sound that stops early keeps what follows in time', async () => {
  const early = await drawClip({
    ...{ timesSec: regular, lastDurationSec: 1 / rateHz, soundSec: [0, 5] },
    beepsSec: [
      [0.52, 0.6],
      [4.52, 4.6],
    ],
  });
  // The first piece lies behind the end of the sound of a file that has two pieces of it.
  const { file, kept } = await render(early, { keep: [range(0.4, 1), range(4.4, 4.8), range(6, 7)] });
  const { toClip } = createClipClock(kept);
  expect((await beepsOf(file!)).map(at => at.toFixed(2))).toEqual(
    [0.52, 4.52].map(at => toClip(at).toFixed(2)),
  );
  expect((await framesOf(file!)).at(-1)!.rank).toBe(174);
});

test('at a constant rate the clip’s clock ticks on over the joins', async () => {
  const { file, kept } = await render(beeping, { keep, frameRate: 50 });
  const frames = await framesOf(file!);
  const { toSource, durationSec } = createClipClock(kept);
  expect(frames).toHaveLength(Math.round(durationSec * 50));
  frames.forEach(({ rank, timeSec }, i) => {
    expect(Math.abs(timeSec - i / 50)).toBeLessThan(1e-4);
    expect(rank).toBe(Math.floor(toSource(i / 50 + 1e-4, 'start') * rateHz));
  });
});

test('a picture that stands is cut within: it is seen again behind the join', async () => {
  const slides = [0, 2, 4, 6];
  const source = await drawClip({
    timesSec: slides,
    lastDurationSec: 2,
    soundSec: [0, 8],
    beepsSec: [[3, 3.1]],
  });
  const pieces = [range(0.5, 1), range(1.5, 2.5), range(2.9, 3.5)];
  const { file, kept } = await render(source, { keep: pieces }, planOf(slides));
  expect(kept).toEqual(pieces);
  const frames = await framesOf(file!);
  expect(frames.map(({ rank, timeSec }) => [rank, Number(timeSec.toFixed(3))])).toEqual([
    ...[
      [0, 0],
      [0, 0.5],
      [1, 1],
      [1, 1.5],
    ],
  ]);
  expect((await beepsOf(file!)).map(at => at.toFixed(2))).toEqual(['1.60']);
});

test('captions stand on the clip’s clock, and those of what is left out are gone', async () => {
  const said = captions(spoken('First. | | Second. | | Third.', 10));
  expect(said.map(({ startSec }) => startSec < 1)).toEqual([true, false, false]);
  const [first, second, third] = said as [Caption, Caption, Caption];
  const pieces = [range(0, 1), range(third.startSec - 0.1, 8)];
  const { file } = await render(beeping, { keep: pieces, captionTrack: { captions: said, language: 'en' } });
  const text = new TextDecoder('latin1').decode(await file!.arrayBuffer());
  expect(text).toContain('First.');
  expect(text).toContain('Third.');
  expect(text).not.toContain('Second.');
  expect(first.endSec).toBeLessThan(second.startSec);
});

/** Renders in this thread, in chunks of half a second that stay. */
async function inChunks(of: Plan, pieces: RenderTask['keep'], settings: RenderTask['settings'] = {}) {
  const { plain } = toWorkerSource(beeping);
  const { file, diagnostics } = await createRenderTasks().render(
    {
      ...{ source: plain, plan: of, fileName: 'pieces.mp4', target: 'storage', settings },
      engine: { device: 'wasm', decoder: 'auto', threads: 1, models: {} },
      ...{ resumable: 'keep', chunkSec: 0.5, ...(pieces && { keep: pieces }) },
    },
    {
      signal: new AbortController().signal,
      onProgress: () => {},
      ask: () => Promise.reject(new Error('nothing is asked')),
    },
  );
  // Read at once: the next render replaces the file.
  return { frames: await framesOf(file!), beeps: await beepsOf(file!), chunks: diagnostics.chunks! };
}

/** The plan with another picture from one frame to another. */
function zoomedBetween(from: number, until: number): Plan {
  const [segment] = plan.segments as [Plan['segments'][0]];
  const [panel] = segment.panels as [(typeof segment.panels)[0]];
  const part = (start_frame: number, end_frame: number, width: number) => {
    const keyframe = {
      frame_number: start_frame,
      timestamp: start_frame / rateHz,
      x: 0,
      y: 0,
      width,
      height: 108,
    };
    return { ...segment, start_frame, end_frame, panels: [{ ...panel, keyframes: [keyframe] }] };
  };
  return { ...plan, segments: [part(0, from, 192), part(from, until, 160), part(until, 200, 192)] };
}

test.for([undefined, 50])(
  'chunks of the same pieces stay, and a gap among them is drawn as it was (at %s Hz)',
  async frameRate => {
    const settings = frameRate === undefined ? {} : { frameRate };
    const whole = await inChunks(plan, undefined, settings);
    const first = await inChunks(plan, keep, settings);
    expect(whole.chunks.reused + first.chunks.reused).toBe(0);
    const count = first.chunks.encoded;
    expect(count).toBeGreaterThanOrEqual(4);
    expect(await inChunks(plan, keep, settings)).toEqual({ ...first, chunks: { reused: count, encoded: 0 } });
    // Only what is left out shows something else: the chunks are those that there are.
    const elsewhere = await inChunks(zoomedBetween(100, 150), keep, settings);
    expect(elsewhere.chunks).toEqual({ reused: count, encoded: 0 });
    // What the second piece shows lies in the middle of the clip.
    const changed = await inChunks(zoomedBetween(75, 90), keep, settings);
    expect(changed.chunks.encoded).toBeGreaterThan(0);
    expect(changed.chunks.reused).toBeGreaterThanOrEqual(2);
    expect(changed.beeps).toEqual(first.beeps);
    expect(changed.frames.map(({ timeSec }) => timeSec)).toEqual(first.frames.map(({ timeSec }) => timeSec));
    const fewer = await inChunks(plan, keep.slice(0, 2), settings);
    expect(fewer.chunks.reused).toBe(0);
    await discardChunks('pieces.mp4');
  },
);

test('ranges that are wrong are refused', async () => {
  for (const wrong of [
    [range(2, 1)],
    [range(0, 2), range(1, 3)],
    [range(0, Number.NaN)],
    [range(90, 99)],
    [],
  ])
    await expect(render(beeping, { keep: wrong })).rejects.toThrow(RangeError);
});
