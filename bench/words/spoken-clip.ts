/** A clip, what is said in it, and what is known of when. */
export type SpokenClip = {
  readonly name: string;
  readonly file: string;
  readonly words: readonly string[];
  /** When speech begins, seconds. */
  readonly onsetSec?: number;
  /** Starts of the words, seconds; undefined where that of one is not known. */
  readonly startsSec?: readonly (number | undefined)[];
};
