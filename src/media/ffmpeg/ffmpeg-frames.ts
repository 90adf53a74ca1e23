import { ReframeError } from '../../schema/error.js';
import { rankAt } from '../containers/frame-index.js';
import type { FfmpegProbe } from './ffmpeg-probe.js';
import type { FfmpegSession } from './ffmpeg-session.js';

/** Tuned numbers of the chunks in which frames leave ffmpeg. */
export const defaultChunkOptions = {
  /** Seconds of frames per chunk: raw video has no back-pressure, so this bounds what lies ready. */
  maxSec: 2,
  /** Bytes per chunk: a second of 1080p. Two chunks exist at once, one being read and one being decoded. */
  maxBytes: 96 * 2 ** 20,
  /** Seconds before the wanted frame at which decoding starts, tried in turn; seeking is inexact in some containers. */
  leadsSec: [0, 10, Number.POSITIVE_INFINITY],
} as const;

/** A run of frames that is decoded at once: ranks, `end` exclusive. */
export type Chunk = { readonly first: number; readonly end: number };

/**
 * Cuts ranks into chunks, at key frames where they are near enough: a chunk that begins elsewhere decodes
 * everything since the key frame before it again. Frames of equal time are never parted.
 */
export function chunksOf(probe: FfmpegProbe, first: number, end: number): Chunk[] {
  const { timesUs } = probe.index;
  const { maxSec, maxBytes } = defaultChunkOptions;
  const maxFrames = Math.max(1, Math.floor(maxBytes / frameBytesOf(probe)));
  const chunks: Chunk[] = [];
  for (let from = first; from < end; ) {
    let to = Math.min(
      end,
      from + maxFrames,
      Math.max(from + 1, rankAt(probe.index, timesUs[from]! + maxSec * 1e6)),
    );
    const keys = probe.keyRanks.filter(rank => rank > from && rank < to);
    // A key frame in the second half is worth the shorter chunk.
    const key = keys.at(-1);
    if (to < end && key !== undefined && key - from >= (to - from) / 2) to = key;
    while (to < end && timesUs[to] === timesUs[to - 1]) to++;
    chunks.push({ first: from, end: to });
    from = to;
  }
  return chunks;
}

/** Bytes of one raw frame. */
export const frameBytesOf = ({ pixels: { width, height, depth } }: FfmpegProbe): number =>
  (width * height + 2 * ((width + 1) >> 1) * ((height + 1) >> 1)) * (depth > 8 ? 2 : 1);

/** A decoded frame by its rank; the pixels lie in a file of the session until they are taken. */
export type RawFrame = { readonly rank: number; readonly path: string };

/**
 * Decodes a chunk. Raw frames have no timestamps, so the `showinfo` filter lists them, and every frame must be one
 * that the index knows. Damaged frames may be missing from the answer.
 *
 * @throws ReframeError `decode_failed` where the two disagree.
 */
export async function decodeChunk(
  session: FfmpegSession,
  probe: FfmpegProbe,
  chunk: Chunk,
  name: string,
): Promise<RawFrame[]> {
  for (const leadSec of defaultChunkOptions.leadsSec) {
    const startSec = Math.max(0, probe.index.timesUs[chunk.first]! / 1e6 - probe.formatStartSec - leadSec);
    const ranks = await tryDecode(session, probe, { ...chunk, startSec });
    const frames = ranks?.map((rank, i) => ({ rank, path: framePath(i) }));
    if (frames && (frames[0]?.rank === chunk.first || startSec === 0)) return frames;
    await removeFrames(session);
  }
  throw new ReframeError(
    'decode_failed',
    `${name}: the times of the decoded frames are not those of the file's packets.`,
  );
}

/** Removes what a chunk left behind: frames beyond its end, or of a failed try. */
export async function removeFrames(session: FfmpegSession): Promise<void> {
  const names = await session.list('/frames');
  for (const name of names) await session.remove(`/frames/${name}`);
}

const framePath = (i: number): string => `/frames/${String(i + 1).padStart(6, '0')}.raw`;

/** Ranks of the frames that came out; undefined when a frame came that the index does not know. */
async function tryDecode(
  session: FfmpegSession,
  probe: FfmpegProbe,
  { first, end, startSec }: Chunk & { readonly startSec: number },
): Promise<number[] | undefined> {
  const { timesUs } = probe.index;
  // Half of the distance to the frame before: rounding in the filter's clock must not decide.
  const before = timesUs[first - 1] ?? Number.NEGATIVE_INFINITY;
  const fromSec = (timesUs[first]! - Math.min(500, (timesUs[first]! - before) / 2)) / 1e6;
  const { log } = await session.exec([
    ...['-v', 'info', '-copyts', '-noautorotate', '-noaccurate_seek'],
    ...(startSec > 0 ? ['-ss', startSec.toFixed(6)] : []),
    ...['-i', session.inputPath, '-map', `0:${probe.videoStream}`],
    ...['-vf', `select=gte(t\\,${fromSec.toFixed(6)}),showinfo=checksum=0`],
    ...['-vsync', 'passthrough', '-frames:v', String(end - first)],
    ...['-c:v', 'rawvideo', '-pix_fmt', probe.pixels.pixelFormat, '-f', 'image2', '/frames/%06d.raw'],
  ]);
  return ranksOf(shownTimesUs(log), timesUs, { first, end });
}

/** Presentation times that `showinfo` logged, in µs; its `pts_time` has six digits only, so ticks are counted. */
function shownTimesUs(log: readonly string[]): number[] {
  let tickUs = 0;
  const times: number[] = [];
  for (const line of log) {
    const base = /showinfo.*config in time_base: (\d+)\/(\d+)/.exec(line);
    if (base) tickUs = (Number(base[1]) * 1e6) / Number(base[2]);
    const pts = /showinfo.*\] n:.*\bpts:\s*(-?\d+)/.exec(line)?.[1];
    if (pts !== undefined) times.push(Number(pts) * tickUs);
  }
  return times;
}

/** Matches times to ranks of a chunk, in order; equal times take one rank each. */
function ranksOf(
  shownUs: readonly number[],
  timesUs: Float64Array,
  { first, end }: Chunk,
): number[] | undefined {
  const ranks: number[] = [];
  let next = first;
  for (const timeUs of shownUs.slice(0, end - first)) {
    // ffprobe rounds to a microsecond.
    while (next < timesUs.length && timesUs[next]! < timeUs - 2) next++;
    if (next >= timesUs.length || timesUs[next]! > timeUs + 2) return undefined;
    if (next >= end) break;
    ranks.push(next++);
  }
  return ranks;
}
