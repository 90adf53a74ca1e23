import type { FrameTime } from '../schema/time.js';
import { gridRateHz } from './face-crops.js';
import { lipAgreement, soundLips } from './lip-agreement.js';
import { lagLikelihood, lipOffsets } from './lip-offsets.js';
import { movingMean } from './moving-mean.js';
import {
  defaultSecondVoiceOptions,
  type SecondVoiceOptions,
  secondConfidence,
  secondVoice,
} from './second-voice.js';
import { clamp, lerp } from './series.js';
import type { SpeakerCandidate, SpeakerEvidence } from './speaker-evidence.js';
import { speakerFeatures } from './speaker-features.js';
import { faceLogit, type OddsWeights, weightsFor } from './speaker-odds.js';
import { likeliestTurns, type TurnGrid, turnProbabilities } from './speaker-turns.js';
import { defaultSpeechOptions, type SpeechOptions, speechIntervals } from './speech.js';
import { type SpacedVoice, spacedVoices, voiceChanges, voiceOdds } from './voices.js';

/**
 * How single frames become turns. What a frame says is fitted (`speaker-odds.ts`); these numbers were chosen by the loss
 * of the probabilities on scenes of training people, and are flat around what stands here (models/training/decision).
 */
export type SpeakerOptions = {
  readonly speech: SpeechOptions;
  /** Frames over which scores are smoothed, as the reference does for drawing. */
  readonly smoothFrames: number;
  /** What a frame counts of its log-odds: its neighbours say the same again, because features are means over seconds. */
  readonly frameWeight: number;
  /** What a change from one face to another costs within a voice, and half of it to or from nobody; natural log units. */
  readonly switchCost: number;
  /** The same in silence and where the voice may change. */
  readonly changeCost: number;
  /** Cost per frame of a face that speaks where no speech is heard. */
  readonly silenceCost: number;
  /** Whether each face's offset of lips and sound is looked for; else all have the usual one. */
  readonly searchOffsets: boolean;
  /** How often voices are enrolled and faces judged anew; 0 leaves voices out. */
  readonly voiceRounds: number;
  readonly second: SecondVoiceOptions;
};

export const defaultSpeakerOptions: SpeakerOptions = {
  speech: defaultSpeechOptions,
  smoothFrames: 5,
  frameWeight: 0.3,
  switchCost: 3,
  changeCost: 2,
  silenceCost: 0.6,
  searchOffsets: true,
  voiceRounds: 2,
  second: defaultSecondVoiceOptions,
};

/** The decision for one candidate, per source frame. */
export type SpeakerDecision = {
  readonly faceId: number;
  readonly frames: readonly FrameTime[];
  /** The smoothed raw score. */
  readonly score: Float32Array;
  readonly speaking: Uint8Array;
  /** Probability that the face speaks, 0–1. */
  readonly confidence: Float32Array;
};

/**
 * Decides for each candidate and source frame whether that face speaks. Within a shot the faces and "nobody" compete for
 * the voice: each frame has log-odds, turns are the likeliest path through them, on which changes are cheap only in
 * silence and where the voice changes. Then each face's voice is learnt where the face surely speaks, and helps to
 * decide elsewhere. A second face speaks at the same time only on strong evidence. Linear in time and in faces on screen.
 */
export function decideSpeakers(
  evidence: SpeakerEvidence,
  options: SpeakerOptions = defaultSpeakerOptions,
): SpeakerDecision[] {
  const heard = heardFrames(evidence, options.speech);
  const contestants = measure(evidence, heard, options);
  const voices = evidence.sound ? spacedVoices(evidence.sound) : [];
  const room: Room = { heard, voices, changes: voiceChanges(voices) };
  for (const group of groupsOf(contestants, evidence)) decideGroup(group, room, options);
  return contestants.map(contestant => toSource(contestant, evidence.originSec));
}

/** A candidate with what was worked out of its evidence, per grid frame. */
type Contestant = {
  readonly candidate: SpeakerCandidate;
  readonly first: number;
  readonly length: number;
  /** Smoothed raw score. */
  readonly score: Float64Array;
  readonly features: readonly Float64Array[];
  readonly weights: OddsWeights;
  readonly spoken: Uint8Array;
  readonly confidence: Float64Array;
};

/** What the sound says, whoever is on screen. */
type Room = {
  /** Per grid frame: 1 where speech is heard. */
  readonly heard: Uint8Array;
  readonly voices: readonly SpacedVoice[];
  /** Grid frames about which the voice may change: from, to before. */
  readonly changes: readonly (readonly [from: number, to: number])[];
};

function heardFrames({ speech, originSec }: SpeakerEvidence, options: SpeechOptions): Uint8Array {
  const intervals = speech ? speechIntervals(speech, options) : [];
  const frameAt = (timeSec: number) => Math.max(0, Math.ceil((timeSec - originSec) * gridRateHz - 1e-6));
  const heard = new Uint8Array(frameAt(intervals.at(-1)?.endSec ?? originSec));
  for (const { startSec, endSec } of intervals) heard.fill(1, frameAt(startSec), frameAt(endSec));
  return heard;
}

/** Candidates with what their frames say, at the offset of their lips, which is looked for over all faces together. */
function measure(
  { candidates, sound }: SpeakerEvidence,
  heard: Uint8Array,
  options: SpeakerOptions,
): Contestant[] {
  const lips = sound && soundLips(sound);
  const agreements = candidates.map(({ evidence }) => lips && lipAgreement(evidence, lips));
  const offsets = lipOffsets(
    agreements.map((agreement, c) => {
      const first = candidates[c]!.evidence.firstGridFrame;
      return lagLikelihood(
        options.searchOffsets ? agreement : undefined,
        frame => heard[first + frame] === 1,
      );
    }),
  );
  return candidates.map((candidate, c) => {
    const { evidence } = candidate;
    const length = evidence.score.length;
    return {
      candidate,
      first: evidence.firstGridFrame,
      length,
      score: movingMean(evidence.score, options.smoothFrames),
      features: speakerFeatures(evidence, agreements[c], offsets[c]!),
      weights: weightsFor(Boolean(agreements[c]?.frames)),
      spoken: new Uint8Array(length),
      confidence: new Float64Array(length),
    };
  });
}

/** Those in one shot compete with each other. */
function groupsOf(contestants: readonly Contestant[], { shots, originSec }: SpeakerEvidence): Contestant[][] {
  const groups = new Map<number, Contestant[]>();
  for (const contestant of contestants) {
    if (!contestant.length) continue;
    const timeSec = originSec + (contestant.first + contestant.length / 2) / gridRateHz;
    let [low, high] = [0, shots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shots[middle]!.endSec > timeSec) high = middle;
      else low = middle + 1;
    }
    const group = groups.get(low);
    if (group) group.push(contestant);
    else groups.set(low, [contestant]);
  }
  return [...groups.values()];
}

/** A candidate's place among the states of its shot. */
type Placed = { readonly contestant: Contestant; readonly state: number };

/** Gives each candidate a state that no other one holds at the same time; as few states as can be. */
function placeAll(group: readonly Contestant[]): { placed: Placed[]; states: number } {
  const freeFrom: number[] = [];
  const placed = [...group]
    .sort((a, b) => a.first - b.first)
    .map(contestant => {
      const free = freeFrom.findIndex(from => from <= contestant.first);
      const slot = free < 0 ? freeFrom.length : free;
      freeFrom[slot] = contestant.first + contestant.length;
      return { contestant, state: slot + 1 };
    });
  return { placed, states: freeFrom.length + 1 };
}

function decideGroup(group: readonly Contestant[], room: Room, options: SpeakerOptions): void {
  const { placed, states } = placeAll(group);
  const first = placed[0]!.contestant.first;
  const steps = Math.max(...placed.map(({ contestant: c }) => c.first + c.length)) - first;
  const logits = new Float64Array(steps * states).fill(Number.NEGATIVE_INFINITY);
  const begins = new Uint8Array(steps * states);
  const onScreen = new Uint8Array(steps);
  for (const { contestant, state } of placed) {
    begins[(contestant.first - first) * states + state] = 1;
    for (let i = 0; i < contestant.length; i++) {
      const step = contestant.first + i - first;
      logits[step * states + state] = faceLogit(contestant.features, i, contestant.weights);
      onScreen[step]!++;
    }
  }
  const { nobodyAlone, nobodyAmong } = group[0]!.weights;
  for (let step = 0; step < steps; step++)
    logits[step * states] = onScreen[step]! > 1 ? nobodyAmong : nobodyAlone;
  const isHeard = (step: number) => room.heard[first + step] === 1;
  const changeCost = Float64Array.from({ length: steps }, (_, step) =>
    isHeard(step) ? options.switchCost : options.changeCost,
  );
  for (const [from, to] of room.changes)
    changeCost.fill(options.changeCost, Math.max(0, from - first), Math.max(0, to - first));
  const grid = (): TurnGrid => ({
    states,
    odds: oddsOf(logits, states, isHeard, options),
    begins,
    changeCost,
  });

  let turns = grid();
  let probabilities = turnProbabilities(turns);
  const plain = logits.slice();
  for (let round = 0; round < options.voiceRounds && states > 2; round++) {
    const spans = placed.map(({ contestant: { candidate, first: from, length }, state }) => ({
      face: candidate.faceId,
      state,
      from,
      to: from + length,
    }));
    const extra = voiceOdds(room.voices, { spans, probabilities, states, first, isHeard });
    for (let at = 0; at < logits.length; at++) logits[at] = plain[at]! + extra[at]!;
    turns = grid();
    probabilities = turnProbabilities(turns);
  }
  const path = likeliestTurns(turns);
  for (const { contestant, state } of placed) {
    const second = states > 2 ? secondVoice(contestant, options.second) : undefined;
    for (let i = 0; i < contestant.length; i++) {
      const step = contestant.first + i - first;
      const owner = path[step]!;
      const beside = owner !== state && owner > 0 && isHeard(step) && second?.(i);
      contestant.confidence[i] = beside ? secondConfidence : probabilities[step * states + state]!;
      if (owner === state || beside) contestant.spoken[i] = 1;
    }
  }
}

/** Log-likelihoods of the states at each step: what the logits say in speech, and that nobody speaks in silence. */
function oddsOf(
  logits: Float64Array,
  states: number,
  isHeard: (step: number) => boolean,
  { frameWeight, silenceCost }: SpeakerOptions,
): Float64Array {
  const odds = new Float64Array(logits.length);
  for (let at = 0, step = 0; at < logits.length; at += states, step++) {
    let sum = 0;
    for (let s = 0; s < states; s++) sum += Math.exp(logits[at + s]!);
    const all = Math.log(sum);
    for (let s = 0; s < states; s++) {
      const logit = logits[at + s]!;
      if (logit === Number.NEGATIVE_INFINITY) odds[at + s] = logit;
      else if (isHeard(step)) odds[at + s] = frameWeight * (logit - all);
      else odds[at + s] = s ? -silenceCost : 0;
    }
  }
  return odds;
}

/** Scores linear in time from the grid to the source's frames, decisions from the nearest grid frame. */
function toSource({ candidate, score, spoken, confidence }: Contestant, originSec: number): SpeakerDecision {
  const { faceId, frames, evidence } = candidate;
  const last = score.length - 1;
  const out = {
    score: new Float32Array(frames.length),
    speaking: new Uint8Array(frames.length),
    confidence: new Float32Array(frames.length),
  };
  frames.forEach(({ timeSec }, i) => {
    if (last < 0) return;
    const at = clamp((timeSec - originSec) * gridRateHz - evidence.firstGridFrame, 0, last);
    const low = Math.floor(at);
    out.score[i] = lerp(score[low]!, score[Math.min(last, low + 1)]!, at - low);
    out.speaking[i] = spoken[Math.round(at)]!;
    out.confidence[i] = confidence[Math.round(at)]!;
  });
  return { faceId, frames, ...out };
}
