import { lipAgreement, soundLips } from '../../../src/core/lip-agreement.js';
import { speakerFeatures } from '../../../src/core/speaker-features.js';
import { faceLogit, weightsFor } from '../../../src/core/speaker-odds.js';
import { embeddingSize, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { windowedScore } from '../../../src/inference/score-windows.js';
import type { SpeakerFamily } from '../../../src/pipeline/engine-options.js';
import { bootstrap } from '../../harness/bootstrap.js';
import { mulberry32 } from '../../harness/random.js';
import type { Row } from '../../harness/report.js';
import { type EmbeddedTrack, type EmbeddingOptions, embedTracks } from './speaker-embeddings.js';
import { negativeCases, negativesOfPeople } from './speaker-negatives.js';
import { type MouthPair, mouthPairs, quietWindows, spokenWindows, type Window } from './speaker-pack.js';

export type SpeakerEvaluationOptions = EmbeddingOptions & {
  /** Opens the three files of a family on wasm; closed here. */
  readonly open: (family: SpeakerFamily) => Promise<SpeakerModel>;
  /** Folder with the stored clip of the negative cases (`kh_mpeg4_…`). */
  readonly golden: string;
};

/** One second: the shortest turn that has to be right. */
const windowFrames = 25;
const partners = 3;
/** Wrong moments of the sound for the contrast: those of the scorer. */
const shiftsFrames = [-40, -25, -15, 15, 25, 40];

/** A figure per pair of windows, with the person it belongs to. */
type Judged = { readonly person: string; readonly own: number; readonly other: number };
type Scored = { readonly person: string; readonly value: number };
type Test = {
  readonly measure: string;
  readonly higher: readonly Scored[];
  readonly lower: readonly Scored[];
};

/**
 * Measures one family on people that ours was not trained on: the reference lines of the pack, and what the
 * product's decision would add to the scores where two mouths move. Intervals resample people.
 */
export async function evaluateSpeakers(
  family: SpeakerFamily,
  options: SpeakerEvaluationOptions,
): Promise<Row[]> {
  const model = await options.open(family);
  try {
    const tracks = await embedTracks(model, options);
    const rows: Row[] = [];
    for (const test of await referenceTests(model, tracks))
      rows.push(rated(test.measure, [...test.higher, ...test.lower], weightOf => areaUnder(test, weightOf)));
    rows.push(...afcRows(await judgePairs(model, tracks)));
    for (const [name, frames] of await negativesOfPeople(model, tracks, options.pack))
      rows.push(
        rated(`unseen talkers, frames speaking: ${name}`, frames, weightOf => weightedMean(frames, weightOf)),
      );
    rows.push(...(await negativeCases(model, options.golden)));
    return rows;
  } finally {
    await model.close();
  }
}

/** Two families on the same pairs of windows: by how much the first is right more often. Intervals resample people. */
export async function compareSpeakers(
  [ours, theirs]: readonly [SpeakerFamily, SpeakerFamily],
  options: SpeakerEvaluationOptions,
): Promise<Row[]> {
  const judge = async (family: SpeakerFamily) => {
    const model = await options.open(family);
    try {
      return await judgePairs(model, await embedTracks(model, options));
    } finally {
      await model.close();
    }
  };
  const [mine, other] = [await judge(ours), await judge(theirs)];
  return [...mine].map(([measure, pairs]) => {
    const against = other.get(measure)!;
    const gain = pairs.map((pair, i) => ({ person: pair.person, value: right(pair) - right(against[i]!) }));
    return rated(`${measure}: ${ours} less ${theirs}`, gain, weightOf => weightedMean(gain, weightOf));
  });
}

// ---- two mouths ---------------------------------------------------------------------------------------------------

/** Each measure's verdict on each pair: by the score alone, and by everything that the product's decision weighs. */
async function judgePairs(
  model: SpeakerModel,
  tracks: readonly EmbeddedTrack[],
): Promise<Map<string, readonly Judged[]>> {
  const alone: Judged[] = [];
  const whole: Judged[] = [];
  for (const { own, other } of mouthPairs(tracks, spokenWindows(tracks, windowFrames), partners)) {
    const { person } = tracks[own.track]!;
    const [a, b] = [await weigh(model, tracks, own, own), await weigh(model, tracks, other, own)];
    alone.push({ person, own: a.score, other: b.score });
    whole.push({ person, own: a.whole, other: b.whole });
  }
  return new Map([
    ['two mouths, 2AFC 1 s: score', alone],
    ['two mouths, 2AFC 1 s: score, contrast and sync', whole],
  ]);
}

/** What one mouth earns with the sound of a window: the mean score, and the mean logit of `decideSpeakers`. */
async function weigh(model: SpeakerModel, tracks: readonly EmbeddedTrack[], mouth: Window, voice: Window) {
  const [face, sound] = [tracks[mouth.track]!, tracks[voice.track]!];
  const shifts = [0, ...shiftsFrames].filter(shift => {
    const at = voice.at + shift;
    return at >= 0 && at + windowFrames <= sound.frames;
  });
  const faces = new Float32Array(shifts.length * windowFrames * embeddingSize);
  const sounds = new Float32Array(faces.length);
  shifts.forEach((shift, i) => {
    faces.set(part(face.faces, mouth.at), i * windowFrames * embeddingSize);
    sounds.set(part(sound.sound, voice.at + shift), i * windowFrames * embeddingSize);
  });
  const scores = await model.score(faces, sounds, windowFrames);
  const at = (shift: number) => mean(scores.subarray(shift * windowFrames, (shift + 1) * windowFrames));
  const score = at(0);
  const wrong = shifts.slice(1).map((_, i) => at(i + 1));
  const contrast = wrong.length ? score - wrong.reduce((sum, value) => sum + value, 0) / wrong.length : 0;
  const nothing = new Float32Array(face.frames);
  const track = { firstGridFrame: voice.at - mouth.at, score: nothing, shifted: nothing, lips: face.lips };
  const whole = lipAgreement(track, soundLips({ lips: sound.heard, voices: new Int8Array(0) }));
  const inWindow = (lag: number) => whole.at(lag).subarray(mouth.at, mouth.at + windowFrames);
  const evidence = {
    score: scores.subarray(0, windowFrames),
    shifted: new Float32Array(windowFrames).fill(score - contrast),
  };
  // At the offset that recordings usually have: a second is too short to look for another.
  const features = speakerFeatures(evidence, { frames: whole.frames && windowFrames, at: inWindow }, 1);
  const weights = weightsFor(whole.frames > 0);
  const logits = Float64Array.from({ length: windowFrames }, (_, i) => faceLogit(features, i, weights));
  return { score, whole: mean(logits) };
}

const right = ({ own, other }: Judged) => (own > other ? 1 : own === other ? 0.5 : 0);

const afcRows = (judged: ReadonlyMap<string, readonly Judged[]>): Row[] =>
  [...judged].map(([measure, pairs]) => {
    const hits = pairs.map(pair => ({ person: pair.person, value: right(pair) }));
    return rated(measure, hits, weightOf => weightedMean(hits, weightOf));
  });

// ---- reference lines ----------------------------------------------------------------------------------------------

/** Lines (a), (b), (c) of the pack at 1 s on val and test, and the frames of clips with several faces. */
async function referenceTests(model: SpeakerModel, tracks: readonly EmbeddedTrack[]): Promise<Test[]> {
  const windows = spokenWindows(tracks, windowFrames);
  const score = async (mouth: Window, voice: Window): Promise<Scored> => {
    const [face, sound] = [tracks[mouth.track]!, tracks[voice.track]!];
    const values = await model.score(part(face.faces, mouth.at), part(sound.sound, voice.at), windowFrames);
    return { person: face.person, value: mean(values) };
  };
  const each = async <T>(items: readonly T[], judge: (item: T) => Promise<Scored>): Promise<Scored[]> => {
    const out: Scored[] = [];
    for (const item of items) out.push(await judge(item));
    return out;
  };
  const own = await each(windows, window => score(window, window));
  const pairs: readonly MouthPair[] = mouthPairs(tracks, windows, 2);
  const foreign = await each(pairs, ({ own: voice, other }) => score(other, voice));
  const tests: Test[] = [{ measure: '(a) own or foreign speech, AUC 1 s', higher: own, lower: foreign }];
  for (const sec of [0.2, 0.4, 1]) {
    const moved = windows.flatMap(window =>
      [-1, 1].flatMap(sign => {
        const at = window.at + sign * Math.round(sec * 25);
        const fits = at >= 0 && at + windowFrames <= tracks[window.track]!.frames;
        return fits ? [{ mouth: window, voice: { track: window.track, at } }] : [];
      }),
    );
    const lower = await each(moved, ({ mouth, voice }) => score(mouth, voice));
    tests.push({ measure: `(b) own or moved by ${sec} s, AUC 1 s`, higher: own, lower });
  }
  const quiet = quietWindows(tracks, windowFrames);
  const random = mulberry32(2);
  const any = () => windows[Math.floor(random() * windows.length)]!;
  tests.push({
    measure: '(c) speaking or quiet face, own sound, AUC 1 s',
    higher: own,
    lower: await each(quiet, window => score(window, window)),
  });
  tests.push({
    measure: '(c) speaking or quiet face with foreign speech, AUC 1 s',
    higher: own,
    lower: await each(quiet, window => score(window, any())),
  });
  tests.push(await multiFaceFrames(model, tracks));
  return tests;
}

/** Clips with several faces, labelled by hand: frames of the speaker against frames of listeners while somebody speaks. */
async function multiFaceFrames(model: SpeakerModel, tracks: readonly EmbeddedTrack[]): Promise<Test> {
  const higher: Scored[] = [];
  const lower: Scored[] = [];
  for (const track of tracks) {
    if (track.label_source !== 'annotation+vad' || track.faces_in_frame < 2) continue;
    const scores = await windowedScore(model, track.faces, track.sound);
    track.label.forEach((label, i) => {
      const value = { person: track.person, value: scores[i]! };
      if (label === 1) higher.push(value);
      if (label === 0 && track.vad[i]! >= 0.5) lower.push(value);
    });
  }
  return { measure: 'several faces, hand labels, frames AUC', higher, lower };
}

const part = (embeddings: Float32Array, at: number) =>
  embeddings.slice(at * embeddingSize, (at + windowFrames) * embeddingSize);
const mean = (values: ArrayLike<number> & Iterable<number>) =>
  [...values].reduce((sum, value) => sum + value, 0) / values.length;

// ---- figures ------------------------------------------------------------------------------------------------------

/** A figure with its interval over people. */
function rated(
  measure: string,
  items: readonly { readonly person: string }[],
  figure: (weightOf: (person: string) => number) => number,
): Row {
  const people = [...new Set(items.map(({ person }) => person))];
  const index = new Map(people.map((person, i) => [person, i]));
  const estimate = bootstrap(people.length, weights => figure(person => weights[index.get(person)!]!));
  return { measure, ...estimate, n: items.length };
}

function weightedMean(items: readonly Scored[], weightOf: (person: string) => number): number {
  let sum = 0;
  let weight = 0;
  for (const { person, value } of items) {
    sum += value * weightOf(person);
    weight += weightOf(person);
  }
  return sum / weight;
}

/** How often a value of `higher` is above one of `lower`. */
function areaUnder({ higher, lower }: Test, weightOf: (person: string) => number): number {
  const all = [
    ...higher.map(({ person, value }) => ({ value, up: weightOf(person), down: 0 })),
    ...lower.map(({ person, value }) => ({ value, up: 0, down: weightOf(person) })),
  ].sort((a, b) => a.value - b.value);
  let [below, won, ups] = [0, 0, 0];
  for (const { up, down } of all) {
    won += up * (below + down / 2);
    ups += up;
    below += down;
  }
  return won / (ups * below);
}
