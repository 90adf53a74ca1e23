import { hashOfData } from '../../identity/hash-of-data.js';
import { chunkName } from '../../schema/chunk-names.js';
import type { FrameTime } from '../../schema/time.js';
import { chooseVideoEncoder } from './add-video.js';
import { openChunkFolder } from './chunk-folder.js';
import { type ChunkExtent, type ClosedChunk, type Gap, gapsOf, isClosed } from './chunk-record.js';
import {
  createEncoder,
  defaultEncoderOptions,
  defaultVideoBitrate,
  type EncodeReport,
  type Encoder,
  type EncoderOptions,
} from './encoder.js';
import { describeChunk, joinChunks } from './join-chunks.js';
import { dropOldChunks } from './old-chunks.js';
import type { OutputTarget } from './output-target.js';

export type ChunkedEncoderOptions = Omit<EncoderOptions, 'target'> & {
  readonly target: Extract<OutputTarget, { kind: 'file' }>;
  /** Everything that the picture depends on beside these options and what its frames show, as plain data. */
  readonly work: object;
  /** What frames of the source show in the clip, from one to another, both included: plain data. */
  readonly shownBetween: (firstFrame: number, lastFrame: number) => object;
  /** Length of a chunk; default {@link defaultChunkSec}. */
  readonly chunkSec?: number;
  /** Leaves the chunks when the clip is complete too. */
  readonly keep?: boolean;
};

/** An {@link Encoder} whose closed chunks outlive it. */
export interface ChunkedEncoder extends Omit<Encoder, 'add'> {
  /** What earlier encoders of the same work left to be drawn: the frames to add are those of the gaps, in order. */
  readonly gaps: readonly Gap[];
  /** Chunks of earlier encoders that are taken over. */
  readonly reused: number;
  /** Goes to a gap; not needed before the first. */
  begin(gap: Gap): Promise<void>;
  /**
   * As {@link Encoder.add}.
   *
   * @param source - The frame of the source that the drawn one is made of.
   */
  add(frame: VideoFrame, source: FrameTime): Promise<void>;
  /** Copies all chunks into one file together with the sound, and removes them unless they are to be kept. */
  finish(): Promise<EncodeReport>;
  /** Removes the chunk that is not closed; the other chunks stay for the next encoder of the same work. */
  cancel(): Promise<void>;
}

/**
 * Seconds of picture per chunk, which is what a render that is killed does twice at most: five intervals of key
 * frames. Each begins with a fresh encoder, whose rate control learns anew: on 29 s of a debate at 360×640 that cost no
 * time and 0.2 dB of luma PSNR on average (44.1 to 43.9), up to 1.8 dB in the second after a seam.
 */
export const defaultChunkSec = 10;

/** Chunks that one file cannot hold, because decoders would have to be set up differently for each. */
export class ChunksDifferError extends Error {
  override readonly name = 'ChunksDifferError';

  /** @param tookOver - Whether some were of an earlier encoder; else even one encoder alone does not agree with itself. */
  constructor(readonly tookOver: boolean) {
    super('The chunks of the picture cannot be put together.');
  }
}

/**
 * Starts an MP4 file in a directory that survives being cut off. Each chunk is a silent clip of its own,
 * which has its name only when it is complete. Chunks come from encoders that know nothing of each other, so
 * a clip is the same whether it was cut off or not. Frames have to be the same each time, at the same times.
 *
 * @throws As {@link createEncoder}; from `add` and `finish` also {@link ChunksDifferError}, after which no chunks are left.
 */
export async function createChunkedEncoder(options: ChunkedEncoderOptions): Promise<ChunkedEncoder> {
  const {
    target,
    sound,
    captions,
    work,
    shownBetween,
    chunkSec = defaultChunkSec,
    keep = false,
    ...picture
  } = options;
  const { size, frameRateHz, signal, ffmpeg, videoEncoder: encoder = 'auto' } = picture;
  const bitrate = picture.videoBitrate ?? defaultVideoBitrate(size, frameRateHz);
  const videoEncoder = await chooseVideoEncoder({ size, bitrate, encoder, ...(ffmpeg && { ffmpeg }) });
  const { keyFrameSec } = defaultEncoderOptions;
  const settings = { size, bitrate, frameRateHz, keyFrameSec, chunkSec, videoEncoder };
  const shownIn = ({ firstFrame, lastFrame }: Pick<ChunkExtent, 'firstFrame' | 'lastFrame'>) =>
    hashOfData(shownBetween(firstFrame, lastFrame));
  await dropOldChunks(target.directory, target.name);
  const folder = await openChunkFolder(target.directory, target.name, {
    // Another version of the browser may bring another encoder.
    work: await hashOfData({ ...work, settings, browser: navigator.userAgent }),
    shownIn,
  });
  const gaps = gapsOf(folder.record.chunks);
  const reused = folder.record.chunks.filter(isClosed).length;
  let index = gaps[0]?.index ?? folder.record.chunks.length;
  let open: OpenChunk | undefined;

  const begin = async (startUs: number, firstFrame: number): Promise<OpenChunk> => {
    const file = { kind: 'file', directory: target.directory, name: chunkName(target.name, index) } as const;
    const encoder = await createEncoder({ ...picture, target: file });
    return { startUs, firstFrame, lastFrame: firstFrame, encoder };
  };
  const close = async ({ startUs, firstFrame, lastFrame, encoder }: OpenChunk, nextSourceSec?: number) => {
    const { file, frames, sizeBytes, durationSec } = await encoder.finish();
    const description = await describeChunk(await file!.getFile());
    if (description !== (folder.record.description ?? description)) {
      await folder.discard();
      throw new ChunksDifferError(reused > 0);
    }
    const chunk: ClosedChunk = {
      ...{ frames, sizeBytes, startUs, firstFrame, lastFrame },
      endUs: startUs + Math.round(durationSec * 1e6),
      shown: await shownIn({ firstFrame, lastFrame }),
      ...(nextSourceSec !== undefined && { nextSourceSec }),
    };
    await folder.put(index++, chunk, description);
  };
  /** Closes what is open at the end of a gap: what comes next is known from before. */
  const closeGap = async () => {
    if (!open) return;
    const last = open;
    open = undefined;
    // Where a gap ends before a closed chunk, the record knows which frame that one begins with.
    const isInside = folder.record.chunks[index + 1] !== undefined;
    await close(last, isInside ? folder.record.chunks[index]!.nextSourceSec : undefined);
  };
  const cancel = async () => {
    await open?.encoder.cancel();
    open = undefined;
  };

  return {
    gaps,
    reused,
    async begin(gap) {
      await closeGap();
      index = gap.index;
    },
    async add(frame, source) {
      try {
        signal?.throwIfAborted();
        const { timestamp, duration } = frame;
        if (open && timestamp - open.startUs >= chunkSec * 1e6) {
          const full = open;
          open = undefined;
          await close(full, source.timeSec);
        }
        open ??= await begin(timestamp, source.frameNumber);
        const moved = new VideoFrame(frame, {
          timestamp: timestamp - open.startUs,
          ...(duration !== null && { duration }),
        });
        await open.encoder.add(moved);
        open.lastFrame = source.frameNumber;
      } finally {
        frame.close();
      }
    },
    async finish() {
      try {
        signal?.throwIfAborted();
        await closeGap();
        const { chunks } = folder.record;
        const written = await joinChunks(folder, {
          target,
          ...(sound && { sound }),
          ...(captions && { captions }),
          ...(signal && { signal }),
        });
        if (!keep) await folder.discard();
        const frames = chunks.reduce((sum, chunk) => sum + chunk.frames, 0);
        const durationSec = (chunks.at(-1)?.endUs ?? 0) / 1e6;
        return { ...written, videoEncoder, frames, durationSec, chunks: chunks.length };
      } catch (error) {
        await cancel();
        throw error;
      }
    },
    cancel,
  };
}

/** A chunk that is being encoded. */
type OpenChunk = {
  readonly startUs: number;
  readonly firstFrame: number;
  lastFrame: number;
  readonly encoder: Encoder;
};
