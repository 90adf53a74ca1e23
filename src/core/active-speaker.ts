import type { ActiveSpeaker } from '../schema/result.js';
import type { FrameTime, SourceClock, TimeRange } from '../schema/time.js';
import { gridRateHz } from './face-crops.js';
import { clamp, lerp } from './series.js';
import {
  defaultSpeechOptions,
  type SpeechOptions,
  type SpeechProbability,
  speechIntervals,
} from './speech.js';
import { bestPath } from './viterbi.js';

/** What was measured of one stretch of a face, per frame of the 25 Hz grid from `firstGridFrame` on. */
export type FaceEvidence = {
  readonly firstGridFrame: number;
  /** Raw score of the speaker model: above 0 the mouth talks. */
  readonly score: Float32Array;
  /** Mean score of the same face against wrong moments of the sound; NaN where there are none. */
  readonly shifted: Float32Array;
};

/** One stretch of a face track, within one shot, with its frames and what was measured of it. */
export type SpeakerCandidate = {
  readonly faceId: number;
  /** The source frames in which the face has a box, in order. */
  readonly frames: readonly FrameTime[];
  readonly evidence: FaceEvidence;
};

/** Everything that decides who speaks. */
export type SpeakerEvidence = {
  readonly candidates: readonly SpeakerCandidate[];
  /** Absent for a source without sound: then nobody speaks. */
  readonly speech?: SpeechProbability;
  /** The shots; they tile the source. */
  readonly shots: readonly TimeRange[];
  /** Time of grid frame 0. */
  readonly originSec: number;
};

/** How measurements become decisions. Scores are logits of the LR-ASD (AVA) model. */
export type SpeakerOptions = {
  readonly speech: SpeechOptions;
  /** Frames over which scores are smoothed, as the reference does for drawing. */
  readonly smoothFrames: number;
  /** Frames over which the contrast to wrong moments of the sound is averaged. */
  readonly contrastFrames: number;
  /** Scores above this are alike: a sure mouth must not outvote the sound. */
  readonly scoreCap: number;
  /** Reward of "nobody on screen" per frame while speech is heard: a slightly negative small face still wins. */
  readonly nobodyReward: number;
  /** Cost of changing from one face to another, and half of it to or from nobody. */
  readonly switchCost: number;
  /** A second face speaks too when its score, its contrast over 2 s and its distance to the first say so. */
  readonly second: { readonly score: number; readonly contrast: number; readonly behind: number };
};

export const defaultSpeakerOptions: SpeakerOptions = {
  speech: defaultSpeechOptions,
  smoothFrames: 5,
  contrastFrames: 25,
  scoreCap: 3,
  nobodyReward: -0.6,
  switchCost: 8,
  second: { score: 1, contrast: 0.8, behind: 0.3 },
};

/** The decision for one candidate: per source frame, the smoothed raw score and whether the face speaks. */
export type SpeakerDecision = {
  readonly faceId: number;
  readonly frames: readonly FrameTime[];
  readonly score: Float32Array;
  readonly speaking: Uint8Array;
};

/** Decides for each candidate and source frame whether that face speaks. */
export function decideSpeakers(
  evidence: SpeakerEvidence,
  options: SpeakerOptions = defaultSpeakerOptions,
): SpeakerDecision[] {
  const { candidates, originSec } = evidence;
  const smooth = candidates.map(c => movingMean(c.evidence.score, options.smoothFrames));
  const contrast = candidates.map(c => contrastOf(c.evidence));
  const spoken = candidates.map(c => new Uint8Array(c.evidence.score.length));
  const intervals = evidence.speech ? speechIntervals(evidence.speech, options.speech) : [];
  const heard = (gridFrame: number) => {
    const timeSec = originSec + gridFrame / gridRateHz;
    return intervals.some(i => i.startSec <= timeSec && timeSec < i.endSec);
  };

  for (const group of groupsOf(candidates)) {
    const first = Math.min(...group.map(i => candidates[i]!.evidence.firstGridFrame));
    const end = Math.max(...group.map(i => endOf(candidates[i]!.evidence)));
    const near = group.map(i => movingMean(contrast[i]!, options.contrastFrames));
    const far = group.map(i => movingMean(contrast[i]!, 2 * gridRateHz));
    const states = group.length + 1;
    const rewards = new Float64Array((end - first) * states).fill(-Infinity);
    for (let g = first; g < end; g++) {
      const row = (g - first) * states;
      const speech = heard(g);
      rewards[row] = speech ? options.nobodyReward : 0.5;
      group.forEach((i, k) => {
        const at = g - candidates[i]!.evidence.firstGridFrame;
        const score = smooth[i]![at];
        if (score === undefined) return;
        const contest = group.length > 1 ? near[k]![at]! : 0;
        rewards[row + k + 1] = speech ? Math.min(options.scoreCap, score) + contest : -1;
      });
    }
    const path = bestPath(rewards, states, (from, to) =>
      from === to ? 0 : from && to ? options.switchCost : options.switchCost / 2,
    );
    for (let g = first; g < end; g++) {
      const owner = path[g - first]!;
      if (!owner) continue;
      const ownerScore =
        smooth[group[owner - 1]!]![g - candidates[group[owner - 1]!]!.evidence.firstGridFrame]!;
      group.forEach((i, k) => {
        const at = g - candidates[i]!.evidence.firstGridFrame;
        const score = smooth[i]![at];
        if (score === undefined) return;
        const also =
          score > options.second.score &&
          far[k]![at]! > options.second.contrast &&
          score > ownerScore - options.second.behind;
        if (k + 1 === owner || (heard(g) && also)) spoken[i]![at] = 1;
      });
    }
  }
  return candidates.map((candidate, i) => toSource(candidate, smooth[i]!, spoken[i]!, originSec));
}

/** Puts decisions into the service's result; stretches with the same `faceId` become one track. */
export function toActiveSpeaker(decisions: readonly SpeakerDecision[], clock: SourceClock): ActiveSpeaker {
  const byFace = new Map<number, SpeakerDecision[]>();
  for (const decision of decisions) {
    byFace.set(decision.faceId, [...(byFace.get(decision.faceId) ?? []), decision]);
  }
  const tracks = [...byFace].map(([faceId, parts]) => {
    const scores = parts.flatMap(part =>
      part.frames.map((frame, i) => ({
        timestamp: frame.timeSec,
        frame_number: frame.frameNumber,
        score: part.score[i]!,
        speaking: part.speaking[i] === 1,
      })),
    );
    return {
      face_id: faceId,
      first_seen: scores[0]?.timestamp ?? 0,
      last_seen: scores.at(-1)?.timestamp ?? 0,
      speaking_fraction: scores.length ? scores.filter(s => s.speaking).length / scores.length : 0,
      scores,
    };
  });
  return {
    model: 'active_speaker',
    video_fps: clock.frameRateHz,
    total_frames: clock.totalFrames,
    track_count: tracks.length,
    tracks,
  };
}

const endOf = (evidence: FaceEvidence) => evidence.firstGridFrame + evidence.score.length;

/** Candidates that share the screen at some time, directly or through others, compete with each other. */
function groupsOf(candidates: readonly SpeakerCandidate[]): number[][] {
  const order = candidates
    .map((_, i) => i)
    .filter(i => candidates[i]!.evidence.score.length)
    .sort((a, b) => candidates[a]!.evidence.firstGridFrame - candidates[b]!.evidence.firstGridFrame);
  const groups: number[][] = [];
  let end = -Infinity;
  for (const i of order) {
    const { evidence } = candidates[i]!;
    if (evidence.firstGridFrame < end) groups.at(-1)!.push(i);
    else groups.push([i]);
    end = Math.max(end, endOf(evidence));
  }
  return groups;
}

const contrastOf = (evidence: FaceEvidence) =>
  evidence.score.map((score, i) => {
    const shifted = evidence.shifted[i]!;
    return Number.isNaN(shifted) ? 0 : score - shifted;
  });

/** Centred mean over a window, which shrinks at the ends. */
function movingMean(values: Float32Array, frames: number): Float32Array {
  const reach = (frames - 1) >> 1;
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, i) => {
    sums[i + 1] = sums[i]! + value;
  });
  return values.map((_, i) => {
    const from = Math.max(0, i - reach);
    const to = Math.min(values.length, i + reach + 1);
    return (sums[to]! - sums[from]!) / (to - from);
  });
}

/** Scores linear in time from the grid to the source's frames, decisions from the nearest grid frame. */
function toSource(
  candidate: SpeakerCandidate,
  score: Float32Array,
  spoken: Uint8Array,
  originSec: number,
): SpeakerDecision {
  const { faceId, frames, evidence } = candidate;
  const last = score.length - 1;
  const outScore = new Float32Array(frames.length);
  const speaking = new Uint8Array(frames.length);
  frames.forEach(({ timeSec }, i) => {
    if (last < 0) return;
    const at = clamp((timeSec - originSec) * gridRateHz - evidence.firstGridFrame, 0, last);
    const low = Math.floor(at);
    outScore[i] = lerp(score[low]!, score[Math.min(last, low + 1)]!, at - low);
    speaking[i] = spoken[Math.round(at)]!;
  });
  return { faceId, frames, score: outScore, speaking };
}
