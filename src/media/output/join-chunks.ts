import {
  ALL_FORMATS,
  BlobSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputVideoTrack,
} from 'mediabunny';
import { hashOfData } from '../../identity/hash-of-data.js';
import { ReframeError } from '../../schema/error.js';
import type { ChunkFolder } from './chunk-folder.js';
import { type ClipOptions, type ClipReport, openClip } from './clip-output.js';

/**
 * Makes one clip of closed chunks: packets are copied one by one, not encoded again, and the sound goes beside them.
 * The chunks stay, so that a copy that is cut off can be made again.
 *
 * @throws ReframeError `quota_exceeded`; what reading the sound throws.
 */
export async function joinChunks(folder: ChunkFolder, options: ClipOptions): Promise<ClipReport> {
  const clip = await openClip(options, async output => {
    const source = new EncodedVideoPacketSource('avc');
    output.addVideoTrack(source);
    return { source, finish: async () => source.close(), close: () => undefined };
  });
  try {
    let meta: EncodedVideoChunkMetadata | undefined;
    for (const [index, { startUs }] of folder.record.chunks.entries()) {
      using chunk = await openChunk(await folder.open(index));
      meta ??= { decoderConfig: (await chunk.track.getDecoderConfig())! };
      for await (const packet of new EncodedPacketSink(chunk.track).packets()) {
        const timestamp = startUs / 1e6 + packet.timestamp;
        await clip.write(timestamp + packet.duration, () =>
          clip.track.source.add(packet.clone({ timestamp }), meta),
        );
      }
    }
  } catch (error) {
    await clip.cancel();
    throw error;
  }
  return clip.finish();
}

/** How a decoder has to be set up for a chunk's packets, as a word to compare. */
export async function describeChunk(file: Blob): Promise<string> {
  using chunk = await openChunk(file);
  const { codec, description } = (await chunk.track.getDecoderConfig())!;
  const bytes = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description ?? new ArrayBuffer(0));
  return hashOfData({ codec, description: [...bytes] });
}

async function openChunk(file: Blob): Promise<{ readonly track: InputVideoTrack } & Disposable> {
  const input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) throw new ReframeError('internal', 'A chunk of an earlier render holds no picture.');
    return { track, [Symbol.dispose]: () => input.dispose() };
  } catch (error) {
    input.dispose();
    throw error;
  }
}
