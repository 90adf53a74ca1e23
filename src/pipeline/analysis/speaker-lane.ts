import {
  type CropPlanner,
  type CropPlannerState,
  type CropRequest,
  createCropPlanner,
  gridRateHz,
} from '../../core/face-crops.js';
import type { TrackSource } from '../../core/face-tracking.js';
import { concat, median } from '../../core/series.js';
import {
  type FaceEvidence,
  type SoundEvidence,
  type SpeakerCandidate,
  sliceEvidence,
} from '../../core/speaker-evidence.js';
import type { SpeechProbability } from '../../core/speech.js';
import type { FaceTrack, TrackBox } from '../../core/tracks.js';
import { speakerCropSpec } from '../../inference/lr-asd.js';
import { type SpeechDetector, type SpeechState, speechChunkSamples } from '../../inference/silero.js';
import type { SpeakerScorer, SpeakerScorerState } from '../../inference/speaker-scorer.js';
import { type AudioBlock, audioRateHz } from '../../media/media.js';
import type { Stopwatch } from '../stopwatch.js';
import type { GreyRing } from './grey-ring.js';

/** The sound is read this far ahead of the picture: the scorer compares a face with sound up to 1.6 s later. */
const soundLeadSec = 3;

/** Brings settled face boxes and the sound to the speaker model, in step with the frames. */
export type SpeakerLane = {
  /** Boxes of one track that became final, in order; a gap in their frames begins a new stretch. */
  pushBoxes(trackId: number, boxes: readonly TrackBox[]): Promise<void>;
  /** Everything before this frame is settled: stretches that ended before it are scored to their end. */
  settle(settledUntilFrame: number): Promise<void>;
  /** Reads the sound up to a little after this time. */
  hearUntil(timeSec: number): Promise<void>;
  /** First frame whose pixels may still be asked for. */
  readonly oldestFrameNumber: number;
  /** What is known by now; it stays as it was given. */
  soFar(): Promise<Heard>;
  finish(): Promise<Heard & { readonly sound: SoundEvidence }>;
  /** What another lane goes on from; not after `finish`. */
  save(): SpeakerLaneState;
  close(): Promise<void>;
};

/** A lane between two frames. */
export type SpeakerLaneState = {
  /** Stretches by their id in the scorer; those that have not ended have a planner. */
  readonly runs: readonly (Omit<Run, 'planner'> & { readonly planner?: CropPlannerState })[];
  readonly speech: SpeechState;
  readonly probabilities: Float32Array;
  readonly scorer: SpeakerScorerState;
  /** Samples that were heard, and whether there are no more. */
  readonly heardSamples: number;
  readonly soundEnded: boolean;
};

/** What was measured of faces, and when a voice is heard. */
export type Heard = { readonly stretches: readonly Stretch[]; readonly speech: SpeechProbability };

/** An unbroken run of frames of one track and what was measured in it. */
export type Stretch = {
  readonly trackId: number;
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly evidence: FaceEvidence;
};

export type SpeakerLaneParts = {
  readonly scorer: SpeakerScorer;
  readonly speech: SpeechDetector;
  /** Sound from `originSec` on, or from where the saved lane heard last (`soundFrom`). */
  readonly sound: AsyncGenerator<AudioBlock, void, void>;
  readonly pictures: GreyRing;
  /** Time of the first sample of sound, and of frame 0 of the 25 Hz grid. */
  readonly originSec: number;
  readonly stopwatch: Stopwatch;
};

type Run = {
  readonly id: number;
  readonly trackId: number;
  readonly firstFrame: number;
  lastFrame: number;
  readonly planner: CropPlanner;
};

/** @param saved - Of another lane; this one goes on from there, with a scorer and a detector that do too. */
export function createSpeakerLane(parts: SpeakerLaneParts, saved?: SpeakerLaneState): SpeakerLane {
  const { scorer, speech, sound, pictures, originSec, stopwatch } = parts;
  const runs: Run[] = (saved?.runs ?? []).map(({ planner, ...run }) => ({
    ...run,
    planner: createCropPlanner(originSec, planner),
  }));
  const open = new Map(runs.filter((_, id) => saved?.runs[id]?.planner).map(run => [run.trackId, run]));
  let probabilities = saved ? [saved.probabilities] : [];
  let heardSamples = saved?.heardSamples ?? 0;
  let soundEnded = saved?.soundEnded ?? false;

  const pushCrops = async (run: Run, requests: readonly CropRequest[]) => {
    for (const { gridFrame, frameNumber, box } of requests) {
      const picture = pictures.near(frameNumber);
      if (!picture) continue;
      const crop = await stopwatch.time('sample', () => picture.faceCrops([box], speakerCropSpec));
      await stopwatch.time('speaker', () => scorer.pushCrop(run.id, gridFrame, crop));
    }
  };
  const end = async (run: Run) => {
    open.delete(run.trackId);
    await pushCrops(run, run.planner.finish());
    await stopwatch.time('speaker', () => scorer.endRun(run.id));
  };
  const begin = (trackId: number, firstFrame: number): Run => {
    const run = {
      id: runs.length,
      trackId,
      firstFrame,
      lastFrame: firstFrame,
      planner: createCropPlanner(originSec),
    };
    runs.push(run);
    open.set(trackId, run);
    return run;
  };

  const heard = (faces: ReadonlyMap<number, FaceEvidence>): Heard => ({
    stretches: runs.flatMap(({ id, trackId, firstFrame, lastFrame }) => {
      const measured = faces.get(id);
      return measured ? [{ trackId, firstFrame, lastFrame, evidence: measured }] : [];
    }),
    speech: {
      originSec,
      stepSec: speechChunkSamples / audioRateHz,
      values: concat(probabilities),
    },
  });

  return {
    async pushBoxes(trackId, boxes) {
      for (const box of boxes) {
        let run = open.get(trackId);
        if (run && box.frameNumber > run.lastFrame + 1) {
          await end(run);
          run = undefined;
        }
        run ??= begin(trackId, box.frameNumber);
        run.lastFrame = box.frameNumber;
        await pushCrops(run, run.planner.push(box, box));
      }
    },

    async settle(settledUntilFrame) {
      for (const run of [...open.values()]) if (run.lastFrame + 1 < settledUntilFrame) await end(run);
    },

    async hearUntil(timeSec) {
      while (!soundEnded && originSec + heardSamples / audioRateHz < timeSec + soundLeadSec) {
        const next = await stopwatch.time('sound', () => sound.next());
        if (next.done) {
          soundEnded = true;
          return;
        }
        const { samples } = next.value;
        heardSamples += samples.length;
        probabilities.push(await stopwatch.time('speech', () => speech.push(samples)));
        await stopwatch.time('speaker', () => scorer.pushSound(samples));
      }
    },

    get oldestFrameNumber() {
      let oldest = Number.POSITIVE_INFINITY;
      for (const { planner } of open.values()) oldest = Math.min(oldest, planner.oldestFrameNumber ?? oldest);
      return oldest;
    },

    async soFar() {
      return heard(await stopwatch.time('partial', () => scorer.soFar()));
    },

    async finish() {
      await this.hearUntil(Number.POSITIVE_INFINITY);
      for (const run of [...open.values()]) await end(run);
      probabilities.push(await stopwatch.time('speech', () => speech.finish()));
      const measured = await stopwatch.time('speaker', () => scorer.finish());
      return { ...heard(measured.faces), sound: measured.sound };
    },

    save() {
      probabilities = [concat(probabilities)];
      return {
        runs: runs.map(({ planner, ...run }) => {
          const state = open.get(run.trackId)?.id === run.id ? planner.save() : undefined;
          return { ...run, ...(state && { planner: state }) };
        }),
        speech: speech.save(),
        probabilities: probabilities[0]!,
        scorer: scorer.save(),
        heardSamples,
        soundEnded,
      };
    },

    async close() {
      await sound.return();
      await speech.close();
    },
  };
}

/** A face of the result and the tracks it was made of. */
export type FaceOrigin = FaceTrack & { readonly sources: readonly TrackSource[] };

/** Joins final faces to what was measured of them; a stretch that a shot boundary divides is divided too. */
export function candidatesOf(
  faces: readonly FaceOrigin[],
  stretches: readonly Stretch[],
  originSec: number,
): SpeakerCandidate[] {
  const gridFrame = (timeSec: number) => Math.round((timeSec - originSec) * gridRateHz);
  return faces.flatMap(({ faceId, boxes, sources }) =>
    sources.flatMap(source =>
      stretches
        .filter(stretch => stretch.trackId === source.trackId)
        .flatMap(stretch => {
          const from = Math.max(source.startFrame, stretch.firstFrame);
          const to = Math.min(source.endFrame - 1, stretch.lastFrame);
          const frames = boxes.filter(box => box.frameNumber >= from && box.frameNumber <= to);
          const [first, last] = [frames[0], frames.at(-1)];
          if (!first || !last) return [];
          const evidence = sliceEvidence(
            stretch.evidence,
            gridFrame(first.timeSec),
            gridFrame(last.timeSec) + 1,
          );
          return [{ faceId, frames, facePx: median(frames.map(box => box.width)), evidence }];
        }),
    ),
  );
}
