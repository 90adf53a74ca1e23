import { cosine, enrolVoices, type VoicePiece } from './enrol-voices.js';
import { gridRateHz } from './face-crops.js';
import { type SoundEvidence, voicePieceSec, voiceSize, voiceStepSec } from './speaker-evidence.js';
import { voiceLikelihood } from './voice-likelihood.js';

/** A piece of sound in which a voice is heard, on the grid; pieces follow each other by half their length. */
export type SpacedVoice = {
  readonly index: number;
  readonly voice: Int8Array;
  /** Grid frames, fractional, `to` exclusive. */
  readonly from: number;
  readonly to: number;
};

/** The pieces with speech in them. */
export function spacedVoices({
  voices,
  voiceSize: size = voiceSize,
}: Pick<SoundEvidence, 'voices' | 'voiceSize'>): SpacedVoice[] {
  const found: SpacedVoice[] = [];
  for (let index = 0; index < voices.length / size; index++) {
    const voice = voices.subarray(index * size, (index + 1) * size);
    if (!voice.some(value => value !== 0)) continue;
    const from = index * voiceStepSec * gridRateHz;
    found.push({ index, voice, from, to: from + voicePieceSec * gridRateHz });
  }
  return found;
}

/** A change of voice lies within so many grid frames of where two pieces that differ meet. */
const changeReachFrames = 8;

/**
 * Where the voice may change: around the end of a piece that another voice rather than the same voice follows.
 *
 * @returns Grid frames, `to` exclusive.
 */
export function voiceChanges(voices: readonly SpacedVoice[]): [from: number, to: number][] {
  const apart = Math.round(voicePieceSec / voiceStepSec);
  const found: [number, number][] = [];
  voices.forEach((before, v) => {
    const after = voices.slice(v + 1, v + 1 + apart).find(({ index }) => index === before.index + apart);
    if (!after || voiceLikelihood(cosine(before.voice, after.voice), voicePieceSec, voicePieceSec) >= 0)
      return;
    const meet = Math.round(before.to);
    found.push([meet - changeReachFrames, meet + changeReachFrames + 1]);
  });
  return found;
}

/** Who may have the voice in one shot, before voices are considered. */
export type ShotTurns = {
  /** Stretches of faces, in grid frames, `to` exclusive; stretches of one face share its voice. */
  readonly spans: readonly {
    readonly face: number;
    readonly state: number;
    readonly from: number;
    readonly to: number;
  }[];
  /** `[steps, states]` from grid frame `first` on. */
  readonly probabilities: Float64Array;
  readonly states: number;
  readonly first: number;
  readonly isHeard: (step: number) => boolean;
};

/** Fewer frames of speech within the shot are too few to tell a voice by. */
const leastFrames = 12;
/** What the likelihood ratio of a piece counts for each of its frames, before `frameWeight`; see `togetherBias`. */
const voiceWeight = 0.5;

/**
 * What the voices say of each state at each step, in logits: how the voice that is heard fits the one that the face has
 * where the face surely speaks.
 */
export function voiceOdds(voices: readonly SpacedVoice[], turns: ShotTurns): Float64Array {
  const { spans, probabilities, states, first, isHeard } = turns;
  const steps = probabilities.length / states;
  const out = new Float64Array(probabilities.length);
  const counts = new Uint8Array(steps);
  const inside = voices.flatMap(voice => {
    const from = Math.max(0, Math.floor(voice.from) - first);
    const to = Math.min(steps, Math.ceil(voice.to) - first);
    const frames = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i).filter(isHeard);
    return frames.length < leastFrames ? [] : [{ ...voice, begin: from, end: to, frames }];
  });
  const byStart = [...spans].sort((a, b) => a.from - b.from);
  let next = 0;
  let here: (typeof byStart)[number][] = [];
  const pieces = inside.map(({ index, voice, begin, end, frames }) => {
    here = here.filter(({ to }) => to > first + begin);
    for (; next < byStart.length && byStart[next]!.from < first + end; next++) here.push(byStart[next]!);
    const owners = new Map<number, number>();
    for (const { face, state, from, to } of here) {
      let sum = 0;
      for (const step of frames)
        if (step + first >= from && step + first < to) sum += probabilities[step * states + state]!;
      owners.set(face, (owners.get(face) ?? 0) + sum / frames.length);
    }
    return { index, voice, speechSec: frames.length / gridRateHz, owners, begin, end, here: [...here] };
  });
  const ratios = enrolVoices(pieces satisfies readonly VoicePiece[]);
  pieces.forEach(({ begin, end, here }, p) => {
    for (let step = begin; step < end; step++) counts[step]!++;
    for (const { face, state, from, to } of here) {
      const ratio = ratios[p]!.get(face) ?? 0;
      for (let step = Math.max(begin, from - first); step < Math.min(end, to - first); step++)
        out[step * states + state]! += ratio;
    }
  });
  for (let step = 0; step < steps; step++)
    for (let s = 1; s < states; s++) out[step * states + s]! *= voiceWeight / Math.max(1, counts[step]!);
  return out;
}
