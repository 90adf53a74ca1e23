import {
  type CropPlanner,
  type CropPlannerState,
  type CropRequest,
  createCropPlanner,
  gridRateHz,
} from '../../../core/face-crops.js';
import type { FaceEvidence } from '../../../core/speaker-evidence.js';
import type { TrackBox } from '../../../core/tracks.js';
import { speakerCropSpec } from '../../../inference/lr-asd.js';
import type { SpeakerScorer, SpeakerScorerState } from '../../../inference/speaker-scorer.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';
import type { Stretch } from '../speaker-candidates.js';
import type { FacesPass } from './faces-pass.js';
import { createGreyRing } from './grey-ring.js';
import type { SoundPass } from './sound-pass.js';

/** A pass between two frames. */
export type SpeakersState = {
  /** Stretches by their id in the scorer; those that have not ended have a planner. */
  readonly runs: readonly (Omit<Run, 'planner'> & { readonly planner?: CropPlannerState })[];
  readonly scorer: SpeakerScorerState;
  /** Frames whose grey copies are needed again. */
  readonly greyFrames: readonly number[];
};

export type SpeakersPassOptions = {
  readonly scorer: SpeakerScorer;
  /** Taken before this pass: its boxes are cut out of the frames. */
  readonly faces: Pick<FacesPass, 'takeSettled' | 'settledUntilFrame'>;
  readonly sound: Pick<SoundPass, 'listen' | 'hearAll'>;
  /** Time of frame 0 of the speaker model's 25 Hz clock, and of the first sample of sound; seconds. */
  readonly originSec: number;
  readonly stopwatch: Stopwatch;
};

/** An unbroken run of frames of one track. */
type Run = {
  readonly id: number;
  readonly trackId: number;
  readonly firstFrame: number;
  lastFrame: number;
  readonly planner: CropPlanner;
};

/**
 * Brings settled face boxes and the sound to the speaker model, in step with the frames.
 *
 * @param saved - State of another pass; the new pass goes on from there, with a scorer that does too.
 */
export function createSpeakersPass(
  { scorer, faces, sound, originSec, stopwatch }: SpeakersPassOptions,
  saved?: SpeakersState,
): AnalysisPass {
  const pictures = createGreyRing();
  const runs: Run[] = (saved?.runs ?? []).map(({ planner, ...run }) => ({
    ...run,
    planner: createCropPlanner(originSec, planner),
  }));
  const open = new Map(runs.filter((_, id) => saved?.runs[id]?.planner).map(run => [run.trackId, run]));
  sound.listen(samples => stopwatch.time('speaker', () => scorer.pushSound(samples)));

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
    const planner = createCropPlanner(originSec);
    const run = { id: runs.length, trackId, firstFrame, lastFrame: firstFrame, planner };
    runs.push(run);
    open.set(trackId, run);
    return run;
  };
  /** Boxes of one track that became final; a gap in their frames begins a new run. */
  const pushBoxes = async (trackId: number, boxes: readonly TrackBox[]) => {
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
  };
  const pushSettled = async () => {
    for (const { trackId, boxes } of faces.takeSettled()) await pushBoxes(trackId, boxes);
  };
  const measured = (evidence: ReadonlyMap<number, FaceEvidence>): Stretch[] =>
    runs.flatMap(({ id, trackId, firstFrame, lastFrame }) => {
      const found = evidence.get(id);
      return found ? [{ trackId, firstFrame, lastFrame, evidence: found }] : [];
    });

  return {
    name: 'speakers',
    wants: { grey: { rateHz: gridRateHz, originSec } },
    again: new Set(saved?.greyFrames),
    takeAgain: async (at, { grey }) => pictures.keep(at, grey!),
    async take(frame, { grey }) {
      if (grey) pictures.keep(frame, grey);
      await pushSettled();
      const { settledUntilFrame } = faces;
      for (const run of [...open.values()]) if (run.lastFrame + 1 < settledUntilFrame) await end(run);
      let oldest = settledUntilFrame;
      for (const { planner } of open.values()) oldest = Math.min(oldest, planner.oldestFrameNumber ?? oldest);
      pictures.dropBefore(oldest);
    },
    get kept() {
      return pictures.kept;
    },
    async partial() {
      return { stretches: measured(await stopwatch.time('partial', () => scorer.soFar())) };
    },
    async finish() {
      await pushSettled();
      // The sound may go on for long: runs that wait for their boxes would lose its beginning.
      await sound.hearAll();
      for (const run of [...open.values()]) await end(run);
      const scored = await stopwatch.time('speaker', () => scorer.finish());
      return { stretches: measured(scored.faces), sound: scored.sound };
    },
    save: (): SpeakersState => ({
      runs: runs.map(({ planner, ...run }) => {
        const state = open.get(run.trackId)?.id === run.id ? planner.save() : undefined;
        return { ...run, ...(state && { planner: state }) };
      }),
      scorer: scorer.save(),
      greyFrames: pictures.kept.map(({ frameNumber }) => frameNumber),
    }),
    close: async () => pictures.close(),
  };
}
