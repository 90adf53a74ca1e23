import { removeChunks } from '../../media/output/chunk-folder.js';
import { type Gap, gapsOf } from '../../media/output/chunk-record.js';
import { ChunksDifferError, createChunkedEncoder } from '../../media/output/chunked-encoder.js';
import {
  createEncoder,
  type EncodeReport,
  type Encoder,
  type EncoderOptions,
} from '../../media/output/encoder.js';
import { type ErrorCode, isReframeError } from '../../schema/error.js';
import type { Stopwatch } from '../stopwatch.js';
import type { FrameTaker } from './render.js';

export type EncodeClip = EncoderOptions & {
  /** Goes on where an earlier call of the same work stopped; needs a target of the kind `file`. */
  readonly resumable?: {
    /** Everything that the picture depends on beside the encoder's options and what its frames show, as plain data. */
    readonly work: object;
    /** What frames of the source show, from one to another, both included: plain data. */
    readonly shownBetween: (firstFrame: number, lastFrame: number) => object;
    readonly chunkSec?: number;
    readonly keep?: boolean;
  };
};

export type EncodeSteps = {
  /** Adds the frames of the clip's gaps. Called again where the clip has to be begun anew. */
  readonly draw: (encoder: GapTaker) => Promise<void>;
  readonly stopwatch: Stopwatch;
};

/** The end of an encoder that knows what is still to be drawn. */
export type GapTaker = FrameTaker & {
  readonly gaps: readonly Gap[];
  begin(gap: Gap): Promise<void>;
};

export type EncodedClip = {
  readonly report: EncodeReport;
  /** What earlier calls had left to be drawn. */
  readonly gaps: readonly Gap[];
  /** Chunks that were taken over from earlier calls; absent for a clip in one piece. */
  readonly reused?: number;
  /** Each fallback taken, as a sentence. */
  readonly fallbacks: readonly string[];
};

/** The same source, plan and options fail in the same way again: what is encoded so far is of no use. */
const lasting: readonly ErrorCode[] = [
  'source_unsupported',
  'source_encrypted',
  'source_changed',
  'decode_failed',
  'no_video',
  'encode_unsupported',
];

/**
 * Makes a clip of what `draw` adds. A resumable one that is aborted, or fails by something that may pass (full storage,
 * a network, a lost device or worker), keeps its closed chunks; after other failures they are removed, as are those
 * of any other call for the same file.
 */
export async function encodeClip(
  { resumable, ...options }: EncodeClip,
  { draw, stopwatch }: EncodeSteps,
): Promise<EncodedClip> {
  const fallbacks: string[] = [];
  const { target, signal } = options;
  // Nobody else would ever remove what is left under this name.
  if (target.kind === 'file' && !resumable) await removeChunks(target.directory, target.name);
  for (let inChunks = resumable !== undefined; ; ) {
    const encoder =
      inChunks && target.kind === 'file'
        ? await createChunkedEncoder({ ...options, ...resumable!, target })
        : wholly(await createEncoder(options));
    const { gaps, reused } = encoder;
    try {
      await draw(encoder);
      const report = await stopwatch.time('encode', () => encoder.finish());
      return { report, gaps, fallbacks, ...(reused !== undefined && { reused }) };
    } catch (error) {
      await encoder.cancel();
      if (error instanceof ChunksDifferError) {
        fallbacks.push(
          error.tookOver
            ? 'The encoder describes its pictures otherwise than the one that began this clip; the render began anew.'
            : 'The encoder describes its pictures otherwise each time it starts; the clip was rendered in one piece, which cannot be resumed.',
        );
        // Encoders that agree with each other can go on in chunks.
        inChunks = error.tookOver;
        continue;
      }
      const failed = !signal?.aborted && (isLasting(error) || isMistake(error));
      if (inChunks && target.kind === 'file' && failed) await removeChunks(target.directory, target.name);
      throw error;
    }
  }
}

const wholly = (encoder: Encoder) => ({
  ...encoder,
  gaps: gapsOf([]),
  reused: undefined,
  begin: async () => undefined,
});

const isLasting = (error: unknown) => isReframeError(error) && lasting.includes(error.code);
const isMistake = (error: unknown) => error instanceof TypeError || error instanceof RangeError;
