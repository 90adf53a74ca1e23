/** A piece of a word, or a word, as a model writes it; a space at its beginning begins a word. */
export type SpokenToken = {
  readonly text: string;
  /** When it is said, seconds from the first sample. */
  readonly startSec: number;
  readonly endSec: number;
  /** Natural logarithm of the probability that the model gives the token, at most 0. */
  readonly logProbability: number;
};

/** A network, or several, that writes down what is said. */
export interface TranscriptionModel {
  /** The model's id. */
  readonly name: string;
  /** What it understands: a BCP 47 tag. */
  readonly language: string;
  /** Longest sound that it takes at once, seconds. */
  readonly longestSec: number;
  /** What the model cannot do as well as others, as sentences for the diagnostics. */
  readonly notes?: readonly string[];
  /**
   * @param samples - Speech, 16 kHz mono in ±1, its peak near 1; at most `longestSec`.
   * @returns Tokens in order; none where nothing is understood.
   * @throws RangeError for sound that is longer; the signal's reason.
   */
  transcribe(samples: Float32Array, signal?: AbortSignal): Promise<SpokenToken[]>;
  close(): Promise<void>;
}
