import { decideSpeakers, type SpeakerDecision } from '../core/active-speaker.js';
import { toActiveSpeaker } from '../core/active-speaker-result.js';
import { gridRateHz } from '../core/face-crops.js';
import { splitAtShots, toFaceTracking } from '../core/face-tracking.js';
import { toSceneDetection } from '../core/scene-detection.js';
import { lerp } from '../core/series.js';
import type { Shot } from '../core/shot-boundaries.js';
import type { SoundEvidence } from '../core/speaker-evidence.js';
import { speechIntervals } from '../core/speech.js';
import { createTrackAnalyser, type FaceTrack } from '../core/tracks.js';
import type { FaceDetector } from '../inference/face-detector.js';
import type { SpeakerModel } from '../inference/lr-asd.js';
import type { SceneCutModel } from '../inference/scene-cuts.js';
import type { SpeechDetector } from '../inference/silero.js';
import { createSpeakerScorer } from '../inference/speaker-scorer.js';
import type { Media, ReadRange } from '../media/media.js';
import type { Sampler } from '../sampling/sampler.js';
import type { AnalysisParts, PartName } from '../schema/result.js';
import type { TimeRange } from '../schema/time.js';
import { createGreyRing } from './grey-ring.js';
import { boxesByFrame, toFaces, toShots } from './known-faces.js';
import { createPartialPacer } from './partial-pace.js';
import { createShotLane } from './shot-lane.js';
import {
  candidatesOf,
  createSpeakerLane,
  type FaceOrigin,
  type Heard,
  type SpeakerLane,
} from './speaker-lane.js';
import type { Stopwatch } from './stopwatch.js';
import { watchFrames } from './watch-frames.js';

/** What an analysis works with; each model is asked for only if a wanted part needs it. */
export type AnalysisTools = {
  readonly sampler: Sampler;
  readonly faces: () => Promise<FaceDetector>;
  readonly speaker: () => Promise<SpeakerModel>;
  readonly speech: () => Promise<SpeechDetector>;
  /** Resolves to undefined where the model-free analyser is to decide. */
  readonly sceneCuts: () => Promise<SceneCutModel | undefined>;
  readonly stopwatch: Stopwatch;
};

export type AnalysisRequest = ReadRange & {
  readonly want: readonly PartName[];
  /** Parts of the same source and segment; not computed again. */
  readonly have: AnalysisParts;
  readonly faceLongSide?: number;
  /** Told after each frame how far the analysis is. */
  readonly onTime?: (timeSec: number) => void;
  /**
   * Told about once a second what is known by then; `range` ends with the last frame that is settled. The analysis
   * goes on when it settles.
   */
  readonly onPartial?: (partial: Analysis) => Promise<void>;
};

export type Analysis = {
  readonly parts: AnalysisParts;
  readonly range: { readonly firstFrame: number; readonly frameCount: number };
  /** When a voice is heard; absent unless the speaker part was computed. */
  readonly speech?: readonly TimeRange[];
};

/** Computes all wanted parts in one pass over the source. */
export async function analyse(
  media: Media,
  tools: AnalysisTools,
  request: AnalysisRequest,
): Promise<Analysis> {
  const { stopwatch } = tools;
  const { have, signal } = request;
  const { facts } = media;
  const needs = (part: PartName) => request.want.includes(part) && !have[part];
  const wantsSpeaker = needs('active_speaker');
  const knownFaces = have.face_tracking_yolov8 && toFaces(have.face_tracking_yolov8);
  const wantsFaces = needs('face_tracking_yolov8') || (wantsSpeaker && !knownFaces);
  const knownShots = have.scene_detection && toShots(have.scene_detection);
  const hears = wantsSpeaker && facts.audio !== undefined;

  const shots = createShotLane(knownShots ? undefined : await tools.sceneCuts(), stopwatch);
  const tracks = wantsFaces ? createTrackAnalyser() : undefined;
  const known = knownFaces && boxesByFrame(knownFaces);
  const pictures = createGreyRing();
  const starts = new Set(knownShots?.map(shot => shot.startFrame));
  const startSec = request.startSec ?? 0;
  const model = hears ? await tools.speaker() : undefined;
  const detector = wantsFaces ? await tools.faces() : undefined;
  let lane: SpeakerLane | undefined;
  let firstFrame: number | undefined;
  let frameCount = 0;
  let lastSec: number | undefined;

  /** Writes what was found as the parts that are wanted, in the middle of the analysis and at its end. */
  const write = (found: Found): Analysis => {
    const shotList = knownShots ?? found.shots;
    const faces: readonly FaceOrigin[] = found.tracks
      ? splitAtShots(found.tracks, shotList)
      : (knownFaces ?? []);
    const clock = { frameRateHz: facts.frameRateHz, totalFrames: facts.totalFrames };
    const parts: AnalysisParts = { ...have };
    if (needs('scene_detection'))
      parts.scene_detection = toSceneDetection(
        shotList,
        { ...clock, durationSec: facts.durationSec },
        shots.name,
      );
    if (needs('face_tracking_yolov8')) {
      parts.face_tracking_yolov8 = toFaceTracking(
        faces,
        { ...clock, width: facts.display.width, height: facts.display.height },
        detector!.name,
      );
    }
    if (wantsSpeaker) {
      const { heard } = found;
      const decisions = heard
        ? stopwatch.time('decide', () =>
            decideSpeakers({
              candidates: candidatesOf(faces, heard.stretches, startSec),
              speech: heard.speech,
              ...(heard.sound && { sound: heard.sound }),
              shots: shotList,
              originSec: startSec,
            }),
          )
        : faces.map(unheard);
      parts.active_speaker = toActiveSpeaker(decisions, clock);
    }
    const first = firstFrame ?? 0;
    return {
      parts,
      range: { firstFrame: first, frameCount: found.endFrame - first },
      ...(found.heard && { speech: speechIntervals(found.heard.speech) }),
    };
  };
  const tellPartial = createPartialPacer({
    async make() {
      const heard = await lane?.soFar();
      const endFrame = tracks?.settledUntilFrame ?? firstFrame! + frameCount;
      return write({
        shots: endShots(shots.soFar(), endFrame),
        ...(tracks && { tracks: tracks.soFar() }),
        ...(heard && { heard }),
        endFrame,
      });
    },
    give: async partial => request.onPartial?.(partial),
  });

  try {
    if (model) {
      lane = createSpeakerLane({
        scorer: await createSpeakerScorer(model),
        speech: await tools.speech(),
        sound: media.audio(request),
        pictures,
        originSec: startSec,
        stopwatch,
      });
    }
    await watchFrames(stopwatch.timeEach('decode', media.frames(request)), {
      sampler: tools.sampler,
      display: facts.display,
      stopwatch,
      ...(!knownShots && {
        onThumbnail: (at, thumbnail) => shots.push(at, thumbnail),
      }),
      isCut: frameNumber => (knownShots ? starts.has(frameNumber) : shots.hardCut(frameNumber)),
      ...(detector && { detector }),
      ...(request.faceLongSide && { faceLongSide: request.faceLongSide }),
      async onFrame(at, { cut, detections, picture, nextSec }) {
        signal?.throwIfAborted();
        firstFrame ??= at.frameNumber;
        frameCount++;
        if (lane && isNearGrid(at.timeSec, { beforeSec: lastSec, afterSec: nextSec, originSec: startSec })) {
          pictures.keep(at.frameNumber, await stopwatch.time('sample', () => picture.grey()));
        }
        lastSec = at.timeSec;
        if (tracks) {
          stopwatch.time('tracks', () => tracks.push({ ...at, cut, ...(detections && { detections }) }));
          for (const { trackId, boxes } of tracks.settled()) await lane?.pushBoxes(trackId, boxes);
        } else {
          for (const { trackId, box } of known?.get(at.frameNumber) ?? [])
            await lane?.pushBoxes(trackId, [box]);
        }
        const settledUntil = tracks?.settledUntilFrame ?? at.frameNumber;
        await lane?.settle(settledUntil);
        pictures.dropBefore(Math.min(settledUntil, lane?.oldestFrameNumber ?? settledUntil));
        await lane?.hearUntil(at.timeSec);
        request.onTime?.(at.timeSec);
        if (request.onPartial && settledUntil > firstFrame) await tellPartial();
      },
    });

    const finalShots = knownShots ?? (await shots.finish());
    const finished = tracks?.finish();
    for (const { trackId, boxes } of tracks?.settled() ?? []) await lane?.pushBoxes(trackId, boxes);
    const heard = await lane?.finish();
    return write({
      shots: finalShots,
      ...(finished && { tracks: finished }),
      ...(heard && { heard }),
      endFrame: (firstFrame ?? 0) + frameCount,
    });
  } finally {
    pictures.close();
    await lane?.close();
  }
}

/** What the lanes of an analysis know at one moment. */
type Found = {
  readonly shots: readonly Shot[];
  readonly tracks?: readonly FaceTrack[];
  readonly heard?: Heard & { readonly sound?: SoundEvidence };
  /** The frame after the last one that is told about. */
  readonly endFrame: number;
};

/** Shots are seen ahead of faces: what is told ends where both are known, or new faces would count as brief ones. */
const endShots = (shots: readonly Shot[], endFrame: number): Shot[] =>
  shots
    .filter(shot => shot.startFrame < endFrame)
    .map(shot => {
      if (shot.endFrame <= endFrame) return shot;
      const ratio = (endFrame - shot.startFrame) / (shot.endFrame - shot.startFrame);
      return { ...shot, endFrame, endSec: lerp(shot.startSec, shot.endSec, ratio) };
    });

/** Without sound nothing is measured and nobody speaks: every score is 0. */
const unheard = ({ faceId, boxes }: FaceOrigin): SpeakerDecision => ({
  faceId,
  frames: boxes,
  score: new Float32Array(boxes.length),
  speaking: new Uint8Array(boxes.length),
});

/** Whether this frame is the nearest to a moment of the speaker model's clock; others' pixels are never asked for. */
function isNearGrid(
  sec: number,
  {
    beforeSec,
    afterSec,
    originSec,
  }: { beforeSec?: number | undefined; afterSec?: number | undefined; originSec: number },
): boolean {
  if (beforeSec === undefined || afterSec === undefined) return true;
  const from = ((beforeSec + sec) / 2 - originSec) * gridRateHz;
  const to = ((sec + afterSec) / 2 - originSec) * gridRateHz;
  return Math.floor(to + 1e-6) >= Math.ceil(from - 1e-6);
}
