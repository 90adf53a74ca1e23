import type { Size } from '../schema/geometry.js';
import type { FrameTime } from '../schema/time.js';

/** How coded pixels become the displayed picture. */
export type Display = Size & {
  /** Clockwise rotation that the container asks for. */
  readonly rotationDeg: 0 | 90 | 180 | 270;
};

/**
 * What is known about a source once it is open. Times are those of the movie timeline, as `<video>` elements count them;
 * where a container has none (transport streams, FLV), 0 is the first sample.
 */
export type MediaFacts = {
  /** The container format, as the reader names it. */
  readonly container: string;
  /** The picture's codec, as the reader names it. */
  readonly videoCodec: string;
  /** The displayed picture: after rotation and pixel aspect. */
  readonly display: Display;
  /** Average frame rate. */
  readonly frameRateHz: number;
  /** Frames inside the edit list, of the whole source. */
  readonly totalFrames: number;
  /** When picture or sound first begins; > 0 where the timeline has nothing to show before. */
  readonly startSec: number;
  /** Presentation time of the first frame. */
  readonly firstFrameSec: number;
  /** End of the last frame. */
  readonly durationSec: number;
  /** Transfer of the source; `pq` and `hlg` frames are handed out mapped to BT.709 SDR. */
  readonly dynamicRange: 'sdr' | 'pq' | 'hlg';
  /** The audio track in use; absent for video without sound. */
  readonly audio?: { readonly codec: string; readonly sampleRateHz: number; readonly channels: number };
  /** Tracks of picture found, of which the primary one is used. */
  readonly videoTracks: number;
  /** Tracks of sound found, of which the primary one is used. */
  readonly audioTracks: number;
};

/** Which reader runs and why; goes into the job's diagnostics. */
export type MediaChoice = {
  /** The reader: the browser's codecs, ffmpeg.wasm, or the caller's own frames. */
  readonly backend: 'webcodecs' | 'ffmpeg' | 'frames';
  /** Why that reader was chosen. */
  readonly reason: string;
};

/** One decoded frame. Whoever receives it closes `frame`, at once after reading its pixels. */
export type MediaFrame = FrameTime & {
  /** Coded pixels of SDR video; not yet rotated: see {@link Display}. `visibleRect` bounds what is shown. */
  readonly frame: VideoFrame;
  readonly durationSec: number;
};

/** 16 kHz mono samples in ±1; `timeSec` is the presentation time of the first. Blocks follow without gaps. */
export type AudioBlock = { readonly timeSec: number; readonly samples: Float32Array };

export type ReadRange = {
  /** Start of the range in seconds; default 0. */
  readonly startSec?: number;
  /** End of the range in seconds, exclusive; default the end of the source. */
  readonly endSec?: number;
  readonly signal?: AbortSignal;
};

/** Sample rate of {@link Media.audio}: what every speech model here takes. */
export const audioRateHz = 16_000;

/**
 * An opened source. Iterables pull: nothing decodes ahead of its reader by more than a few frames, and leaving
 * a loop early frees the decoder. Frames carry true timestamps and their rank in the whole source.
 */
export interface Media {
  readonly facts: MediaFacts;
  readonly choice: MediaChoice;
  /**
   * Presentation time of a frame, by its rank in the whole source; for ranks behind the last frame, where the
   * last frame ends.
   */
  frameTimeSec(frameNumber: number): number;
  /** Frames whose time lies in the range, in presentation order. */
  frames(range?: ReadRange): AsyncGenerator<MediaFrame, void, void>;
  /** The sound as speech models want it: gap-free from `startSec` (silence is filled in), or nothing at all. */
  audio(range?: ReadRange): AsyncGenerator<AudioBlock, void, void>;
  close(): Promise<void>;
}
