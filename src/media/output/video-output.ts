import type { PictureTrack } from './clip-output.js';

/** What encodes H.264. */
export type VideoEncoderKind = 'webcodecs' | 'ffmpeg';

/** The video track of an output, encoded frame by frame. */
export interface VideoOutput extends PictureTrack {
  readonly encoder: VideoEncoderKind;
  /** Encodes a frame, which stays the caller's. Resolves when there is room for the next. */
  add(frame: VideoFrame): Promise<void>;
}
