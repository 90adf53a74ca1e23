import type { FfmpegUrls } from '../../src/media/ffmpeg/ffmpeg-urls.js';
import type { ReadRange } from '../../src/media/media.js';
import { openMedia } from '../../src/media/source.js';
import { isReframeError } from '../../src/schema/error.js';

/** What one reader makes of one file. */
export type OddRow = {
  readonly file: string;
  readonly decoder: 'webcodecs' | 'ffmpeg' | 'auto';
  readonly backend?: string;
  readonly frames?: number;
  readonly totalFrames?: number;
  readonly durationSec?: number;
  readonly firstFrameSec?: number;
  readonly display?: string;
  readonly soundSec?: number;
  readonly soundRms?: number;
  /** Error code of a refusal. */
  readonly refused?: string;
  readonly message?: string;
  /** Frames whose time does not rise or that were out of step with their rank. */
  readonly disorder?: number;
  readonly tookSec: number;
};

/** Plays a file to its end through one reader, or reports how it was refused. */
export async function readOddFile(
  file: File,
  decoder: OddRow['decoder'],
  options: { readonly ffmpeg: FfmpegUrls; readonly range?: ReadRange },
): Promise<OddRow> {
  const start = performance.now();
  const row = { file: file.name, decoder };
  const took = () => Math.round((performance.now() - start) / 10) / 100;
  try {
    const media = await openMedia(file, { decoder, ffmpeg: options.ffmpeg });
    try {
      let frames = 0;
      let disorder = 0;
      let last = { rank: -1, timeSec: Number.NEGATIVE_INFINITY };
      for await (const { frame, frameNumber, timeSec } of media.frames(options.range)) {
        frame.close();
        if (frameNumber <= last.rank || timeSec < last.timeSec) disorder++;
        last = { rank: frameNumber, timeSec };
        frames++;
      }
      let samples = 0;
      let energy = 0;
      for await (const block of media.audio(options.range)) {
        samples += block.samples.length;
        for (const x of block.samples) energy += x * x;
      }
      const { display, totalFrames, durationSec, firstFrameSec } = media.facts;
      return {
        ...row,
        backend: media.choice.backend,
        frames,
        totalFrames,
        disorder,
        durationSec: Math.round(durationSec * 1000) / 1000,
        firstFrameSec: Math.round(firstFrameSec * 1000) / 1000,
        display: `${display.width}x${display.height} ${display.rotationDeg}°`,
        soundSec: Math.round(samples / 160) / 100,
        soundRms: samples ? Math.round(Math.sqrt(energy / samples) * 1e4) / 1e4 : 0,
        tookSec: took(),
      };
    } finally {
      await media.close();
    }
  } catch (error) {
    if (!isReframeError(error)) throw error;
    return { ...row, refused: error.code, message: error.message, tookSec: took() };
  }
}

/** A row as a line of the table. */
export const formatOddRow = (row: OddRow): string =>
  [
    row.file.padEnd(62),
    row.decoder.padEnd(10),
    row.refused
      ? `refused ${row.refused}: ${row.message}`
      : `plays ${row.frames}/${row.totalFrames} frames, ${row.durationSec} s from ${row.firstFrameSec}, ${row.display}, sound ${row.soundSec} s rms ${row.soundRms}, disorder ${row.disorder}`,
    `(${row.tookSec} s)`,
  ].join(' ');
