import { ReframeError } from '../../schema/error.js';
import { clockOriginUs } from '../containers/clock-origin.js';
import { averageRateHz, createFrameIndex, type FrameIndex, frameTimeSec } from '../containers/frame-index.js';
import { type EditedSpan, editedSpan, type IsobmffTrack } from '../containers/isobmff.js';
import { refuseMissing } from '../containers/missing-frames.js';
import { displayOf } from '../input/display.js';
import type { MediaFacts } from '../media.js';
import type { FfmpegSession } from './ffmpeg-session.js';

/** What ffprobe says about a file, in the words of this library. */
export type FfmpegProbe = {
  readonly facts: MediaFacts;
  readonly index: FrameIndex;
  /** Key frames by rank: where decoding can begin. */
  readonly keyRanks: readonly number[];
  /** Start of the container's clock in seconds, from which `-ss` counts. */
  readonly formatStartSec: number;
  /** Stream numbers for `-map 0:…`. */
  readonly videoStream: number;
  readonly audioStream?: number;
  /** Start of the sound in seconds on the container's clock, 0 where it is unknown. */
  readonly audioStartSec: number;
  /** End of the sound in seconds on the container's clock, as far as it is known. */
  readonly audioEndSec: number;
  /** What the edit list lets hear of the sound. */
  readonly audioEdit?: EditedSpan;
  readonly pixels: FfmpegPixels;
};

/** How raw frames leave ffmpeg. */
export type FfmpegPixels = {
  readonly width: number;
  readonly height: number;
  readonly pixelFormat: 'yuv420p' | 'yuvj420p' | 'yuv420p10le';
  readonly depth: 8 | 10;
  readonly colorSpace: VideoColorSpaceInit;
};

type ProbedStream = Readonly<Record<string, string | number | undefined>> & {
  readonly index: number;
  readonly disposition?: Readonly<Record<string, number>>;
  readonly side_data_list?: readonly { readonly rotation?: number }[];
};

export type ProbedFile = {
  /** What to call the file in messages. */
  readonly name: string;
  /** Whether the container is known to be a video's; decides what it means that ffmpeg knows none. */
  readonly isVideo: boolean;
  /** Tracks of an MP4 file; ffmpeg applies edit lists, and does not say how much they show. */
  readonly tracks?: readonly IsobmffTrack[] | undefined;
};

/**
 * Lists streams and the presentation time of every frame.
 *
 * @throws ReframeError `decode_failed`, `no_video`, `source_unsupported`.
 */
export async function probeWithFfmpeg(
  session: FfmpegSession,
  { name, isVideo, tracks }: ProbedFile,
): Promise<FfmpegProbe> {
  const text = await session.probe(['-show_format', '-show_streams', '-of', 'json', session.inputPath]);
  const { streams = [], format } = parseProbe(text);
  if (!format) {
    throw isVideo
      ? new ReframeError('decode_failed', `${name} is damaged: ffmpeg finds no index in it.`)
      : new ReframeError('source_unsupported', `${name} is no video, or of a kind that nothing here reads.`);
  }
  const videos = streams.filter(s => s.codec_type === 'video' && !s.disposition?.attached_pic);
  const audios = streams.filter(s => s.codec_type === 'audio');
  const video = primary(videos);
  if (!video)
    throw new ReframeError('no_video', audios.length ? 'It holds sound only.' : `${name} has no stream.`);
  if (video.codec_name === 'av1')
    throw new ReframeError(
      'source_unsupported',
      `${name} is AV1, which ffmpeg.wasm has no decoder for. Use a browser with AV1.`,
    );
  if (!video.codec_name || video.codec_name === 'unknown')
    throw new ReframeError('source_unsupported', `${name} has a codec that ffmpeg does not know.`);
  const audio = primary(
    audios.filter(s => s.codec_name && s.codec_name !== 'unknown' && Number(s.sample_rate) > 0),
  );
  const { packets, found } = await listPackets(session, video.index);
  // The header promises a number of samples: a file that was cut short has fewer.
  const expected = Number(video.nb_frames) || 0;
  const missing = expected - found;
  if (!packets.length) {
    refuseMissing({ missing, expected, name });
    throw new ReframeError('no_video', 'Its video track has no frames.');
  }
  const audioStart = Number(audio?.start_time);
  const audioStartUs = Number.isFinite(audioStart)
    ? Math.max(0, Math.round(audioStart * 1e6))
    : Number.POSITIVE_INFINITY;
  const last = packets.reduce((a, b) => (b.timeUs >= a.timeUs ? b : a));
  const index = createFrameIndex(
    packets.map(p => p.timeUs),
    last.durationUs,
    firstFrameUs => clockOriginUs(String(format.format_name), [firstFrameUs, audioStartUs]),
  );
  const ofKind = (kind: string) => tracks?.filter(track => track.kind === kind) ?? [];
  const track = ofKind('vide')[videos.indexOf(video)];
  const audioTrack = audio && ofKind('soun')[audios.indexOf(audio)];
  const audioEdit = audioTrack?.listed ? editedSpan(audioTrack) : undefined;
  refuseMissing({ missing: Math.min(missing, missingBeforeEnd(index, track)), expected, name });
  const keyTimes = new Set(packets.filter(p => p.key).map(p => p.timeUs));
  const pixels = pixelsOf(video);
  const [num = 1, den = 1] = String(video.sample_aspect_ratio ?? '1:1')
    .split(':')
    .map(Number);
  return {
    index,
    keyRanks: [...index.timesUs.keys()].filter(rank => keyTimes.has(index.timesUs[rank]!)),
    formatStartSec: Number(format.start_time) || 0,
    videoStream: video.index,
    ...(audio && { audioStream: audio.index }),
    audioStartSec: Math.max(0, audioStart || 0),
    audioEndSec: (audioStart || 0) + (Number(audio?.duration) || 0),
    ...(audioEdit && { audioEdit }),
    pixels,
    facts: {
      container: String(format.format_name),
      videoCodec: String(video.codec_name),
      // ffprobe counts counter-clockwise.
      display: displayOf(pixels, { num, den }, -(video.side_data_list?.find(d => d.rotation)?.rotation ?? 0)),
      frameRateHz: averageRateHz(index),
      totalFrames: index.timesUs.length,
      startSec: Math.min(frameTimeSec(index, 0), (audioStartUs - index.originUs) / 1e6),
      firstFrameSec: frameTimeSec(index, 0),
      durationSec: Math.round(index.endUs - index.originUs) / 1e6,
      dynamicRange: dynamicRangeOf(video),
      ...(audio && {
        audio: {
          codec: String(audio.codec_name),
          sampleRateHz: Number(audio.sample_rate),
          channels: Number(audio.channels),
        },
      }),
      videoTracks: videos.length,
      audioTracks: audios.length,
    },
  };
}

/** Frames between the last one and the end of the edit list: those behind that end are missing by intent. */
function missingBeforeEnd(index: FrameIndex, track: IsobmffTrack | undefined): number {
  const edit = track && editedSpan(track);
  if (!edit) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((edit.endSec - index.endUs / 1e6) * averageRateHz(index)));
}

type Probed = {
  readonly streams?: readonly ProbedStream[];
  readonly format?: Readonly<Record<string, string | number>>;
};

function parseProbe(text: string): Probed {
  try {
    return JSON.parse(text || '{}') as Probed;
  } catch {
    // A probe that broke off wrote half a document.
    return {};
  }
}

const primary = (streams: readonly ProbedStream[]): ProbedStream | undefined =>
  streams.find(s => s.disposition?.default) ?? streams[0];

type Packet = { readonly timeUs: number; readonly durationUs: number; readonly key: boolean };

/**
 * Packets that become frames, from the first key frame on; `D` marks those outside of the edit list. Where the
 * container keeps no presentation times (AVI), the decoder has to tell them.
 */
async function listPackets(
  session: FfmpegSession,
  stream: number,
): Promise<{ readonly packets: Packet[]; readonly found: number }> {
  const list = async (section: string, entries: string) => {
    // ffprobe keeps switches from one run to the next, so rows of other sections may be among these: the name tells.
    const args = [
      '-select_streams',
      String(stream),
      '-of',
      'csv=p=1',
      '-show_entries',
      `${section}=${entries}`,
    ];
    const text = await session.probe([...args, session.inputPath]);
    const rows = text.split('\n').map(line => line.trim().split(','));
    return rows.filter(row => row[0] === section).map(row => row.slice(1));
  };
  let rows = await list('packet', 'pts_time,duration_time,flags');
  if (rows.some(([time]) => time === 'N/A')) {
    const frames = await list('frame', 'best_effort_timestamp_time,pkt_duration_time,key_frame');
    // Fields come in ffprobe's own order, whatever the order of asking.
    rows = frames.map(([key = '', time = '', duration = '']) => [time, duration, key === '1' ? 'K' : '_']);
  }
  const packets = rows
    .map(([time, duration, flags = '']) => ({
      timeUs: Math.round(Number(time) * 1e6),
      durationUs: Math.round((Number(duration) || 0) * 1e6),
      key: flags.includes('K'),
      discarded: flags.includes('D'),
    }))
    .filter(p => Number.isFinite(p.timeUs));
  const first = packets.find(p => p.key);
  const shown = first ? packets.filter(p => !p.discarded && p.timeUs >= first.timeUs && p.timeUs >= 0) : [];
  return { packets: shown, found: rows.length };
}

function dynamicRangeOf(video: ProbedStream): MediaFacts['dynamicRange'] {
  if (video.color_transfer === 'smpte2084') return 'pq';
  return video.color_transfer === 'arib-std-b67' ? 'hlg' : 'sdr';
}

/** ffmpeg's names of colours in WebCodecs' words, where both have one. */
const matrices: Readonly<Record<string, VideoMatrixCoefficients>> = {
  bt709: 'bt709',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470bg',
};
const primaries: Readonly<Record<string, VideoColorPrimaries>> = {
  bt709: 'bt709',
  smpte170m: 'smpte170m',
  bt470bg: 'bt470bg',
};
const transfers: Readonly<Record<string, VideoTransferCharacteristics>> = {
  bt709: 'bt709',
  smpte170m: 'smpte170m',
  'iec61966-2-1': 'iec61966-2-1',
};

/**
 * Eight bits stay what they are, so that no range is converted; deeper samples leave with ten bits and are mapped or
 * rounded here. Colours that the file does not name are taken for BT.709, as browsers do.
 */
function pixelsOf(video: ProbedStream): FfmpegPixels {
  const format = String(video.pix_fmt ?? '');
  const deep = /(9|1[0-6])(le|be)$|^p01/.test(format);
  const fullRange = video.color_range === 'pc' || format.startsWith('yuvj');
  const yuv = /^(yuv|nv|p01|gray)/.test(format);
  return {
    width: Number(video.width),
    height: Number(video.height),
    pixelFormat: deep ? 'yuv420p10le' : yuv && fullRange ? 'yuvj420p' : 'yuv420p',
    depth: deep ? 10 : 8,
    colorSpace: {
      primaries: primaries[String(video.color_primaries)] ?? 'bt709',
      transfer: transfers[String(video.color_transfer)] ?? 'bt709',
      // swscale turns RGB into BT.601.
      matrix: yuv ? (matrices[String(video.color_space)] ?? 'bt709') : 'smpte170m',
      fullRange: yuv && fullRange,
    },
  };
}
