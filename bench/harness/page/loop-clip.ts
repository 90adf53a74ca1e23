import {
  ALL_FORMATS,
  BlobSource,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Mp4OutputFormat,
  Output,
  StreamTarget,
} from 'mediabunny';

/**
 * Repeats a clip until it lasts so long, packet by packet, into a file of the browser's private storage: neither the
 * clip nor its frames are ever in memory as a whole.
 */
export async function loopClip(clip: Blob, minSec: number, name: string): Promise<File> {
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(clip) });
  const video = (await input.getPrimaryVideoTrack())!;
  const audio = (await input.getPrimaryAudioTrack())!;
  const handle = await (await navigator.storage.getDirectory()).getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: false }),
    target: new StreamTarget(writable, { chunked: true, chunkSize: 1 << 20 }),
  });
  const videoOut = new EncodedVideoPacketSource((await video.getCodec())!);
  const audioOut = new EncodedAudioPacketSource((await audio.getCodec())!);
  output.addVideoTrack(videoOut);
  output.addAudioTrack(audioOut);
  await output.start();

  const lengthSec = await video.computeDuration();
  const rounds = Math.ceil(minSec / lengthSec);
  const videoMeta = { decoderConfig: (await video.getDecoderConfig())! };
  const audioMeta = { decoderConfig: (await audio.getDecoderConfig())! };
  const copyVideo = async () => {
    const sink = new EncodedPacketSink(video);
    for (let round = 0; round < rounds; round++) {
      for await (const packet of sink.packets()) {
        await videoOut.add(packet.clone({ timestamp: packet.timestamp + round * lengthSec }), videoMeta);
      }
    }
    videoOut.close();
  };
  const copyAudio = async () => {
    const sink = new EncodedPacketSink(audio);
    let endSec = 0;
    for (let round = 0; round < rounds; round++) {
      for await (const packet of sink.packets()) {
        // A packet that reaches over the seam takes the place of the first ones of the next round.
        const timestamp = packet.timestamp + round * lengthSec;
        if (packet.timestamp < 0 || packet.timestamp >= lengthSec || timestamp < endSec - 1e-3) continue;
        await audioOut.add(packet.clone({ timestamp }), audioMeta);
        endSec = timestamp + packet.duration;
      }
    }
    audioOut.close();
  };
  // Both at once: a muxer waits for the track that is behind.
  await Promise.all([copyVideo(), copyAudio()]);
  await output.finalize();
  return handle.getFile();
}
