import type { PixelBox } from '../schema/geometry.js';
import type { FrameTime } from '../schema/time.js';
import type { Analyser } from './analyser.js';
import { type AssociationOptions, associate, defaultAssociationOptions } from './association.js';
import { centre, lerpBox } from './box.js';
import type { Detection } from './detection.js';
import { clamp, lerp } from './series.js';

/**
 * One frame, in presentation order without gaps. `detections` only on sampled frames; `cut` on the first
 * frame of a new shot, which should be sampled.
 */
export type TrackSample = FrameTime & {
  readonly detections?: readonly Detection[];
  readonly cut: boolean;
};

/** A face in one frame, in pixels of the displayed frame. */
export type TrackBox = FrameTime & PixelBox & { readonly confidence: number };

/** One face over time. Boxes are in time order, one per frame; frames are missing while the face was lost. */
export type FaceTrack = { readonly faceId: number; readonly boxes: readonly TrackBox[] };

export type TrackOptions = {
  readonly association: AssociationOptions;
  /** Between sightings up to this far apart boxes are interpolated; over longer gaps there are none; seconds. */
  readonly maxGapSec: number;
  /** A face found again within this time at nearly the same place keeps its track; seconds. */
  readonly maxLostSec: number;
};

/** At five detections a second: two samples may fail in a row, and a head turned away for a while keeps its id. */
export const defaultTrackOptions: TrackOptions = {
  association: defaultAssociationOptions,
  maxGapSec: 0.65,
  maxLostSec: 2,
};

/** Follows faces through shots. Tracks never cross a cut; `faceId` of its part are provisional track ids. */
export interface TrackAnalyser extends Analyser<TrackSample, readonly FaceTrack[]> {
  /** Boxes that became final since the last call (interpolated, one per source frame), by track id. */
  settled(): readonly { readonly trackId: number; readonly boxes: readonly TrackBox[] }[];
  /**
   * Frames before this frame need not be kept: no later box refers to them. The frame stays behind the last pushed frame
   * by at most the distance of two samples plus `maxGapSec`.
   */
  readonly settledUntilFrame: number;
  /** The tracks as far as they are final; `finish` gives the same boxes and more. */
  soFar(): readonly FaceTrack[];
}

/**
 * Sightings without a longer gap. The first box is held back to `startFrame` and the last one on until
 * `endFrame` (exclusive; absent while the next sighting is awaited), because faces come and go between samples.
 */
type Span = { readonly startFrame: number; endFrame?: number; readonly sightings: TrackBox[] };
type Track = {
  readonly trackId: number;
  readonly spans: Span[];
  /** The first sampled frame without a sighting since the last one. */
  missedFrame?: number;
  /** Boxes before this frame have been given by `settled`. */
  settledUntil: number;
};
type State = {
  firstFrame: number;
  /** Presentation time of every frame since `firstFrame`. */
  times: number[];
  tracks: Track[];
  /** Ids of tracks that may be continued. */
  live: number[];
  /** Ids of tracks with boxes that `settled` has not given. */
  unsettled: number[];
  /** A face first seen on the next sample may have been there since this frame. */
  unseenSince: number;
};

/** Builds the analyser. Its memory grows by sightings and frame times, not by boxes. */
export function createTrackAnalyser(options: TrackOptions = defaultTrackOptions): TrackAnalyser {
  let state: State = { firstFrame: 0, times: [], tracks: [], live: [], unsettled: [], unseenSince: 0 };

  const liveTracks = () => state.live.map(id => state.tracks[id]!);
  const timeOf = (frame: number) => state.times[frame - state.firstFrame]!;
  const nextFrame = () => state.firstFrame + state.times.length;

  const expire = (nowSec: number) => {
    for (const track of liveTracks()) {
      const span = track.spans.at(-1)!;
      const lostSec = nowSec - span.sightings.at(-1)!.timeSec;
      if (track.missedFrame !== undefined && lostSec > options.maxGapSec) span.endFrame ??= track.missedFrame;
      if (lostSec > options.maxLostSec) state.live = state.live.filter(id => id !== track.trackId);
    }
  };

  const endTracks = (frame: number) => {
    for (const track of liveTracks()) track.spans.at(-1)!.endFrame ??= track.missedFrame ?? frame;
    state.live = [];
  };

  const see = (track: Track, sighting: TrackBox) => {
    const span = track.spans.at(-1);
    if (span && span.endFrame === undefined) span.sightings.push(sighting);
    else track.spans.push({ startFrame: state.unseenSince, sightings: [sighting] });
    delete track.missedFrame;
    if (!state.unsettled.includes(track.trackId)) state.unsettled.push(track.trackId);
  };

  const takeSample = (time: FrameTime, detections: readonly Detection[]) => {
    const tracks = liveTracks();
    const candidates = tracks.map(track => ({
      predicted: predict(track, time.timeSec),
      isFresh: track.missedFrame === undefined,
    }));
    const { matches, free } = associate(candidates, detections, options.association);
    tracks.forEach((track, index) => {
      const detection = matches.get(index);
      if (detection) see(track, toBox(time, detection));
      else track.missedFrame ??= time.frameNumber;
    });
    for (const detection of free) {
      const trackId = state.tracks.length;
      const track: Track = { trackId, spans: [], settledUntil: state.unseenSince };
      state.tracks.push(track);
      state.live.push(trackId);
      see(track, toBox(time, detection));
    }
    state.unseenSince = time.frameNumber + 1;
  };

  return {
    push({ frameNumber, timeSec, detections, cut }) {
      if (!state.times.length) {
        state.firstFrame = frameNumber;
        state.unseenSince = frameNumber;
      } else if (frameNumber !== nextFrame()) {
        throw new RangeError(`frame ${frameNumber} does not follow frame ${nextFrame() - 1}`);
      }
      state.times.push(timeSec);
      if (cut) {
        endTracks(frameNumber);
        state.unseenSince = frameNumber;
      }
      expire(timeSec);
      if (detections) takeSample({ frameNumber, timeSec }, detections);
    },

    settled() {
      const found = state.unsettled.map(id => {
        const track = state.tracks[id]!;
        const boxes = boxesOf(track, track.settledUntil, timeOf);
        track.settledUntil = settledEnd(track.spans.at(-1)!);
        return { trackId: id, boxes };
      });
      state.unsettled = state.unsettled.filter(id => state.tracks[id]!.spans.at(-1)!.endFrame === undefined);
      return found.filter(({ boxes }) => boxes.length > 0);
    },

    get settledUntilFrame() {
      const open = liveTracks().filter(track => track.spans.at(-1)!.endFrame === undefined);
      return Math.min(state.unseenSince, ...open.map(track => settledEnd(track.spans.at(-1)!)));
    },

    soFar: () =>
      state.tracks.map(track => ({
        faceId: track.trackId,
        boxes: boxesOf(track, state.firstFrame, timeOf),
      })),

    finish() {
      endTracks(nextFrame());
      state.unseenSince = nextFrame();
      return this.soFar();
    },

    save: () => JSON.parse(JSON.stringify(state)),
    load(saved) {
      state = JSON.parse(JSON.stringify(saved));
    },
  };
}

const toBox = ({ frameNumber, timeSec }: FrameTime, detection: Detection): TrackBox => {
  const { x, y, width, height, confidence } = detection;
  return { frameNumber, timeSec, x, y, width, height, confidence };
};

/** Where the face should be now: it goes on as between its last two sightings, but stays once it is lost. */
function predict({ spans }: Track, timeSec: number): PixelBox {
  const { sightings, endFrame } = spans.at(-1)!;
  const [last, before] = [sightings.at(-1)!, sightings.at(-2)];
  if (!before || endFrame !== undefined) return last;
  const ratio = (timeSec - last.timeSec) / (last.timeSec - before.timeSec);
  const [from, to] = [centre(before), centre(last)];
  return { ...last, x: last.x + (to.x - from.x) * ratio, y: last.y + (to.y - from.y) * ratio };
}

/** The first frame whose box may still change. */
const settledEnd = (span: Span): number => span.endFrame ?? span.sightings.at(-1)!.frameNumber + 1;

/** One box per frame from `fromFrame` on, as far as they are final. */
function boxesOf({ spans }: Track, fromFrame: number, timeOf: (frame: number) => number): TrackBox[] {
  const boxes: TrackBox[] = [];
  // From the end: a long track is asked for its last second over and over.
  const firstSpan = Math.max(
    0,
    spans.findLastIndex(span => span.startFrame <= fromFrame),
  );
  for (const span of spans.slice(firstSpan)) {
    const start = Math.max(fromFrame, span.startFrame);
    let next = Math.max(
      0,
      span.sightings.findLastIndex(({ frameNumber }) => frameNumber <= start),
    );
    for (let frameNumber = start; frameNumber < settledEnd(span); frameNumber++) {
      while (span.sightings[next] && span.sightings[next]!.frameNumber < frameNumber) next++;
      boxes.push(
        boxBetween(span.sightings[next - 1], span.sightings[next], {
          frameNumber,
          timeSec: timeOf(frameNumber),
        }),
      );
    }
  }
  return boxes;
}

/** Linear in time between two sightings; held where there is only one. */
function boxBetween(before: TrackBox | undefined, after: TrackBox | undefined, time: FrameTime): TrackBox {
  if (!before || !after) return { ...(before ?? after)!, ...time };
  const ratio = clamp((time.timeSec - before.timeSec) / (after.timeSec - before.timeSec), 0, 1);
  return {
    ...lerpBox(before, after, ratio),
    confidence: lerp(before.confidence, after.confidence, ratio),
    ...time,
  };
}
