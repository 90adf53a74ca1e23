import { gridRateHz } from '../../core/face-crops.js';
import { modelFreeName } from '../../core/scene-detection.js';
import { lerp } from '../../core/series.js';
import type { Shot } from '../../core/shot-boundaries.js';
import { speechIntervals } from '../../core/speech.js';
import { createTrackAnalyser } from '../../core/tracks.js';
import type { FaceDetector } from '../../inference/face-detector.js';
import type { SpeakerModel } from '../../inference/lr-asd.js';
import type { SceneCutModel } from '../../inference/scene-cuts.js';
import type { SpeechDetector, SpeechState } from '../../inference/silero.js';
import { createSpeakerScorer } from '../../inference/speaker-scorer.js';
import type { Media, ReadRange } from '../../media/media.js';
import type { Sampler } from '../../sampling/sampler.js';
import type { AnalysisState } from '../../schema/analysis-state.js';
import type { AnalysisParts, PartName } from '../../schema/result.js';
import type { TimeRange } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';
import { type Identity, saveStepSec, toState, workOf } from './analysis-work.js';
import { createGreyRing } from './grey-ring.js';
import { boxesByFrame, toFaces, toShots } from './known-faces.js';
import { createPartialPacer } from './partial-pace.js';
import { createShotLane } from './shot-lane.js';
import { soundFrom } from './sound-from.js';
import { createSpeakerLane, type SpeakerLane } from './speaker-lane.js';
import { type WatchState, watchFrames } from './watch-frames.js';
import { type Found, writeParts } from './write-parts.js';

/** What an analysis works with; each model is asked for only if a wanted part needs it. */
export type AnalysisTools = {
  readonly sampler: Sampler;
  readonly faces: () => Promise<FaceDetector>;
  readonly speaker: () => Promise<SpeakerModel>;
  /** @param saved - What the detector goes on from. */
  readonly speech: (saved?: SpeechState) => Promise<SpeechDetector>;
  /** Resolves to undefined where the model-free analyser is to decide. */
  readonly sceneCuts: () => Promise<SceneCutModel | undefined>;
  readonly stopwatch: Stopwatch;
};

export type AnalysisRequest = ReadRange & {
  readonly want: readonly PartName[];
  /** Parts of the same source and range; not computed again. */
  readonly have: AnalysisParts;
  readonly faceLongSide?: number;
  /** Told after each frame how far the analysis is. */
  readonly onTime?: (timeSec: number) => void;
  /**
   * Told about once a second what is known by then; `range` ends with the last frame that is settled. The analysis
   * goes on when it settles.
   */
  readonly onPartial?: (partial: Analysis) => Promise<void>;
  /** Told every {@link saveStepSec} of media what is needed to go on from there. The analysis goes on when it settles. */
  readonly onSave?: (state: AnalysisState) => Promise<void>;
  /** What `onSave` was told; used if it fits. */
  readonly resume?: AnalysisState;
};

export type Analysis = {
  readonly parts: AnalysisParts;
  readonly range: { readonly firstFrame: number; readonly frameCount: number };
  /** When a voice is heard; absent unless the speaker part was computed. */
  readonly speech?: readonly TimeRange[];
};

/** How an analysis that was given a state went on from it, or why it did not. */
export type Resumption = {
  /** Time of the first frame that was read. */
  readonly resumedFromSec?: number;
  readonly refusal?: string;
};

/** Computes all wanted parts in one pass over the source, or over what is left of it. */
export async function analyse(
  media: Media,
  tools: AnalysisTools,
  request: AnalysisRequest,
): Promise<Analysis & Resumption> {
  const { stopwatch } = tools;
  const { have, signal, onSave } = request;
  const { facts } = media;
  const needs = (part: PartName) => request.want.includes(part) && !have[part];
  const wantsSpeaker = needs('active_speaker');
  const knownFaces = have.face_tracking_yolov8 && toFaces(have.face_tracking_yolov8);
  const wantsFaces = needs('face_tracking_yolov8') || (wantsSpeaker && !knownFaces);
  const knownShots = have.scene_detection && toShots(have.scene_detection);

  const cutModel = knownShots ? undefined : await tools.sceneCuts();
  const model = wantsSpeaker && facts.audio ? await tools.speaker() : undefined;
  const detector = wantsFaces ? await tools.faces() : undefined;
  const shotName = cutModel?.name ?? modelFreeName;
  const identity = identityOf(media, request, [
    ...(knownShots ? [] : [shotName]),
    ...(detector ? [detector.name] : []),
    ...(model ? [model.name] : []),
  ]);
  const { startSec } = identity;
  const { work, refusal } = workOf(request.resume, identity);

  const shots = createShotLane(cutModel, stopwatch, work?.shots);
  const tracks = wantsFaces ? createTrackAnalyser() : undefined;
  if (work) tracks?.load(work.tracks);
  const known = knownFaces && boxesByFrame(knownFaces);
  const pictures = createGreyRing();
  const greyFrames = new Set(work?.greyFrames);
  const starts = new Set(knownShots?.map(shot => shot.startFrame));
  let lane: SpeakerLane | undefined;
  let { firstFrame, frameCount, lastSec } = work ?? { frameCount: 0 };
  let savedSec = lastSec;

  const write = (found: Found, endFrame: number): Analysis => {
    const first = firstFrame ?? 0;
    const kept = knownShots ? { ...found, shots: knownShots } : found;
    const writer = {
      facts,
      have,
      needs,
      knownFaces,
      shotName,
      faceName: detector?.name,
      startSec,
      stopwatch,
    };
    return {
      parts: writeParts(kept, writer),
      range: { firstFrame: first, frameCount: endFrame - first },
      ...(found.heard && { speech: speechIntervals(found.heard.speech) }),
    };
  };
  const tellPartial = createPartialPacer({
    async make() {
      const heard = await lane?.soFar();
      const endFrame = tracks?.settledUntilFrame ?? firstFrame! + frameCount;
      const ended = endShots(shots.soFar(), endFrame);
      return write(
        { shots: ended, ...(tracks && { tracks: tracks.soFar() }), ...(heard && { heard }) },
        endFrame,
      );
    },
    give: async partial => request.onPartial?.(partial),
  });
  const save = (watch: WatchState, nextSec: number): AnalysisState => {
    const { kept } = pictures;
    const next = { frameNumber: watch.lastFrame + 1, timeSec: nextSec };
    return toState(
      {
        identity,
        from: kept[0] ?? next,
        greyFrames: kept.map(({ frameNumber }) => frameNumber),
        firstFrame: firstFrame!,
        frameCount,
        lastSec: lastSec!,
        watch,
        ...(!knownShots && { shots: shots.save() }),
        ...(tracks && { tracks: tracks.save() }),
        ...(lane && { speaker: lane.save() }),
      },
      nextSec,
    );
  };

  try {
    if (model) {
      lane = createSpeakerLane(
        {
          scorer: await createSpeakerScorer(model, work?.speaker?.scorer),
          speech: await tools.speech(work?.speaker?.speech),
          sound: soundFrom(media, request, work?.speaker?.heardSamples ?? 0),
          pictures,
          originSec: startSec,
          stopwatch,
        },
        work?.speaker,
      );
    }
    const rest = work ? { ...request, startSec: work.from.timeSec } : request;
    await watchFrames(stopwatch.timeEach('decode', media.frames(rest)), {
      sampler: tools.sampler,
      display: facts.display,
      stopwatch,
      ...(!knownShots && {
        onThumbnail: (at, thumbnail) => shots.push(at, thumbnail),
      }),
      isCut: frameNumber => (knownShots ? starts.has(frameNumber) : shots.hardCut(frameNumber)),
      ...(detector && { detector }),
      ...(request.faceLongSide && { faceLongSide: request.faceLongSide }),
      ...(work && { saved: work.watch }),
      async onOldFrame(at, picture) {
        if (greyFrames.has(at.frameNumber))
          pictures.keep(at, await stopwatch.time('sample', () => picture.grey()));
      },
      async onFrame(at, { cut, detections, picture, nextSec, save: saveWatch }) {
        signal?.throwIfAborted();
        firstFrame ??= at.frameNumber;
        frameCount++;
        if (lane && isNearGrid(at.timeSec, { beforeSec: lastSec, afterSec: nextSec, originSec: startSec })) {
          pictures.keep(at, await stopwatch.time('sample', () => picture.grey()));
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
        savedSec ??= at.timeSec;
        // Behind the last frame there is nothing to go on with.
        if (onSave && nextSec !== undefined && at.timeSec - savedSec >= saveStepSec) {
          savedSec = at.timeSec;
          const state = stopwatch.time('save', () => save(saveWatch(), nextSec));
          await onSave(state);
        }
      },
    });

    const finalShots = knownShots ?? (await shots.finish());
    const finished = tracks?.finish();
    for (const { trackId, boxes } of tracks?.settled() ?? []) await lane?.pushBoxes(trackId, boxes);
    const heard = await lane?.finish();
    const found = { shots: finalShots, ...(finished && { tracks: finished }), ...(heard && { heard }) };
    return {
      ...write(found, (firstFrame ?? 0) + frameCount),
      ...(work && { resumedFromSec: work.from.timeSec }),
      ...(refusal && { refusal }),
    };
  } finally {
    pictures.close();
    await lane?.close();
  }
}

const identityOf = (
  { facts }: Media,
  { want, have, startSec = 0, endSec = facts.durationSec, faceLongSide }: AnalysisRequest,
  models: readonly string[],
): Identity => ({
  source: { totalFrames: facts.totalFrames, durationSec: facts.durationSec, widthPx: facts.display.width },
  startSec,
  endSec: Math.min(endSec, facts.durationSec),
  want: [...want].sort(),
  have: (Object.keys(have) as PartName[]).filter(part => have[part]).sort(),
  models,
  ...(faceLongSide && { faceLongSide }),
});

/** Shots are seen ahead of faces: what is told ends where both are known, or new faces would count as brief ones. */
const endShots = (shots: readonly Shot[], endFrame: number): Shot[] =>
  shots
    .filter(shot => shot.startFrame < endFrame)
    .map(shot => {
      if (shot.endFrame <= endFrame) return shot;
      const ratio = (endFrame - shot.startFrame) / (shot.endFrame - shot.startFrame);
      return { ...shot, endFrame, endSec: lerp(shot.startSec, shot.endSec, ratio) };
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
