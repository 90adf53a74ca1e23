import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FaceDetector } from '../../src/inference/face-detector.js';
import type { FaceEmbedder } from '../../src/inference/face-embedder.js';
import type { SceneCutModel } from '../../src/inference/scene-cuts.js';
import type { Media } from '../../src/media/media.js';
import { analyse } from '../../src/pipeline/analysis/analyse.js';
import { createStopwatch, type Stopwatch } from '../../src/pipeline/stopwatch.js';
import type { Planes } from '../../src/pixels/planes.js';
import { pictureFromPlanes } from '../../src/sampling/cpu.js';
import type { Content } from '../../src/schema/content.js';
import type { AnalysisParts } from '../../src/schema/result.js';
import { readClip } from '../harness/clip-frames.js';

/** Shots and faces of a clip, found by the product and kept in `cache`: only the first run has to look for them. */
export async function shotsAndFaces(
  file: string,
  { cache, openFaces }: { readonly cache: string; readonly openFaces: () => Promise<FaceDetector> },
): Promise<AnalysisParts> {
  const path = join(cache, `${basename(file)}-${statSync(file).size}.json`);
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    const parts = await analyseFile(file, { openFaces });
    writeFileSync(path, JSON.stringify(parts));
  }
  return JSON.parse(readFileSync(path, 'utf8')) as AnalysisParts;
}

/** What the product finds beside faces. @param have - Shots and faces. */
export async function contentOf(
  file: string,
  have: AnalysisParts,
  stopwatch: Stopwatch = createStopwatch(),
): Promise<Content> {
  const { content } = await analyseFile(file, { have, stopwatch });
  return content!;
}

type AnalyseFile = {
  readonly have?: AnalysisParts;
  readonly openFaces?: () => Promise<FaceDetector>;
  /** Absent: cuts are found without a network. */
  readonly openCuts?: () => Promise<SceneCutModel>;
  /** Absent: people are not told apart. */
  readonly openPeople?: () => Promise<FaceEmbedder>;
  readonly stopwatch?: Stopwatch;
};

/** The product's analysis of the pictures of a file, which ffmpeg decodes. */
export async function analyseFile(
  file: string,
  { have = {}, openFaces, openCuts, openPeople, stopwatch = createStopwatch() }: AnalyseFile,
): Promise<AnalysisParts> {
  const { media, planesOf } = mediaOf(file);
  const refuse = () => Promise.reject(new Error('not wanted here'));
  const { parts } = await analyse(
    media,
    {
      sampler: {
        kind: 'cpu',
        open: async frame => pictureFromPlanes(planesOf(frame)),
        close: () => {},
      },
      faces: openFaces ?? refuse,
      speaker: refuse,
      speech: refuse,
      words: refuse,
      voice: refuse,
      people: openPeople ?? refuse,
      sceneCuts: openCuts ?? (async () => undefined),
      stopwatch,
    },
    {
      want: openFaces ? ['scene_detection', 'face_tracking_yolov8'] : ['content'],
      have,
      identities: openPeople !== undefined,
    },
  );
  return parts;
}

/** A media whose frames carry planes in place of a VideoFrame. */
function mediaOf(file: string): { readonly media: Media; planesOf(frame: VideoFrame): Planes } {
  const { size, timesSec, frames } = readClip(file);
  const frameSec = timesSec.length > 1 ? timesSec.at(-1)! / (timesSec.length - 1) : 1;
  const durationSec = (timesSec.at(-1) ?? 0) + frameSec;
  const media: Media = {
    facts: {
      container: 'ffmpeg',
      videoCodec: 'raw',
      display: { ...size, rotationDeg: 0 },
      frameRateHz: 1 / frameSec,
      totalFrames: timesSec.length,
      startSec: 0,
      firstFrameSec: 0,
      durationSec,
      dynamicRange: 'sdr',
      videoTracks: 1,
      audioTracks: 0,
    },
    choice: { backend: 'frames', reason: 'decoded by ffmpeg' },
    frameTimeSec: rank => timesSec[rank] ?? durationSec,
    async *frames() {
      let frameNumber = 0;
      for await (const planes of frames()) {
        const timeSec = timesSec[frameNumber];
        if (timeSec === undefined) return;
        const frame = { planes, close: () => {} } as unknown as VideoFrame;
        yield { frame, frameNumber: frameNumber++, timeSec, durationSec: frameSec };
      }
    },
    async *audio() {},
    close: async () => {},
  };
  return { media, planesOf: frame => (frame as unknown as { readonly planes: Planes }).planes };
}
