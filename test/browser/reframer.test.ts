import { ALL_FORMATS, BlobSource, Input, VideoSampleSink } from 'mediabunny';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AnalysisResult,
  activeSpeakerSchema,
  createReframer,
  cropAtFrame,
  faceTrackingSchema,
  type Progress,
  type ReframerOptions,
  sceneDetectionSchema,
} from '../../src/index.js';
import { readTimecode } from '../fixtures/draw.js';
import { type DrawnSpec, type DrawnTruth, regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { writeTinyModels } from '../fixtures/tiny-onnx.js';
import { beepsOf, lumaOf } from './read-clip.js';

/** Two people talk in turn, then a cut to one of them. */
const spec: DrawnSpec = {
  size: { width: 640, height: 360 },
  timesSec: regularTimes(25, 150),
  shots: [
    {
      startFrame: 0,
      discs: [
        { x: 130, y: 160, radius: 40, mouth: [{ startSec: 0.2, endSec: 1.9 }] },
        { x: 510, y: 160, radius: 40, mouth: [{ startSec: 2.2, endSec: 3.9 }] },
      ],
    },
    { startFrame: 100, discs: [{ x: 320, y: 170, radius: 55, mouth: [{ startSec: 4.2, endSec: 5.8 }] }] },
  ],
  voice: [
    { startSec: 0.2, endSec: 1.9 },
    { startSec: 2.2, endSec: 3.9 },
    { startSec: 4.2, endSec: 5.8 },
  ],
  flashFrames: [12, 75, 140],
};

const options: ReframerOptions = {
  device: 'wasm',
  threads: 1,
  // The network for cuts has learnt from pictures, not from discs on flat grey.
  models: { files: Object.fromEntries(writeTinyModels()), cache: false, shotDetector: 'model-free' },
};

let clip: Blob;
let truth: DrawnTruth;
beforeAll(async () => {
  ({ blob: clip, truth } = await drawnClip(spec, { audioCodec: 'aac' }));
});

const storedNames = async () => {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('edge-reframe', { create: true });
  const names: string[] = [];
  for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
  return names;
};

describe('the whole chain on a drawn clip', () => {
  const reframer = createReframer(options);
  const progress: Progress[] = [];
  let outcome: Awaited<ReturnType<typeof reframer.reframe>>;
  beforeAll(async () => {
    outcome = await reframer.reframe(clip, {
      plan: { outputHeight: 640 },
      fileName: 'chain.mp4',
      onProgress: report => progress.push(report),
    });
  });
  afterAll(() => reframer.close());

  test('results have the wire’s shape', () => {
    const { parts } = outcome.result;
    expect(v.parse(v.strictObject(sceneDetectionSchema.entries), parts.scene_detection)).toBeTruthy();
    expect(v.parse(v.strictObject(faceTrackingSchema.entries), parts.face_tracking_yolov8)).toBeTruthy();
    expect(v.parse(v.strictObject(activeSpeakerSchema.entries), parts.active_speaker)).toBeTruthy();
  });

  test('shots tile the video and the cut lies on its frame', () => {
    const scenes = outcome.result.parts.scene_detection!.scenes;
    expect(scenes.map(scene => [scene.start_frame, scene.end_frame])).toEqual([
      [0, 100],
      [100, 150],
    ]);
    expect(scenes.at(-1)!.end_time).toBeCloseTo(truth.durationSec, 2);
  });

  test('each face has one track per shot with a box and a score in each of its frames', () => {
    const { face_tracking_yolov8: faces, active_speaker: speakers } = outcome.result.parts;
    expect(faces!.tracks).toHaveLength(3);
    for (const track of faces!.tracks) {
      const speaker = speakers!.tracks.find(({ face_id }) => face_id === track.face_id)!;
      expect(speaker.scores.map(score => score.frame_number)).toEqual(
        track.boxes.map(box => box.frame_number),
      );
      const shot = track.boxes[0]!.frame_number < 100 ? [0, 100] : [100, 150];
      expect(track.boxes.map(box => box.frame_number)).toEqual(
        Array.from({ length: shot[1]! - shot[0]! }, (_, i) => shot[0]! + i),
      );
      for (const box of track.boxes) {
        const there = truth.frames[box.frame_number]!.faces;
        const near = there.some(
          face =>
            Math.abs(face.x + face.width / 2 - (box.x + box.width / 2)) < 6 &&
            Math.abs(face.width - box.width) < 16,
        );
        expect(near).toBe(true);
      }
    }
  });

  test('who speaks is right away from the ends of turns', () => {
    const { face_tracking_yolov8: faces, active_speaker: speakers } = outcome.result.parts;
    const marginSec = 0.3;
    const edges = spec.voice!.flatMap(({ startSec, endSec }) => [startSec, endSec]);
    let judged = 0;
    for (const track of speakers!.tracks) {
      const boxes = faces!.tracks.find(({ face_id }) => face_id === track.face_id)!.boxes;
      for (const [i, { frame_number, timestamp, speaking }] of track.scores.entries()) {
        if (edges.some(edge => Math.abs(edge - timestamp) < marginSec)) continue;
        const x = boxes[i]!.x + boxes[i]!.width / 2;
        const face = truth.frames[frame_number]!.faces.find(
          there => Math.abs(there.x + there.width / 2 - x) < 20,
        )!;
        expect([frame_number, speaking]).toEqual([frame_number, face.speaking]);
        judged++;
      }
    }
    expect(judged).toBeGreaterThan(100);
  });

  test('the camera is on the speaker and never leaves the picture', () => {
    for (const [startSec, endSec, x] of [
      [0.5, 1.8, 130],
      [2.5, 3.8, 510],
      [4.3, 5.7, 320],
    ] as const) {
      for (let frame = Math.ceil(startSec * 25); frame < endSec * 25; frame++) {
        const { source } = cropAtFrame(outcome.plan, frame).panels[0]!;
        expect(source.x).toBeLessThan(x - 40);
        expect(source.x + source.width).toBeGreaterThan(x + 40);
        expect(source.x).toBeGreaterThanOrEqual(-0.5);
        expect(source.x + source.width).toBeLessThanOrEqual(640.5);
      }
    }
  });

  test('the clip has the asked size, every frame at its time, and the source’s length', async () => {
    const times: number[] = [];
    for await (const { timeSec, width, height } of lumaOf(outcome.clip.file!)) {
      times.push(timeSec);
      expect([width, height]).toEqual([360, 640]);
    }
    expect(times).toHaveLength(150);
    for (const [i, timeSec] of times.entries()) expect(timeSec).toBeCloseTo(i / 25, 3);
    expect(Math.abs(outcome.clip.durationSec - truth.durationSec)).toBeLessThanOrEqual(1 / 25);
  });

  test('flash and beep stay together at the start, in the middle and at the end', async () => {
    const flashes: number[] = [];
    for await (const { timeSec, luma, stride, height } of lumaOf(outcome.clip.file!)) {
      // The background, beside the faces.
      if (luma[Math.round(height * 0.9) * stride + 20]! > 200) flashes.push(timeSec);
    }
    const beeps = await beepsOf(outcome.clip.file!);
    expect(flashes).toHaveLength(3);
    expect(beeps).toHaveLength(3);
    for (const [i, flash] of flashes.entries()) expect(Math.abs(flash - beeps[i]!)).toBeLessThanOrEqual(0.04);
  });

  test('progress never falls, passes the stages in order and ends at 1', () => {
    const ratios = progress.map(({ doneRatio }) => doneRatio);
    expect(ratios).toEqual([...ratios].sort((a, b) => a - b));
    expect(ratios.at(-1)).toBe(1);
    expect(ratios.filter(ratio => ratio === 1)).toHaveLength(1);
    const stages = progress.map(({ stage }) => stage);
    expect(stages.indexOf('analyse')).toBeLessThan(stages.indexOf('render'));
  });

  test('diagnostics tell what ran and why', () => {
    const { analysis, render } = { analysis: outcome.result.diagnostics, render: outcome.clip.diagnostics };
    expect(analysis.media).toMatchObject({ backend: 'webcodecs' });
    expect(analysis.device).toEqual({ kind: 'wasm', reason: 'asked for', threads: 1 });
    expect(analysis.models!.map(({ id }) => id).sort()).toEqual([
      'edge-face',
      'edge-speaker-audio',
      'edge-speaker-backend',
      'edge-speaker-visual',
      'edge-voice',
      'silero-vad',
    ]);
    expect(render.output).toMatchObject({ frames: 150 });
  });

  test('only the finished clip lies in storage', async () => {
    expect(await storedNames()).toEqual(['chain.mp4']);
  });

  test('the same source gives the same JSON again', async () => {
    const again = await reframer.analyse(clip);
    expect(again.parts).toEqual(outcome.result.parts);
  });

  test('parts that exist are taken over, and give the same speakers', async () => {
    const { scene_detection, face_tracking_yolov8 } = outcome.result.parts;
    const again = await reframer.analyse(clip, {
      want: ['active_speaker'],
      have: { scene_detection: scene_detection!, face_tracking_yolov8: face_tracking_yolov8! },
    });
    expect(again.diagnostics.stages.faces).toBeUndefined();
    const decisions = ({ parts }: Pick<AnalysisResult, 'parts'>) =>
      parts.active_speaker!.tracks.map(track =>
        track.scores.map(({ frame_number, speaking }) => [frame_number, speaking]),
      );
    expect(decisions(again)).toEqual(decisions(outcome.result));
  });

  test('a range keeps the source’s ranks and times', async () => {
    const part = await reframer.reframe(clip, {
      startSec: 2.8,
      endSec: 5,
      plan: { outputHeight: 320 },
      target: 'memory',
    });
    expect(part.result.range).toEqual({ firstFrame: 70, frameCount: 55 });
    expect(part.result.parts.scene_detection!.scenes.map(scene => scene.start_frame)).toEqual([70, 100]);
    expect(part.plan.segments[0]!.start_frame).toBe(70);
    expect(part.plan.segments.at(-1)!.end_frame).toBe(125);
    expect(Math.abs(part.clip.durationSec - 2.2)).toBeLessThanOrEqual(1 / 25);
    const times: number[] = [];
    for await (const { timeSec } of lumaOf(part.clip.file!)) times.push(timeSec);
    expect(times).toHaveLength(55);
    expect(times[0]).toBeCloseTo(0, 3);
  });

  test('a constant frame rate can be asked for', async () => {
    const { file } = await reframer.render(clip, outcome.plan, { frameRate: 10, target: 'memory' });
    const times: number[] = [];
    for await (const { timeSec } of lumaOf(file!)) times.push(timeSec);
    expect(times).toHaveLength(60);
    for (const [i, timeSec] of times.entries()) expect(timeSec).toBeCloseTo(i / 10, 3);
  });

  test('a stream of the caller’s gets the whole file', async () => {
    const chunks = new Map<number, Uint8Array>();
    let isClosed = false;
    const target = new WritableStream<{ data: Uint8Array; position: number }>({
      write: ({ data, position }) => void chunks.set(position, data),
      close: () => void (isClosed = true),
    });
    const { file, diagnostics } = await reframer.render(clip, outcome.plan, { target });
    expect(file).toBeUndefined();
    expect(isClosed).toBe(true);
    const size = Math.max(...[...chunks].map(([position, data]) => position + data.length));
    expect(size).toBe(diagnostics.output!.sizeBytes);
  });
});

test('aborting an analysis and a render rejects with the reason, leaves no file, and the next call works', async () => {
  const reframer = createReframer(options);
  try {
    for (const stage of ['analyse', 'render'] as const) {
      const controller = new AbortController();
      const call = reframer.reframe(clip, {
        signal: controller.signal,
        fileName: 'aborted.mp4',
        plan: { outputHeight: 640 },
        onProgress: progress => {
          if (progress.stage === stage && progress.processedSec > 0.5)
            controller.abort(new Error(`enough of ${stage}`));
        },
      });
      await expect(call).rejects.toThrow(`enough of ${stage}`);
    }
    expect((await storedNames()).filter(name => name.startsWith('aborted'))).toEqual([]);
    const { parts } = await reframer.analyse(clip, { want: ['scene_detection'] });
    expect(parts.scene_detection!.scene_count).toBe(2);
  } finally {
    reframer.close();
  }
});

test('two reframers side by side do not disturb each other', async () => {
  const [one, two] = [createReframer(options), createReframer(options)];
  try {
    const [a, b] = await Promise.all([one.analyse(clip), two.analyse(clip)]);
    expect(a.parts).toEqual(b.parts);
    one.close();
    expect((await two.analyse(clip, { want: ['scene_detection'] })).parts.scene_detection).toEqual(
      a.parts.scene_detection,
    );
  } finally {
    one.close();
    two.close();
  }
});

test('without a model the call says which file is missing and what to do', async () => {
  const models = { faceDetector: 'yolov8n-face', shotDetector: 'model-free' } as const;
  const reframer = createReframer({ device: 'wasm', models });
  await expect(reframer.analyse(clip)).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringContaining('npm run models'),
  });
  const { parts } = await reframer.analyse(clip, { want: ['scene_detection'] });
  expect(parts.scene_detection!.scene_count).toBe(2);
  reframer.close();
});

test('a source without sound has faces and scores, and nobody speaks', async () => {
  const reframer = createReframer(options);
  const { blob } = await drawnClip(spec, { audioCodec: 'none' });
  const { parts } = await reframer.analyse(blob);
  expect(parts.active_speaker!.tracks).toHaveLength(3);
  expect(parts.active_speaker!.tracks.every(track => track.speaking_fraction === 0)).toBe(true);
  reframer.close();
});

test('frames of an editor’s own give what the file gives', async () => {
  const reframer = createReframer(options);
  async function* frames({ startSec }: { readonly startSec: number }) {
    using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(clip) });
    for await (const sample of new VideoSampleSink((await input.getPrimaryVideoTrack())!).samples(startSec)) {
      const frame = sample.toVideoFrame();
      sample.close();
      yield frame;
    }
  }
  const want = ['scene_detection', 'face_tracking_yolov8'] as const;
  const own = await reframer.analyse(
    {
      kind: 'frames',
      frames,
      timesSec: spec.timesSec,
      durationSec: truth.durationSec,
      display: { ...spec.size, rotationDeg: 0 },
    },
    { want },
  );
  expect(own.diagnostics.media!.backend).toBe('frames');
  const fromFile = await reframer.analyse(clip, { want });
  expect(own.parts.scene_detection).toEqual(fromFile.parts.scene_detection);
  expect(own.parts.face_tracking_yolov8!.tracks).toEqual(fromFile.parts.face_tracking_yolov8!.tracks);
  reframer.close();
});

test('probe tells what is in a file', async () => {
  const reframer = createReframer(options);
  const { facts, choice } = await reframer.probe(clip);
  expect(facts).toMatchObject({
    display: { width: 640, height: 360, rotationDeg: 0 },
    totalFrames: 150,
    dynamicRange: 'sdr',
  });
  expect(choice.backend).toBe('webcodecs');
  await expect(reframer.probe(new Blob(['not a video at all']))).rejects.toMatchObject({
    code: 'source_unsupported',
  });
  reframer.close();
});

test('the timecode of each rendered frame is the source’s own frame', async () => {
  const reframer = createReframer(options);
  const wide = { outputHeight: 360, aspect: { width: 640, height: 360 } } as const;
  const result = await reframer.analyse(clip, { want: ['scene_detection', 'face_tracking_yolov8'] });
  const plan = reframer.plan(result, { ...wide, camera: 'center' });
  const { file } = await reframer.render(clip, plan, { target: 'memory', videoBitrate: 4_000_000 });
  const read: number[] = [];
  for await (const { luma, stride, width, height } of lumaOf(file!))
    read.push(readTimecode(luma, { width, height }, stride));
  expect(read).toEqual(spec.timesSec.map((_, i) => i));
  reframer.close();
});
