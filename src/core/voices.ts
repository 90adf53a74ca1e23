import { featureRateHz } from './audio-features.js';
import { gridRateHz } from './face-crops.js';
import { type SoundEvidence, voiceSize } from './speaker-evidence.js';
import type { SpeechProbability } from './speech.js';

/** How speech is divided into stretches of one voice each. A row is 10 ms of speech. */
export type VoiceOptions = {
  /** Rows compared on each side of a possible change. */
  readonly windowRows: number;
  /** Least rows on the shorter side. */
  readonly leastRows: number;
  /** Least distance of two changes, in rows. */
  readonly apartRows: number;
  /** A silence of more rows always ends a stretch. */
  readonly silenceRows: number;
};

export const defaultVoiceOptions: VoiceOptions = {
  windowRows: 100,
  leastRows: 40,
  apartRows: 60,
  silenceRows: 15,
};

/** A stretch of speech that sounds like one voice; many stretches may be the same voice. */
export type VoiceStretch = {
  /** Grid frames, fractional, `end` exclusive. */
  readonly begin: number;
  readonly end: number;
  /** `[rows, voiceSize]` of this stretch, each component over its spread in the whole sound. */
  readonly rows: Float64Array;
};

/** The step between tried changes, in rows: 40 ms, one grid frame. */
const stepRows = 4;
/** Free parameters of a Gaussian with full covariance, as the Bayesian information criterion counts them. */
const freeParameters = voiceSize + (voiceSize * (voiceSize + 1)) / 2;

/**
 * Divides speech where the voice changes: two Gaussians explain the rows on both sides better than one by
 * more than the Bayesian information criterion asks for (Chen and Gopalakrishnan, 1998). Divides too often
 * rather than too seldom; {@link sameVoice} joins.
 */
export function voiceStretches(
  sound: SoundEvidence,
  speech: SpeechProbability,
  options: VoiceOptions = defaultVoiceOptions,
): VoiceStretch[] {
  const spoken: number[] = [];
  const total = sound.voice.length / voiceSize;
  for (let row = 0; row < total; row++) {
    const piece = Math.floor(row / featureRateHz / speech.stepSec);
    if (speech.values[Math.min(piece, speech.values.length - 1)]! >= 0.5) spoken.push(row);
  }
  if (spoken.length < options.apartRows) return [];
  const rows = standardise(sound.voice, spoken);
  const slice = (from: number, to: number) => rows.subarray(from * voiceSize, to * voiceSize);

  const gains: { readonly at: number; readonly gain: number }[] = [];
  for (let at = options.leastRows; at < spoken.length - options.leastRows; at += stepRows) {
    const before = slice(Math.max(0, at - options.windowRows), at);
    const after = slice(at, Math.min(spoken.length, at + options.windowRows));
    const gain = voiceDistance(before, after) - 1;
    if (gain > 0) gains.push({ at, gain: gain * Math.log((before.length + after.length) / voiceSize) });
  }
  const changes: number[] = [];
  for (const { at } of gains.sort((a, b) => b.gain - a.gain)) {
    if (changes.every(other => Math.abs(other - at) >= options.apartRows)) changes.push(at);
  }
  const silences = spoken.flatMap((row, i) => (i && row - spoken[i - 1]! > options.silenceRows ? [i] : []));
  const kept = changes.filter(at => silences.every(other => Math.abs(other - at) > 25));
  const bounds = [0, ...[...kept, ...silences].sort((a, b) => a - b), spoken.length];
  const perFrame = featureRateHz / gridRateHz;
  return bounds.slice(1).map((end, i) => ({
    begin: spoken[bounds[i]!]! / perFrame,
    end: (spoken[end - 1]! + 1) / perFrame,
    rows: slice(bounds[i]!, end),
  }));
}

/**
 * How different two pieces of speech sound: the likelihood gained by two Gaussians over one, in units of what
 * the Bayesian information criterion charges for them. What it says depends on their lengths: {@link sameVoice}.
 *
 * @param a, b - `[rows, voiceSize]`.
 */
export function voiceDistance(a: Float64Array, b: Float64Array): number {
  const [na, nb] = [a.length / voiceSize, b.length / voiceSize];
  const both = momentsOf(a);
  const part = momentsOf(b);
  const gain =
    -na * logSpread(both, na) - nb * logSpread(part, nb) + (na + nb) * logSpread(add(both, part), na + nb);
  return gain / (freeParameters * Math.log(na + nb));
}

/**
 * Whether two pieces of speech are one voice: 1 surely, −1 surely not, 0 undecided or too short to tell.
 * Five numbers fitted by hand to pieces of 0.4–2 s of 125 recordings, in which other people also mean another
 * microphone: in one room, voices differ less than this expects, and one voice may differ more.
 */
export function sameVoice(a: Float64Array, b: Float64Array): number {
  const [na, nb] = [a.length / voiceSize, b.length / voiceSize];
  if (na < 20 || nb < 20) return 0;
  const rows = Math.min(200, (2 * na * nb) / (na + nb));
  const middle = 0.8 + (rows - 40) * 0.0034;
  const halfWidth = Math.max(0.08, 0.12 + (rows - 40) * 0.00225);
  const verdict = Math.min(1, Math.max(-1, (middle - voiceDistance(a, b)) / halfWidth));
  return verdict * Math.min(1, rows / 100);
}

function standardise(voice: Int8Array, spoken: readonly number[]): Float64Array {
  const out = new Float64Array(spoken.length * voiceSize);
  for (let k = 0; k < voiceSize; k++) {
    let sum = 0;
    let squares = 0;
    for (const row of spoken) {
      const value = voice[row * voiceSize + k]!;
      sum += value;
      squares += value * value;
    }
    const spread = Math.sqrt(Math.max(1e-6, squares / spoken.length - (sum / spoken.length) ** 2));
    spoken.forEach((row, i) => {
      out[i * voiceSize + k] = voice[row * voiceSize + k]! / spread;
    });
  }
  return out;
}

/** Sums of the components, then of their products (lower triangle). */
function momentsOf(rows: Float64Array): Float64Array {
  const out = new Float64Array(freeParameters);
  for (let at = 0; at < rows.length; at += voiceSize) {
    let index = voiceSize;
    for (let i = 0; i < voiceSize; i++) {
      const value = rows[at + i]!;
      out[i]! += value;
      for (let j = 0; j <= i; j++) out[index++]! += value * rows[at + j]!;
    }
  }
  return out;
}

const add = (a: Float64Array, b: Float64Array) => a.map((value, i) => value + b[i]!);

/** The log determinant of the covariance, by Cholesky; 0.1 on the diagonal keeps short pieces sound. */
function logSpread(moments: Float64Array, count: number): number {
  const lower = new Float64Array(voiceSize * voiceSize);
  let logDeterminant = 0;
  let index = voiceSize;
  for (let i = 0; i < voiceSize; i++) {
    for (let j = 0; j <= i; j++) {
      let value = moments[index++]! / count - (moments[i]! / count) * (moments[j]! / count);
      if (i === j) value += 0.1;
      for (let k = 0; k < j; k++) value -= lower[i * voiceSize + k]! * lower[j * voiceSize + k]!;
      lower[i * voiceSize + j] =
        i === j ? Math.sqrt(Math.max(1e-9, value)) : value / lower[j * voiceSize + j]!;
    }
    logDeterminant += 2 * Math.log(lower[i * voiceSize + i]!);
  }
  return logDeterminant;
}
