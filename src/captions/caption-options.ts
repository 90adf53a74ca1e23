/** How captions are made. The defaults are those of short portrait clips. */
export type CaptionOptions = {
  /** Characters of a line, 8–80; wide characters of East Asia count as two. Default 32. */
  readonly maxCharacters?: number;
  /** Lines shown at once, 1–4. Default 2. */
  readonly maxLines?: number;
  /**
   * Reading speed that captions are made for, characters a second, 5–40. Default 17. Where somebody speaks faster for long,
   * captions keep up with the words rather than drop any.
   */
  readonly maxCharactersPerSec?: number;
  /** Longest time that a caption stays, seconds, 1–30. Default 7. */
  readonly maxSec?: number;
  /** Times of cuts, seconds, in order: no caption is seen on both sides of one for more than 0.3 s. Default none. */
  readonly cutsSec?: readonly number[];
};

export const captionDefaults: Required<CaptionOptions> = {
  maxCharacters: 32,
  maxLines: 2,
  maxCharactersPerSec: 17,
  maxSec: 7,
  cutsSec: [],
};

const ranges = {
  maxCharacters: [8, 80],
  maxLines: [1, 4],
  maxCharactersPerSec: [5, 40],
  maxSec: [1, 30],
} as const;

/** @throws RangeError for a number out of its range. */
export function completeCaptionOptions(options: CaptionOptions): Required<CaptionOptions> {
  const complete = { ...captionDefaults, ...options };
  for (const [name, [low, high]] of Object.entries(ranges)) {
    const value = complete[name as keyof typeof ranges];
    if (!(value >= low && value <= high))
      throw new RangeError(`${name} is ${value}; it has to be ${low}–${high}.`);
  }
  if (!Number.isInteger(complete.maxLines))
    throw new RangeError(`maxLines is ${complete.maxLines}; it has to be whole.`);
  return complete;
}
