import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReframer, discardChunks, type Plan } from '../../src/index.js';
import { dropOldChunks } from '../../src/media/output/old-chunks.js';
import { openMedia, type SourceInput } from '../../src/media/source.js';
import { openClipFolder } from '../../src/pipeline/rendering/clip-folder.js';
import {
  createRenderTasks,
  type RenderReport,
  type RenderTask,
} from '../../src/pipeline/rendering/render-tasks.js';
import { toWorkerSource } from '../../src/pipeline/worker-source.js';
import { chunkName, chunkRecordName } from '../../src/schema/chunk-names.js';
import { drawClip, readFrame } from './media-clips.js';

const size = { width: 192, height: 108 };
const chunkSec = 0.5;
/** Unsteady frame times; the picture starts 40 ms after the sound. */
const timesSec = Array.from({ length: 70 }, (_, i) => 0.04 + i / 25 + (i % 2) * 0.007);
const whole = { x: 0, y: 0, ...size };

/** Shows all of the picture, so that each frame's number can be read from it. */
const plan: Plan = {
  model: 'reframe',
  ...size,
  output_width: size.width,
  output_height: size.height,
  video_fps: 25,
  total_frames: timesSec.length,
  first_frame: 0,
  frame_count: timesSec.length,
  segments: [
    {
      scene_id: 0,
      start_frame: 0,
      end_frame: timesSec.length,
      layout: 'single',
      reason: 'center',
      confidence: 1,
      alternatives: [],
      panels: [{ output: whole, keyframes: [{ frame_number: 0, timestamp: 0.04, ...whole }] }],
    },
  ],
};
/** The same length and timing, another picture. */
const zoomed: Plan = {
  ...plan,
  segments: plan.segments.map(segment => ({
    ...segment,
    panels: [
      {
        output: whole,
        keyframes: [{ frame_number: 0, timestamp: 0.04, x: 10, y: 6, width: 160, height: 90 }],
      },
    ],
  })),
};

let source: File;
let folder: FileSystemDirectoryHandle;
beforeAll(async () => {
  source = await drawClip({ timesSec, lastDurationSec: 0.04, soundSec: [0, 2.8], beepsSec: [[1, 1.1]] });
  folder = await openClipFolder();
});

const namesOf = async (clipName: string) => {
  const names: string[] = [];
  for await (const name of folder.keys()) if (name.startsWith(clipName)) names.push(name);
  return names.sort();
};

type RenderCall = Partial<Omit<RenderTask, 'source'>> & {
  readonly from?: SourceInput;
  /** Aborted when the clip has come so far. */
  readonly cutSec?: number;
};

/** Renders in this thread. */
async function render(
  fileName: string,
  { cutSec, from = source, ...options }: RenderCall = {},
): Promise<RenderReport & { readonly ratios: readonly number[] }> {
  const controller = new AbortController();
  const ratios: number[] = [];
  const { plain, callbacks } = toWorkerSource(from);
  const report = await createRenderTasks().render(
    {
      source: plain,
      engine: { device: 'wasm', decoder: 'auto', threads: 1, models: {} },
      plan,
      settings: {},
      target: 'storage',
      fileName,
      resumable: true,
      chunkSec,
      ...options,
    },
    {
      signal: controller.signal,
      onProgress: ({ doneRatio, processedSec }) => {
        ratios.push(doneRatio);
        if (processedSec >= (cutSec ?? Number.POSITIVE_INFINITY)) controller.abort(new Error('cut off'));
      },
      ask: async (name, value) => (await callbacks[name]!(value as never)).value as never,
    },
  );
  return { ...report, ratios };
}

type Seen = { readonly timeSec: number; readonly rank: number; readonly pixels: Uint8Array };

/** What a clip shows and how long it lasts. */
async function look(file: Blob): Promise<{ frames: readonly Seen[]; durationSec: number; facts: object }> {
  const media = await openMedia(file);
  const frames: Seen[] = [];
  for await (const { frame, timeSec } of media.frames()) {
    const { rank } = await readFrame(frame);
    const pixels = new Uint8Array(frame.allocationSize());
    await frame.copyTo(pixels);
    frame.close();
    frames.push({ timeSec, rank, pixels });
  }
  await media.close();
  return { frames, durationSec: media.facts.durationSec, facts: media.facts };
}

/** The mean difference of the frame that differs most. */
const worst = (one: readonly Seen[], other: readonly Seen[]) =>
  Math.max(
    ...one.map(({ pixels }, i) => {
      const them = other[i]!.pixels;
      return pixels.reduce((sum, value, at) => sum + Math.abs(value - them[at]!), 0) / pixels.length;
    }),
  );

const write = async (name: string, data: FileSystemWriteChunkType) => {
  const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
  await writable.write(data);
  await writable.close();
};

/** While `work` goes on, no file whose name begins so can be written. */
async function withoutRoomFor(start: string, work: () => Promise<void>): Promise<void> {
  const { createWritable } = FileSystemFileHandle.prototype;
  FileSystemFileHandle.prototype.createWritable = function (this: FileSystemFileHandle, options) {
    return this.name.startsWith(start)
      ? Promise.reject(new DOMException('no room', 'QuotaExceededError'))
      : createWritable.call(this, options);
  };
  try {
    await work();
  } finally {
    FileSystemFileHandle.prototype.createWritable = createWritable;
  }
}

const remove = async (...names: string[]) => {
  for (const name of names) await folder.removeEntry(name);
};

for (const { name, settings, tickHz } of [
  { name: 'the source’s own times', settings: {}, tickHz: 0 },
  { name: 'a constant rate below the source’s', settings: { frameRate: 20 }, tickHz: 20 },
  { name: 'a constant rate above the source’s', settings: { frameRate: 60 }, tickHz: 60 },
])
  describe(name, () => {
    const clip = `seams-${tickHz}`;
    let uncut: Awaited<ReturnType<typeof look>>;
    let report: RenderReport;
    beforeAll(async () => {
      report = await render(`${clip}-uncut.mp4`, { settings });
      uncut = await look(report.file!);
    });
    // Other tests of this browser look at the same folder.
    afterAll(() => remove(`${clip}-uncut.mp4`));

    test('chunks change nothing but the encoder’s beginnings', async () => {
      expect(await namesOf(`${clip}-uncut.mp4`)).toEqual([`${clip}-uncut.mp4`]);
      const { file, durationSec, diagnostics } = await render('one-piece.mp4', {
        settings,
        resumable: false,
        target: 'memory',
      });
      const onePiece = await look(file!);
      expect(report.durationSec).toBeCloseTo(durationSec, 6);
      expect(report.diagnostics.output!.frames).toBe(diagnostics.output!.frames);
      expect(report.diagnostics.output!.audio).toBe(diagnostics.output!.audio);
      expect(uncut.facts).toEqual({ ...onePiece.facts });
      expect(uncut.frames.map(f => f.rank)).toEqual(onePiece.frames.map(f => f.rank));
      // The file counts in 57600ths of a second.
      for (const [i, { timeSec }] of onePiece.frames.entries())
        expect(Math.abs(uncut.frames[i]!.timeSec - timeSec)).toBeLessThan(2.5e-5);
    });

    test.for([1, 2, 3, 4, 5])('is the same when it is cut off after %i chunks', async k => {
      const fileName = `${clip}-${k}.mp4`;
      await expect(render(fileName, { settings, cutSec: k * chunkSec + 0.3 })).rejects.toThrow('cut off');
      const kept = Array.from({ length: k }, (_, index) => chunkName(fileName, index));
      expect(await namesOf(fileName)).toEqual([...kept, chunkRecordName(fileName)].sort());

      const resumed = await render(fileName, { settings });
      const seen = await look(resumed.file!);
      expect(seen.frames.map(f => f.timeSec)).toEqual(uncut.frames.map(f => f.timeSec));
      expect(seen.frames.map(f => f.rank)).toEqual(uncut.frames.map(f => f.rank));
      expect(seen.durationSec).toBe(uncut.durationSec);
      expect(resumed.durationSec).toBe(report.durationSec);
      expect(worst(seen.frames, uncut.frames)).toBeLessThanOrEqual(1);

      // Only what is missing is read: the last number counts the answer that there is no more.
      const { resumedFromSec, stages, output, fallbacks } = resumed.diagnostics;
      const missing = timesSec.filter(timeSec => timeSec >= resumedFromSec! - 1e-4);
      expect(Math.abs(resumedFromSec! - k * chunkSec)).toBeLessThan(0.2);
      expect(stages.decode!.count).toBe(missing.length + 1);
      expect(output!.frames).toBe(report.diagnostics.output!.frames);
      expect(fallbacks).toEqual(report.diagnostics.fallbacks);
      expect(resumed.ratios[0]).toBeGreaterThan((k * chunkSec) / 2.8 - 0.1);
      expect(resumed.ratios.at(-1)).toBe(1);
      expect(await namesOf(fileName)).toEqual([fileName]);
      await remove(fileName);
    });
  });

test('each chunk is a clip that begins with a key frame', async () => {
  await expect(render('keys.mp4', { cutSec: 1.3 })).rejects.toThrow('cut off');
  let rank = 0;
  for (const index of [0, 1]) {
    const file = await (await folder.getFileHandle(chunkName('keys.mp4', index))).getFile();
    // Nothing could be decoded from elsewhere: the file stands alone.
    const { frames } = await look(file);
    expect(frames[0]).toMatchObject({ timeSec: 0, rank });
    rank += frames.length;
  }
  await discardChunks('keys.mp4');
  expect(await namesOf('keys.mp4')).toEqual([]);
});

test('what is left of another plan, bitrate or source is removed first', async () => {
  await expect(render('other.mp4', { cutSec: 1.7 })).rejects.toThrow('cut off');
  // Cut off before its own first chunk is closed, so that nothing but the old ones could be there.
  await expect(render('other.mp4', { plan: zoomed, cutSec: 0.2 })).rejects.toThrow('cut off');
  expect(await namesOf('other.mp4')).toEqual([]);

  await expect(render('other.mp4', { cutSec: 0.8 })).rejects.toThrow('cut off');
  const { file, diagnostics } = await render('other.mp4', { plan: zoomed });
  expect(diagnostics.resumedFromSec).toBeUndefined();
  const anew = await render('anew.mp4', { plan: zoomed });
  expect(worst((await look(file!)).frames, (await look(anew.file!)).frames)).toBeLessThanOrEqual(1);

  await expect(render('other.mp4', { cutSec: 0.8 })).rejects.toThrow('cut off');
  const finer = await render('other.mp4', { settings: { videoBitrate: 900_000 } });
  expect(finer.diagnostics.resumedFromSec).toBeUndefined();

  await expect(render('other.mp4', { cutSec: 0.8 })).rejects.toThrow('cut off');
  const longer = new File([source, new Uint8Array(8)], 'longer.mp4');
  const grown = await render('other.mp4', { from: longer });
  expect(grown.diagnostics.resumedFromSec).toBeUndefined();

  await expect(render('other.mp4', { cutSec: 0.8 })).rejects.toThrow('cut off');
  await render('other.mp4', { resumable: false });
  expect(await namesOf('other.mp4')).toEqual(['other.mp4']);
  await remove('other.mp4', 'anew.mp4');
});

test('whatever a killed page leaves is a state to go on from', async () => {
  const uncut = await look((await render('calm.mp4')).file!);
  await expect(render('killed.mp4', { cutSec: 1.3 })).rejects.toThrow('cut off');
  // A chunk under way, whose bytes the browser had put beside it, and one that was closed and not noted yet.
  const third = chunkName('killed.mp4', 2);
  await folder.getFileHandle(`${third}.part`, { create: true });
  await write(`${third}.part.crswap`, new Uint8Array(1000));
  await write(third, await (await folder.getFileHandle(chunkName('killed.mp4', 1))).getFile());
  // Somebody has not let go of a draft yet.
  const held = await folder.getFileHandle(`${chunkName('killed.mp4', 9)}.part`, { create: true });
  const writable = await held.createWritable();
  const resumed = await render('killed.mp4');
  expect(resumed.diagnostics.resumedFromSec).toBeGreaterThan(0.99);
  expect(worst((await look(resumed.file!)).frames, uncut.frames)).toBeLessThanOrEqual(1);
  await writable.abort();
  await discardChunks('killed.mp4');
  expect(await namesOf('killed.mp4')).toEqual(['killed.mp4']);

  // Nor is a record whose first writing was cut off, and a chunk that is not what it was.
  await folder.getFileHandle(chunkRecordName('killed.mp4'), { create: true });
  await folder.getFileHandle(chunkName('killed.mp4', 0), { create: true });
  const anew = await render('killed.mp4');
  expect(anew.diagnostics.resumedFromSec).toBeUndefined();
  expect(worst((await look(anew.file!)).frames, uncut.frames)).toBeLessThanOrEqual(1);
  await remove('killed.mp4', 'calm.mp4');
});

test('a render that failed when it put its chunks together reads no frame again', async () => {
  await withoutRoomFor('joined.mp4.part', () =>
    expect(render('joined.mp4')).rejects.toMatchObject({ code: 'quota_exceeded' }),
  );
  const { diagnostics, file, ratios } = await render('joined.mp4');
  expect(diagnostics.resumedFromSec).toBeGreaterThan(2.8);
  expect(diagnostics.stages.decode).toBeUndefined();
  expect(ratios[0]).toBeGreaterThan(0.9);
  expect((await look(file!)).frames.map(f => f.rank)).toEqual(timesSec.map((_, i) => i));
  expect(await namesOf('joined.mp4')).toEqual(['joined.mp4']);
  await remove('joined.mp4');
});

test('chunks that are to be kept outlast their clip, and another render of it draws nothing', async () => {
  await render('kept.mp4', { resumable: 'keep' });
  expect((await namesOf('kept.mp4')).length).toBeGreaterThan(2);
  const { diagnostics, file } = await render('kept.mp4', { resumable: 'keep' });
  expect(diagnostics.stages.decode).toBeUndefined();
  expect((await look(file!)).frames.map(f => f.rank)).toEqual(timesSec.map((_, i) => i));
  await discardChunks('kept.mp4');
  expect(await namesOf('kept.mp4')).toEqual(['kept.mp4']);
  await remove('kept.mp4');
});

describe('a clip that was corrected', () => {
  /** Shows another part of the picture from `startSec` to `endSec` of the clip. */
  const corrected = (startSec: number, endSec: number): Plan => {
    const [segment] = plan.segments;
    const frameAt = (sec: number) => timesSec.findIndex(timeSec => timeSec >= sec + timesSec[0]!);
    const cuts = [0, frameAt(startSec), frameAt(endSec), timesSec.length];
    return {
      ...plan,
      segments: cuts.slice(1).map((end, i) => {
        const start = cuts[i]!;
        const box = i === 1 ? { x: 10, y: 6, width: 160, height: 90 } : whole;
        const key = { frame_number: start, timestamp: timesSec[start]!, ...box };
        return {
          ...segment!,
          start_frame: start,
          end_frame: end,
          panels: [{ output: whole, keyframes: [key] }],
        };
      }),
    };
  };

  test.for([
    { settings: {}, of: [1.1, 1.4] as const, encoded: 1 },
    { settings: { frameRate: 20 }, of: [0.1, 0.4] as const, encoded: 1 },
    { settings: { frameRate: 60 }, of: [1.4, 2.1] as const, encoded: 3 },
    { settings: {}, of: [2.6, 2.7] as const, encoded: 1 },
  ])('is encoded again only where it changed ($of s, $settings)', async ({ settings, of, encoded }) => {
    const name = 'corrected.mp4';
    const first = await render(name, { settings, resumable: 'keep' });
    const chunks = first.diagnostics.chunks!;
    expect(chunks).toEqual({ reused: 0, encoded: expect.any(Number) });
    const next = corrected(of[0], of[1]);
    const again = await render(name, { settings, resumable: 'keep', plan: next });
    expect(again.diagnostics.chunks).toEqual({ reused: chunks.encoded - encoded, encoded });
    // As if nothing had been there.
    const anew = await render('anew.mp4', { settings, plan: next });
    const [seen, expected] = [await look(again.file!), await look(anew.file!)];
    expect(seen.frames.map(f => f.timeSec)).toEqual(expected.frames.map(f => f.timeSec));
    expect(worst(seen.frames, expected.frames)).toBeLessThanOrEqual(1);
    expect(again.durationSec).toBe(anew.durationSec);
    expect(again.ratios.at(-1)).toBe(1);
    expect([...again.ratios].sort((a, b) => a - b)).toEqual(again.ratios);
    // Little more is read than the chunks that changed.
    const { count } = again.diagnostics.stages.decode!;
    expect(count).toBeLessThan(((encoded * chunkSec) / 2.8) * timesSec.length + 6);
    await discardChunks(name);
    await remove(name, 'anew.mp4');
  });

  test('and cut off while it was rendered again goes on with what is left', async () => {
    const name = 'cut-again.mp4';
    await render(name, { resumable: 'keep' });
    const next = corrected(0.6, 1.9);
    const cut = render(name, { resumable: 'keep', plan: next, cutSec: 2.3 });
    await expect(cut).rejects.toThrow('cut off');
    const { diagnostics, file } = await render(name, { resumable: 'keep', plan: next });
    expect(diagnostics.chunks!.reused).toBeGreaterThan(3);
    const anew = await render('anew.mp4', { plan: next });
    expect(worst((await look(file!)).frames, (await look(anew.file!)).frames)).toBeLessThanOrEqual(1);
    await discardChunks(name);
    await remove(name, 'anew.mp4');
  });

  test('in words that show nothing else draws nothing', async () => {
    const name = 'reworded.mp4';
    await render(name, { resumable: 'keep' });
    const [segment] = plan.segments;
    const half = timesSec.length / 2;
    const key = { frame_number: half, timestamp: timesSec[half]!, ...whole };
    const reworded: Plan = {
      ...plan,
      segments: [
        { ...segment!, end_frame: half, reason: 'speaker', confidence: 0.4 },
        { ...segment!, start_frame: half, panels: [{ face_id: 3, output: whole, keyframes: [key] }] },
      ],
    };
    const { diagnostics } = await render(name, { resumable: 'keep', plan: reworded });
    expect(diagnostics.chunks).toMatchObject({ encoded: 0 });
    expect(diagnostics.stages.decode).toBeUndefined();
    await discardChunks(name);
    await remove(name);
  });
});

describe('chunks that nobody comes back for', () => {
  const hour = 3_600_000;
  const limits = { maxAgeSec: 48 * 3600, maxSizeBytes: 1e9 };
  const drop = (hours: number, given = limits) =>
    dropOldChunks(folder, 'other.mp4', { limits: given, nowMs: Date.now() + hours * hour });

  test('go by age, and by size where their clip is there; those that may be in use stay', async () => {
    await render('done.mp4', { resumable: 'keep' });
    await expect(render('half.mp4', { cutSec: 1.3 })).rejects.toThrow('cut off');
    const [done, half] = [await namesOf('done.mp4'), await namesOf('half.mp4')];
    const tight = { ...limits, maxSizeBytes: 10 };
    await drop(0.5, tight);
    await drop(47);
    expect([await namesOf('done.mp4'), await namesOf('half.mp4')]).toEqual([done, half]);
    await drop(2, tight);
    expect([await namesOf('done.mp4'), await namesOf('half.mp4')]).toEqual([['done.mp4'], half]);
    await drop(49);
    expect(await namesOf('half.mp4')).toEqual([]);
    await remove('done.mp4');
  });

  test('of the clip that is rendered stay, however old', async () => {
    await expect(render('other.mp4', { cutSec: 1.3 })).rejects.toThrow('cut off');
    const names = await namesOf('other.mp4');
    await drop(1000);
    expect(await namesOf('other.mp4')).toEqual(names);
    await discardChunks('other.mp4');
  });
});

describe('an encoder that describes its pictures otherwise', () => {
  test('than the one before it begins anew, and says so', async () => {
    await expect(render('described.mp4', { cutSec: 1.3 })).rejects.toThrow('cut off');
    const handle = await folder.getFileHandle(chunkRecordName('described.mp4'));
    const record = JSON.parse(await (await handle.getFile()).text()) as { description: string };
    await write(handle.name, JSON.stringify({ ...record, description: `${record.description}00` }));
    const { diagnostics, file } = await render('described.mp4');
    expect(diagnostics.fallbacks[0]).toMatch(/began anew/);
    expect(diagnostics.resumedFromSec).toBeUndefined();
    expect((await look(file!)).frames.map(f => f.rank)).toEqual(timesSec.map((_, i) => i));
    expect(await namesOf('described.mp4')).toEqual(['described.mp4']);
    await remove('described.mp4');
  });

  test('each time it starts gives a clip in one piece, and says so', async () => {
    const Native = VideoEncoder;
    let instances = 0;
    /** Each instance names another level in its description, as hardware might. */
    globalThis.VideoEncoder = class extends Native {
      constructor(init: VideoEncoderInit) {
        const number = instances++;
        super({
          ...init,
          output(chunk, meta) {
            const { description } = meta?.decoderConfig ?? {};
            if (description) {
              const bytes = new Uint8Array(description as ArrayBuffer).slice();
              bytes[3] = 40 + (number % 2);
              meta!.decoderConfig!.description = bytes;
            }
            init.output(chunk, meta!);
          },
        });
      }
    };
    try {
      const { diagnostics, file } = await render('fickle.mp4');
      expect(diagnostics.fallbacks[0]).toMatch(/in one piece/);
      expect((await look(file!)).frames.map(f => f.rank)).toEqual(timesSec.map((_, i) => i));
      expect(await namesOf('fickle.mp4')).toEqual(['fickle.mp4']);
    } finally {
      globalThis.VideoEncoder = Native;
    }
    await remove('fickle.mp4');
  });
});

test('full storage keeps the closed chunks, a damaged source does not', async () => {
  await withoutRoomFor(chunkName('full.mp4', 2), () =>
    expect(render('full.mp4')).rejects.toMatchObject({ code: 'quota_exceeded' }),
  );
  expect(await namesOf('full.mp4')).toEqual([
    chunkName('full.mp4', 0),
    chunkName('full.mp4', 1),
    chunkRecordName('full.mp4'),
  ]);
  expect((await render('full.mp4')).diagnostics.resumedFromSec).toBeGreaterThan(0.99);
  await remove('full.mp4');

  const from: SourceInput = {
    kind: 'frames',
    timesSec,
    durationSec: 2.85,
    display: { ...size, rotationDeg: 0 },
    async *frames() {
      const media = await openMedia(source);
      for await (const { frame, timeSec } of media.frames({ endSec: 1.3 })) {
        yield frame;
        if (timeSec > 1.2) throw new Error('The rest is damaged.');
      }
    },
  };
  await expect(render('broken.mp4', { from })).rejects.toMatchObject({ code: 'decode_failed' });
  expect(await namesOf('broken.mp4')).toEqual([]);
});

test('a worker that is killed in the middle loses no more than its open chunk', async () => {
  const times = Array.from({ length: 260 }, (_, i) => i / 10);
  const long = await drawClip({ timesSec: times, lastDurationSec: 0.1 });
  const [segment] = plan.segments;
  const longPlan: Plan = {
    ...plan,
    ...{ video_fps: 10, total_frames: 260, frame_count: 260 },
    segments: [{ ...segment!, end_frame: 260 }],
  };
  const options = { fileName: 'worker.mp4', resumable: true } as const;
  const first = createReframer({ device: 'wasm' });
  const killed = first.render(long, longPlan, {
    ...options,
    onProgress: ({ processedSec }) => {
      if (processedSec > 12) first.close();
    },
  });
  await expect(killed).rejects.toMatchObject({ code: 'worker_lost' });
  const second = createReframer({ device: 'wasm' });
  const { file, diagnostics } = await second.render(long, longPlan, options);
  second.close();
  // Chunks last ten seconds.
  expect([10, 20]).toContain(diagnostics.resumedFromSec);
  const { frames } = await look(file!);
  expect(frames.map(f => f.timeSec)).toEqual(times);
  expect(frames.map(f => f.rank)).toEqual(times.map((_, i) => i % 256));
  await discardChunks('worker.mp4');
  expect(await namesOf('worker.mp4')).toEqual(['worker.mp4']);
  await remove('worker.mp4');
});

test('resumable needs storage and a name to be found by', async () => {
  const reframer = createReframer();
  await expect(reframer.render(source, plan, { resumable: true })).rejects.toThrow(TypeError);
  const inMemory = { resumable: true, fileName: 'a.mp4', target: 'memory' } as const;
  await expect(reframer.render(source, plan, inMemory)).rejects.toThrow(TypeError);
  reframer.close();
});
