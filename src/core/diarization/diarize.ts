import type { TimeRange } from '../../schema/time.js';
import type { Diarization } from '../../schema/transcription.js';
import { gridRateHz } from '../face-crops.js';
import { clamp } from '../series.js';
import { type SoundEvidence, voicePieceSec, voiceStepSec } from '../speaker-evidence.js';
import { spacedVoices, voiceChanges } from '../voices.js';
import {
  type ClusterOptions,
  clusterVoices,
  defaultClusterOptions,
  type Voice,
  voiceOf,
  voiceRatio,
} from './cluster-voices.js';
import type { SpeakingTurn } from './speaking-turns.js';
import { unseenSpeech } from './unseen-speech.js';

/** All that tells who is heard when. */
export type HeardAndSeen = {
  /** When a voice is heard, in order. */
  readonly speech: readonly TimeRange[];
  /** Who is seen speaking, in order of their starts. */
  readonly turns: readonly SpeakingTurn[];
  /** When each face is on screen: two at once are two people. */
  readonly onScreen: readonly (TimeRange & { readonly faceId: number })[];
  /** As `SoundEvidence.voices`; empty where no network tells voices apart. */
  readonly voices: SoundEvidence['voices'];
  readonly voiceSize?: number;
  /** Time of the first sample of sound, seconds. */
  readonly originSec: number;
};

/** Something that speaks with one voice: a face, or a stretch of speech that no face says. */
type Source = {
  readonly faceId?: number;
  readonly personId?: number;
  readonly spans: readonly (TimeRange & { readonly confidence?: number })[];
  readonly voice: Voice;
};

/** Of the speech in a piece this much has to be a source's own for the piece to say how it sounds; from there on more and more. */
const ownFrom = 0.6;
/** A voice nearby in time is the likeliest owner of what is too short to know a voice by, seconds. */
const nearSec = 1;

/**
 * Says who is heard when. Faces that are seen speaking give turns, and voices to know them by; speech that nobody on screen
 * says is divided where the voice changes. Faces and stretches that are most likely one voice are one speaker: a face
 * keeps its speaker over cuts, and behind the picture. Where two faces speak at once two segments overlap.
 *
 * @param model - Id of what tells voices apart.
 */
export function diarize(
  given: HeardAndSeen,
  model: string,
  options: ClusterOptions = defaultClusterOptions,
): Diarization {
  const sources = sourcesOf(given);
  const cluster = clusterOf(sources, given.onScreen, options);
  const sureness = surenessOf(sources, cluster);
  const speakers = new Map<number, string>();
  const segments = sources
    .flatMap((source, i) => source.spans.map(span => ({ ...span, source, i })))
    .sort((a, b) => a.startSec - b.startSec || a.endSec - b.endSec)
    .map(({ startSec, endSec, confidence, source, i }) => {
      const speaker = speakers.get(cluster[i]!) ?? `Speaker ${speakers.size + 1}`;
      speakers.set(cluster[i]!, speaker);
      return {
        speaker,
        start: rounded(startSec, 1000),
        end: rounded(endSec, 1000),
        ...(source.faceId !== undefined && { face_id: source.faceId }),
        ...(source.personId !== undefined && { person_id: source.personId }),
        confidence: rounded(confidence ?? sureness(i), 100),
      };
    });
  return { model, speaker_count: speakers.size, segments };
}

/** How each face sounds that is seen speaking, by its id. */
export const voicesOfFaces = (given: HeardAndSeen): ReadonlyMap<number, Voice> =>
  new Map(sourcesOf(given).flatMap(({ faceId, voice }) => (faceId === undefined ? [] : [[faceId, voice]])));

const rounded = (value: number, parts: number) => Math.round(parts * value) / parts;

function sourcesOf({ speech, turns, originSec, ...sound }: HeardAndSeen): Source[] {
  const pieces = spacedVoices(sound);
  const changesSec = voiceChanges(pieces).map(([from, to]) => originSec + (from + to) / 2 / gridRateHz);
  const divided = unseenSpeech(speech, turns, changesSec);
  const faces = new Map<number, SpeakingTurn[]>();
  for (const turn of divided.turns) faces.set(turn.faceId, [...(faces.get(turn.faceId) ?? []), turn]);
  const spans = [...[...faces.values()], ...divided.unseen.map(span => [span])];
  const owned = voicesOf(spans, pieces, originSec);
  return spans.map((own, i) => {
    const [first] = own as readonly Partial<SpeakingTurn>[];
    const { faceId, personId } = first!;
    return {
      spans: own,
      voice: owned[i]!,
      ...(faceId !== undefined && { faceId }),
      ...(personId !== undefined && { personId }),
    };
  });
}

/** How each of several sources sounds, by the pieces that are mostly its own and nobody else's. */
function voicesOf(
  sources: readonly (readonly TimeRange[])[],
  pieces: ReturnType<typeof spacedVoices>,
  originSec: number,
): Voice[] {
  const voices = sources.map(() => ({ sum: new Float64Array(pieces[0]?.voice.length ?? 0), sec: 0 }));
  const all = sources
    .flatMap((spans, source) => spans.map(span => ({ ...span, source })))
    .sort((a, b) => a.startSec - b.startSec);
  let first = 0;
  const longestSec = all.reduce((most, { startSec, endSec }) => Math.max(most, endSec - startSec), 0);
  for (const { voice, index } of pieces) {
    const fromSec = originSec + index * voiceStepSec;
    const toSec = fromSec + voicePieceSec;
    while (first < all.length && all[first]!.startSec < fromSec - longestSec) first++;
    const shares = new Map<number, number>();
    for (let k = first; k < all.length && all[k]!.startSec < toSec; k++) {
      const { startSec, endSec, source } = all[k]!;
      const overlapSec = Math.min(endSec, toSec) - Math.max(startSec, fromSec);
      if (overlapSec > 0) shares.set(source, (shares.get(source) ?? 0) + overlapSec / voicePieceSec);
    }
    const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
    for (const [source, share] of shares) {
      const own = share * clamp((share / total - ownFrom) / (1 - ownFrom), 0, 1);
      const to = voices[source]!;
      for (let i = 0; i < voice.length; i++) to.sum[i]! += own * voice[i]!;
      to.sec += own * voiceStepSec;
    }
  }
  return voices.map(({ sum, sec }) => voiceOf(sum, sec));
}

/** The number of each source's speaker. */
function clusterOf(
  sources: readonly Source[],
  onScreen: HeardAndSeen['onScreen'],
  options: ClusterOptions,
): readonly number[] {
  const apart = facesApart(sources, onScreen);
  const cluster = [
    ...clusterVoices(
      sources.map(({ voice }) => voice),
      apart,
      options,
    ),
  ];
  const byPerson = new Map<number, number>();
  sources.forEach(({ personId }, i) => {
    if (personId === undefined) return;
    const [from, to] = [cluster[i]!, byPerson.get(personId) ?? cluster[i]!];
    byPerson.set(personId, to);
    cluster.forEach((one, k) => {
      if (one === from) cluster[k] = to;
    });
  });
  sources.forEach((source, i) => {
    // Too short to be known by its voice: whoever speaks right beside it.
    if (source.faceId === undefined && source.voice.sec === 0)
      cluster[i] = nearest(source, sources, i, cluster) ?? cluster[i]!;
  });
  return cluster;
}

/** For each source those that are somebody else: faces that are on screen at once. */
function facesApart(sources: readonly Source[], onScreen: HeardAndSeen['onScreen']): Set<number>[] {
  const apart = sources.map(() => new Set<number>());
  const sourceOf = new Map(sources.flatMap(({ faceId }, i) => (faceId === undefined ? [] : [[faceId, i]])));
  let here: HeardAndSeen['onScreen'][number][] = [];
  for (const face of [...onScreen].sort((a, b) => a.startSec - b.startSec)) {
    const own = sourceOf.get(face.faceId);
    here = here.filter(({ endSec }) => endSec > face.startSec);
    for (const { faceId } of here) {
      const other = sourceOf.get(faceId);
      if (own === undefined || other === undefined || own === other) continue;
      apart[own]!.add(other);
      apart[other]!.add(own);
    }
    here.push(face);
  }
  return apart;
}

function nearest(
  { spans: [span] }: Source,
  sources: readonly Source[],
  self: number,
  cluster: readonly number[],
): number | undefined {
  let [found, leastSec]: [number | undefined, number] = [undefined, nearSec];
  sources.forEach((other, i) => {
    if (i === self || (other.faceId === undefined && other.voice.sec === 0)) return;
    for (const { startSec, endSec } of other.spans) {
      const apartSec = Math.max(startSec - span!.endSec, span!.startSec - endSec, 0);
      if (apartSec < leastSec) [found, leastSec] = [cluster[i]!, apartSec];
    }
  });
  return found;
}

/** For each source the probability that its speaker is right: by how its voice fits those with the same speaker, else the others. */
function surenessOf(sources: readonly Source[], cluster: readonly number[]): (source: number) => number {
  const members: number[][] = sources.map(() => []);
  for (const [i, speaker] of cluster.entries()) members[speaker]!.push(i);
  const logistic = (ratio: number) => 1 / (1 + Math.exp(-ratio));
  return self => {
    const most = (others: Iterable<number>) => {
      let top = Number.NEGATIVE_INFINITY;
      for (const i of others)
        if (i !== self) top = Math.max(top, voiceRatio(sources[self]!.voice, sources[i]!.voice));
      return top;
    };
    const own = members[cluster[self]!]!;
    return own.length > 1 ? logistic(most(own)) : logistic(-most(cluster.keys()));
  };
}
