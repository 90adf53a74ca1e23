import { concat } from '../../../core/series.js';
import type { SpeechProbability } from '../../../core/speech.js';
import { type SpeechDetector, type SpeechState, speechChunkSamples } from '../../../inference/silero.js';
import { type AudioBlock, audioRateHz } from '../../../media/media.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';

/** The sound is read this far ahead of the picture: the scorer compares a face with sound up to 1.6 s later. */
const soundLeadSec = 3;

/** Reads the sound in step with the frames, judges when a voice is heard, and hands the sound on. */
export interface SoundPass extends AnalysisPass {
  /**
   * Hands every block of sound on, in order; before the first frame.
   *
   * @param hear - Samples of 16 kHz mono in ±1, and the probabilities of speech of the chunks that they completed.
   */
  listen(hear: (samples: Float32Array, speech: Float32Array) => Promise<void>): void;
  /** Reads the sound to its end. */
  hearAll(): Promise<void>;
}

/** A pass between two frames. */
export type SoundState = {
  readonly speech: SpeechState;
  readonly probabilities: Float32Array;
  /** Samples that were heard, and whether there are no more. */
  readonly heardSamples: number;
  readonly ended: boolean;
};

export type SoundPassOptions = {
  readonly speech: SpeechDetector;
  /** Sound from `originSec` on, or from where the saved pass heard last (`soundFrom`). */
  readonly sound: AsyncGenerator<AudioBlock, void, void>;
  /** Time of the first sample of sound, seconds. */
  readonly originSec: number;
  readonly stopwatch: Stopwatch;
};

/** @param saved - State of another pass; the new pass and its speech detector go on from there. */
export function createSoundPass(options: SoundPassOptions, saved?: SoundState): SoundPass {
  const { speech, sound, originSec, stopwatch } = options;
  const listeners: ((samples: Float32Array, speech: Float32Array) => Promise<void>)[] = [];
  let probabilities = saved ? [saved.probabilities] : [];
  let heardSamples = saved?.heardSamples ?? 0;
  let ended = saved?.ended ?? false;

  const hearUntil = async (untilSec: number) => {
    while (!ended && originSec + heardSamples / audioRateHz < untilSec) {
      const next = await stopwatch.time('sound', () => sound.next());
      if (next.done) {
        ended = true;
        return;
      }
      const { samples } = next.value;
      heardSamples += samples.length;
      const judged = await stopwatch.time('speech', () => speech.push(samples));
      probabilities.push(judged);
      for (const hear of listeners) await hear(samples, judged);
    }
  };
  const heard = (): SpeechProbability => ({
    originSec,
    stepSec: speechChunkSamples / audioRateHz,
    values: concat(probabilities),
  });

  return {
    name: 'sound',
    wants: {},
    listen: hear => void listeners.push(hear),
    take: ({ timeSec }) => hearUntil(timeSec + soundLeadSec),
    hearAll: () => hearUntil(Number.POSITIVE_INFINITY),
    partial: async () => ({ speech: heard() }),
    async finish() {
      await hearUntil(Number.POSITIVE_INFINITY);
      probabilities.push(await stopwatch.time('speech', () => speech.finish()));
      return { speech: heard() };
    },
    save(): SoundState {
      probabilities = [concat(probabilities)];
      return { speech: speech.save(), probabilities: probabilities[0]!, heardSamples, ended };
    },
    async close() {
      await sound.return();
      await speech.close();
    },
  };
}
