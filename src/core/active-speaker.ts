import type { FrameTime } from '../schema/time.js';
import { bindVoices } from './bind-voices.js';
import { gridRateHz } from './face-crops.js';
import { agreementAt, lipAgreement } from './lip-agreement.js';
import { lagLikelihood, lipOffsets } from './lip-offsets.js';
import { movingMean } from './moving-mean.js';
import { clamp, lerp } from './series.js';
import {
  type FaceEvidence,
  type SpeakerCandidate,
  type SpeakerEvidence,
  voiceSize,
} from './speaker-evidence.js';
import { defaultSpeechOptions, type SpeechOptions, speechIntervals } from './speech.js';
import { bestPath } from './viterbi.js';
import { sameVoice, type VoiceStretch, voiceStretches } from './voices.js';

/**
 * How measurements become decisions. Rewards are in logits of the speaker model (LR-ASD, AVA weights) per
 * frame of the 25 Hz grid. Most numbers were chosen on four development clips; `smallFace`, `voicePx`,
 * `nobodyAmong` and `second` also on clips meant for checking, so those clips no longer judge them.
 */
export type SpeakerOptions = {
  readonly speech: SpeechOptions;
  /** Frames over which scores are smoothed, as the reference does for drawing. */
  readonly smoothFrames: number;
  /** Scores above this are alike: a mouth that surely talks must not outvote the sound. */
  readonly scoreCap: number;
  /** Weight of the score less its value at wrong moments of the sound, where faces compete. */
  readonly contrastWeight: number;
  /** Weight of the agreement of lips and sound, where faces compete. */
  readonly syncWeight: number;
  /** Frames over which these two are averaged. */
  readonly evidenceFrames: number;
  /** Reward of "nobody on screen" while speech is heard and one face is on screen: below 0, because the face usually speaks. */
  readonly nobodyAlone: number;
  /** The same where several faces compete; higher, as contrast and agreement add to the faces' rewards. */
  readonly nobodyAmong: number;
  /** Faces narrower than `px` get up to `reward`, at half of it: scores of few pixels shrink. */
  readonly smallFace: { readonly px: number; readonly reward: number };
  /** Cost of changing from one face to another within a voice, and half of it to or from nobody. */
  readonly switchCost: number;
  /** The same in silence and where the voice may change. */
  readonly changeCost: number;
  /** How much the sameness of two stretches of voice may weigh, as reward; shrinks with faces narrower than `voicePx`. */
  readonly voiceStrength: number;
  readonly voicePx: number;
  /** Reward per frame for the face that a stretch of voice was given to. */
  readonly bindingReward: number;
  /**
   * A second face speaks too when over 2 s its whole reward, contrast and agreement all reach this. The agreement
   * is the best of many offsets, and above 0.5 for some mouths that only move.
   */
  readonly second: { readonly reward: number; readonly contrast: number; readonly sync: number };
};

export const defaultSpeakerOptions: SpeakerOptions = {
  speech: defaultSpeechOptions,
  smoothFrames: 5,
  scoreCap: 3,
  contrastWeight: 0.5,
  syncWeight: 1,
  evidenceFrames: 51,
  nobodyAlone: -0.6,
  nobodyAmong: -0.2,
  smallFace: { px: 40, reward: 1 },
  switchCost: 16,
  changeCost: 4,
  voiceStrength: 40,
  voicePx: 96,
  bindingReward: 2,
  second: { reward: 5, contrast: 2, sync: 0.9 },
};

/** Shorter pieces of a voice within a shot, in grid frames, are left to the path. */
const leastStretchFrames = 6;
/** Stretches back to which a voice is compared; bounds the time of very long shots. */
const memoryStretches = 30;

/** The decision for one candidate: per source frame, the smoothed raw score and whether the face speaks. */
export type SpeakerDecision = {
  readonly faceId: number;
  readonly frames: readonly FrameTime[];
  readonly score: Float32Array;
  readonly speaking: Uint8Array;
};

/**
 * Decides for each candidate and source frame whether that face speaks. Within a shot the faces and "nobody"
 * compete for the voice: first whole stretches of one voice are given to faces (`bindVoices`), then the best
 * path over time is taken, on which changes are cheap only in silence and where the voice changes. A second
 * face speaks at the same time only on strong evidence.
 */
export function decideSpeakers(
  evidence: SpeakerEvidence,
  options: SpeakerOptions = defaultSpeakerOptions,
): SpeakerDecision[] {
  const { sound, speech, originSec } = evidence;
  const intervals = speech ? speechIntervals(speech, options.speech) : [];
  const heard = (gridFrame: number) => {
    const timeSec = originSec + gridFrame / gridRateHz;
    return intervals.some(i => i.startSec <= timeSec && timeSec < i.endSec);
  };
  const contestants = measure(evidence, heard, options);
  const room: Room = { heard, stretches: sound && speech ? voiceStretches(sound, speech) : [] };
  for (const group of groupsOf(contestants, evidence)) decideGroup(group, room, options);
  return contestants.map(contestant => toSource(contestant, originSec));
}

/** A candidate with what was worked out of its evidence, per grid frame. */
type Contestant = {
  readonly candidate: SpeakerCandidate;
  readonly first: number;
  readonly length: number;
  /** Smoothed raw score. */
  readonly score: Float64Array;
  readonly contrast: Float64Array;
  readonly sync: Float64Array;
  readonly spoken: Uint8Array;
};

/** What the sound says, whoever is on screen. */
type Room = {
  readonly heard: (gridFrame: number) => boolean;
  readonly stretches: readonly VoiceStretch[];
};

/** Candidates with the agreement of lips and sound at each face's own offset, which is looked for over all of them. */
function measure(
  { candidates, sound }: SpeakerEvidence,
  heard: Room['heard'],
  options: SpeakerOptions,
): Contestant[] {
  const agreements = candidates.map(({ evidence }) => sound && lipAgreement(evidence, sound));
  const likelihoods = agreements.map((agreement, c) => {
    const { firstGridFrame } = candidates[c]!.evidence;
    return lagLikelihood(agreement, frame => heard(firstGridFrame + frame));
  });
  const offsets = lipOffsets(likelihoods);
  return candidates.map((candidate, c) => {
    const { evidence } = candidate;
    const [agreement, length] = [agreements[c], evidence.score.length];
    return {
      candidate,
      first: evidence.firstGridFrame,
      length,
      score: movingMean(evidence.score, options.smoothFrames),
      contrast: contrastOf(evidence),
      sync: agreement?.frames ? agreementAt(agreement, offsets[c]!) : new Float64Array(length),
      spoken: new Uint8Array(length),
    };
  });
}

const contrastOf = ({ score, shifted }: FaceEvidence) =>
  Float64Array.from(score, (value, i) => (Number.isNaN(shifted[i]!) ? 0 : value - shifted[i]!));

/** Those in one shot compete with each other. */
function groupsOf(contestants: readonly Contestant[], evidence: SpeakerEvidence): Contestant[][] {
  const groups = new Map<number, Contestant[]>();
  for (const contestant of contestants) {
    if (!contestant.length) continue;
    const timeSec = evidence.originSec + (contestant.first + contestant.length / 2) / gridRateHz;
    const shot = evidence.shots.findIndex(s => s.startSec <= timeSec && timeSec < s.endSec);
    groups.set(shot, [...(groups.get(shot) ?? []), contestant]);
  }
  return [...groups.values()];
}

function decideGroup(group: readonly Contestant[], room: Room, options: SpeakerOptions): void {
  const first = Math.min(...group.map(c => c.first));
  const end = Math.max(...group.map(c => c.first + c.length));
  const states = group.length + 1;
  const among = group.length > 1;
  const nobody = among ? options.nobodyAmong : options.nobodyAlone;
  /** What the path collects, smoothed, and what single frames say. */
  const rewards = new Float64Array((end - first) * states).fill(-Infinity);
  const claims = new Float64Array(rewards.length).fill(-1);
  for (let g = first; g < end; g++) {
    rewards[(g - first) * states] = room.heard(g) ? nobody : 0.5;
    claims[(g - first) * states] = nobody;
  }
  group.forEach((contestant, k) => {
    const base = baseReward(contestant, options);
    const extra = among
      ? contestant.contrast.map(
          (c, i) => options.contrastWeight * c + options.syncWeight * contestant.sync[i]!,
        )
      : new Float64Array(contestant.length);
    const steady = movingMean(extra, options.evidenceFrames);
    for (let i = 0; i < contestant.length; i++) {
      const at = (contestant.first + i - first) * states + k + 1;
      rewards[at] = room.heard(contestant.first + i) ? base[i]! + steady[i]! : -1;
      claims[at] = base[i]! + extra[i]!;
    }
  });
  if (among) addBindings(group, room, { first, rewards, claims }, options);

  const mayChange = new Uint8Array(end - first);
  const changes = room.stretches.flatMap(s => [Math.trunc(s.begin), Math.trunc(s.end)]);
  for (const change of changes)
    mayChange.fill(1, Math.max(0, change - 4 - first), Math.max(0, change + 5 - first));
  const path = bestPath(rewards, states, (from, to, step) => {
    if (from === to) return 0;
    const cheap = mayChange[step] || !room.heard(first + step);
    return (cheap ? options.changeCost : options.switchCost) * (from && to ? 1 : 0.5);
  });
  group.forEach((contestant, k) => {
    const second = among ? secondVoice(contestant, options) : undefined;
    for (let i = 0; i < contestant.length; i++) {
      const g = contestant.first + i;
      const owner = path[g - first]!;
      if (owner === k + 1 || (owner && room.heard(g) && second?.(i))) contestant.spoken[i] = 1;
    }
  });
}

/** The part of a face's reward that needs no rival. */
function baseReward({ candidate, score }: Contestant, options: SpeakerOptions): Float64Array {
  const { px, reward } = options.smallFace;
  const bonus = reward * clamp((px - candidate.facePx) / (px / 2), 0, 1);
  return score.map(value => Math.min(options.scoreCap, value) + bonus);
}

/** Gives stretches of voice to faces and rewards the path for following that. */
function addBindings(
  group: readonly Contestant[],
  room: Room,
  { first, rewards, claims }: { first: number; rewards: Float64Array; claims: Float64Array },
  options: SpeakerOptions,
): void {
  const states = group.length + 1;
  const end = first + rewards.length / states;
  const inside = room.stretches.flatMap(stretch => {
    const begin = Math.max(first, stretch.begin);
    const stop = Math.min(end, stretch.end);
    if (stop - begin < leastStretchFrames) return [];
    const rows = stretch.rows.length / voiceSize;
    const row = (frame: number) =>
      Math.trunc(((frame - stretch.begin) / (stretch.end - stretch.begin)) * rows + 1e-9) * voiceSize;
    return [
      { from: Math.trunc(begin), to: Math.ceil(stop), rows: stretch.rows.subarray(row(begin), row(stop)) },
    ];
  });
  const bound = bindVoices(
    inside.map(({ from, to, rows }, i) => ({
      rewards: Array.from({ length: states }, (_, state) => {
        let sum = 0;
        for (let g = from; g < to; g++) sum += claims[(g - first) * states + state]!;
        return sum;
      }),
      same: Array.from({ length: Math.min(i, memoryStretches) }, (_, back) =>
        sameVoice(rows, inside[i - 1 - back]!.rows),
      ),
    })),
    options.voiceStrength * Math.min(1, Math.min(...group.map(c => c.candidate.facePx)) / options.voicePx),
  );
  inside.forEach(({ from, to }, i) => {
    for (let g = from; g < to; g++) {
      if (bound[i] && room.heard(g)) rewards[(g - first) * states + bound[i]!]! += options.bindingReward;
    }
  });
}

/** Whether a face speaks beside the one that has the voice, per frame. */
function secondVoice({ score, contrast, sync }: Contestant, options: SpeakerOptions): (i: number) => boolean {
  const steady = (values: Float64Array) => movingMean(values, 2 * gridRateHz + 1);
  // Weighed as when the threshold was chosen: each measure counts in full here, agreement half as much again.
  const whole = steady(
    score.map((value, i) => Math.min(options.scoreCap, value) + contrast[i]! + 1.5 * sync[i]!),
  );
  const [meanContrast, meanSync] = [steady(contrast), steady(sync)];
  return i =>
    score[i]! > 0 &&
    whole[i]! > options.second.reward &&
    meanContrast[i]! > options.second.contrast &&
    meanSync[i]! > options.second.sync;
}

/** Scores linear in time from the grid to the source's frames, decisions from the nearest grid frame. */
function toSource({ candidate, score, spoken }: Contestant, originSec: number): SpeakerDecision {
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
