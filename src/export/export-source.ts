/** The video that an exported timeline refers to; the plan alone does not say where it lies. */
export type ExportSource = {
  /** Where the other program finds it: a `file:` or `https:` address, or a name beside the exported file. */
  readonly url: string;
  /** What a clip is called; default the last part of `url`. */
  readonly name?: string;
  /** Whether it has sound; default true. */
  readonly hasSound?: boolean;
  /** Timecode of its first frame, as cameras write it: `HH:MM:SS:FF`, or `HH:MM:SS;FF` for drop frame. Default 0. */
  readonly startTimecode?: string;
  /**
   * Frames per second of the timeline. Default: the standard rate that the source has; where its frames are uneven, the
   * lowest standard rate that is not below their average.
   */
  readonly frameRateHz?: number;
};

/** The name that editors show. */
export const clipName = ({ url, name }: ExportSource): string =>
  name ?? decodeURIComponent(url.split(/[\\/]/).pop()!.split(/[?#]/)[0]!);
