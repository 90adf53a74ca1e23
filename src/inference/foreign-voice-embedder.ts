import { fbankSize, kaldiFbank } from '../core/kaldi-fbank.js';
import { ReframeError } from '../schema/error.js';
import type { Session, SessionInput } from './session.js';
import { leastVoiceSamples, type VoiceEmbedder } from './voice-embedder.js';

/**
 * Reads a speaker embedding of another's making, by the form of its one input: Kaldi's filter bank `[batch, rows, 80]`, as
 * WeSpeaker's are published, or sound itself, `[batch, samples]` at 16 kHz in ±1, as ReDimNet's are. The first output
 * is the embedding, of any size.
 *
 * @throws ReframeError `model_corrupt` for a network of another form.
 */
export async function openForeignVoiceEmbedder(session: Session, name: string): Promise<VoiceEmbedder> {
  const [input, ...more] = session.inputNames;
  const shape = (input !== undefined && session.inputShapes[input]) || [];
  const takesSound = shape.length === 2;
  const corrupt = (why: string) =>
    new ReframeError('model_corrupt', `"${name}" is no embedding of voices: ${why}`);
  if (more.length || !(takesSound || (shape.length === 3 && shape[2] === fbankSize)))
    throw corrupt(
      `it takes ${JSON.stringify(session.inputShapes)}, not [batch, samples] or [batch, rows, 80].`,
    );
  const embed = async (samples: Float32Array): Promise<Float32Array> => {
    const data = takesSound ? samples : kaldiFbank(samples);
    const dims = takesSound ? [1, data.length] : [1, data.length / fbankSize, fbankSize];
    const outputs = await session.run({ [input!]: { kind: 'cpu', dims, data } satisfies SessionInput });
    const { data: embedding, dims: given } = outputs[session.outputNames[0]!]!;
    if (given.length !== 2 || embedding.length < 2) throw corrupt(`it gives [${given}], not [batch, size].`);
    const length = Math.hypot(...embedding);
    // What the network cannot place says nothing of a voice.
    return length > 0 && Number.isFinite(length)
      ? embedding.map(value => value / length)
      : new Float32Array(embedding.length);
  };
  // How many numbers it gives is only known from one.
  const { length: size } = await embed(
    Float32Array.from({ length: 16_000 }, (_, i) => 0.1 * Math.sin(i * i)),
  );
  return {
    name,
    size,
    async embed(samples) {
      if (samples.length < leastVoiceSamples)
        throw new RangeError(
          `${samples.length} samples are too few for a voice; ${leastVoiceSamples} are needed.`,
        );
      return embed(samples);
    },
    close: () => session.close(),
  };
}
