import { defaultSpeechOptions } from './speech.js';

/** Sound kept before and after speech, in chunks of 32 ms: a gate opens after the consonant that begins a word. */
export const marginChunks = 6;
/** Chunks of silence that end a piece: a little above the pauses within sentences. */
const pauseChunks = 19;
/** Fewer loud chunks than this are a click or a cough. */
const leastLoudChunks = 4;
/** A piece that has to be cut within speech is cut where it is quietest after this part of its length. */
const cutAfter = 0.6;

/** The chunks up to `done`: a piece of speech, or nothing to write down. */
export type SpeechPiece = { readonly isSpeech: boolean; readonly done: number };

/**
 * Finds the next piece of speech to be written down: from where the gate opens to a pause, or, in speech without one, to
 * the quietest place before the longest piece is full. What it finds does not depend on how many chunks are known
 * beyond the piece.
 *
 * @param speech - Probabilities of speech, a chunk each, from the first chunk that is not done with.
 * @param ended - Whether no more chunks follow.
 * @returns Undefined where more chunks are needed.
 */
export function nextSpeechPiece(
  speech: Float32Array,
  longestChunks: number,
  ended: boolean,
): SpeechPiece | undefined {
  const { enter, leave } = defaultSpeechOptions;
  const opens = speech.findIndex(value => value >= enter);
  const silent = (opens < 0 ? speech.length : opens) - (opens < 0 && ended ? 0 : marginChunks);
  if (silent > 0) return { isSpeech: false, done: silent };
  if (opens < 0) return undefined;
  let last = opens;
  for (let chunk = opens; chunk < speech.length; chunk++) {
    if (speech[chunk]! >= leave) last = chunk;
    if (chunk - last >= pauseChunks) return upTo(speech, last + 1 + marginChunks);
    if (chunk + 1 === longestChunks) return upTo(speech, quietest(speech, longestChunks));
  }
  return ended ? upTo(speech, Math.min(speech.length, last + 1 + marginChunks)) : undefined;
}

function upTo(speech: Float32Array, done: number): SpeechPiece {
  const loud = speech.subarray(0, done).filter(value => value >= defaultSpeechOptions.enter).length;
  return { isSpeech: loud >= leastLoudChunks, done };
}

/** Where to cut: behind the quietest chunk that late. */
function quietest(speech: Float32Array, longestChunks: number): number {
  let best = longestChunks - 1;
  for (let chunk = best; chunk > cutAfter * longestChunks; chunk--)
    if (speech[chunk]! < speech[best]!) best = chunk;
  return best + 1;
}
