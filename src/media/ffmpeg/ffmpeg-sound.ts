import { toDecodeError } from '../input/decode-error.js';
import { prerollSec, type Sound, type SoundBlock } from '../input/sound.js';
import type { ReadRange } from '../media.js';
import type { FfmpegProbe } from './ffmpeg-probe.js';
import { type FfmpegSession, openFfmpegSession } from './ffmpeg-session.js';
import type { FfmpegUrls } from './ffmpeg-urls.js';

/** Seconds of sound that are decoded at once: stereo at 48 kHz makes 7.7 MB. */
const chunkSec = 20;

type Parts = {
  readonly file: Blob;
  readonly name: string;
  readonly urls: FfmpegUrls;
  readonly probe: FfmpegProbe;
  /** Aborts when the media is closed. */
  readonly closed: AbortSignal;
};

/** The sound of a file as ffmpeg decodes it; undefined where there is none. */
export function openFfmpegSound({ file, name, urls, probe, closed }: Parts): Sound | undefined {
  const { audio } = probe.facts;
  const stream = probe.audioStream;
  if (!audio || stream === undefined) return undefined;

  async function* blocks(range: ReadRange): AsyncGenerator<SoundBlock, void, void> {
    const signal = range.signal ? AbortSignal.any([range.signal, closed]) : closed;
    const session = await openFfmpegSession(urls, { file, signal });
    const originSec = probe.index.originUs / 1e6;
    const endSec = (range.endSec ?? Number.POSITIVE_INFINITY) + originSec;
    // Headers lie about durations in both directions: go on while there is sound, and at least as long as there is picture.
    const expectedSec = Math.min(probe.audioEndSec, probe.index.endUs / 1e6);
    let doneSec = Number.NEGATIVE_INFINITY;
    try {
      for (let fromSec = (range.startSec ?? 0) + originSec; fromSec < endSec; fromSec += chunkSec) {
        const toSec = Math.min(fromSec + chunkSec, endSec);
        await session.renew();
        for (const block of await decodeChunk(session, probe, { stream: stream!, fromSec, toSec })) {
          // Neighbouring chunks overlap by whole packets, which are dropped once.
          if (block.timeSec < doneSec - 0.001 || block.timeSec >= toSec) continue;
          doneSec = block.timeSec + block.channels[0]!.length / block.sampleRateHz;
          yield { ...block, timeSec: block.timeSec - originSec };
        }
        if (doneSec < toSec - 1 && toSec > expectedSec - 1) break;
      }
    } catch (error) {
      throw toDecodeError(error, name, signal);
    } finally {
      session.terminate();
    }
  }

  return { codec: audio.codec, sampleRateHz: audio.sampleRateHz, channels: audio.channels, blocks };
}

type Chunk = { readonly stream: number; readonly fromSec: number; readonly toSec: number };

/** Decodes whole packets around a stretch of the file's clock; `ashowinfo` tells when each was to be heard. */
async function decodeChunk(
  session: FfmpegSession,
  probe: FfmpegProbe,
  { stream, fromSec, toSec }: Chunk,
): Promise<SoundBlock[]> {
  const startSec = Math.max(0, fromSec - probe.formatStartSec - prerollSec);
  const { log } = await session.exec([
    ...['-v', 'info', '-copyts', '-noaccurate_seek'],
    ...(startSec > 0 ? ['-ss', startSec.toFixed(6)] : []),
    ...['-i', session.inputPath, '-map', `0:${stream}`, '-vn'],
    ...['-af', 'ashowinfo', '-to', (toSec + prerollSec).toFixed(6)],
    ...['-c:a', 'pcm_f32le', '-f', 'f32le', '/sound'],
  ]);
  const bytes = await session.read('/sound').catch(() => new Uint8Array());
  await session.remove('/sound').catch(() => undefined);
  const samples = new Float32Array(bytes.buffer, 0, bytes.byteLength >> 2);
  const blocks: SoundBlock[] = [];
  let tickSec = 0;
  let at = 0;
  for (const line of log) {
    const shown =
      /ashowinfo.*\] n:\d+ pts:(-?\d+) pts_time:(\S+) .*channels:(\d+) .*rate:(\d+) nb_samples:(\d+)/.exec(
        line,
      );
    if (!shown) continue;
    const [pts, time, count, sampleRateHz, length] = shown.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    // `pts_time` has six digits only; its ratio to the tick count, once it is long enough, is the tick.
    tickSec = 1 / sampleRateHz;
    const timeSec = Math.abs(pts * tickSec - time) < 0.01 ? pts * tickSec : time;
    if (at + length * count > samples.length) break;
    blocks.push({
      timeSec,
      sampleRateHz,
      channels: Array.from({ length: count }, (_, c) =>
        Float32Array.from({ length }, (_, i) => samples[at + i * count + c]!),
      ),
    });
    at += length * count;
  }
  return blocks;
}
