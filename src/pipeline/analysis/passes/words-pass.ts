import { concat } from '../../../core/series.js';
import { createTranscriber, type TranscriberState } from '../../../inference/transcriber.js';
import type { TranscriptionModel } from '../../../inference/transcription-model.js';
import { audioRateHz } from '../../../media/media.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass, Found } from '../analysis-pass.js';
import type { SoundPass } from './sound-pass.js';

/** A pass between two frames. */
export type WordsState = TranscriberState;

/** The recogniser may be so far behind the sound, seconds; then the analysis waits for it. */
const longestLagSec = 30;

export type WordsPassOptions = {
  /** Stays the caller's. */
  readonly model: TranscriptionModel;
  readonly sound: Pick<SoundPass, 'listen' | 'hearAll'>;
  readonly signal?: AbortSignal | undefined;
  readonly stopwatch: Stopwatch;
};

/** Writes down what is said, beside everything else: the recogniser has a thread of its own. */
export function createWordsPass(
  { model, sound, signal, stopwatch }: WordsPassOptions,
  saved?: WordsState,
): AnalysisPass {
  const ended = new AbortController();
  const signals = signal ? [signal, ended.signal] : [ended.signal];
  const transcriber = createTranscriber(model, saved, AbortSignal.any(signals));
  /** Sound that the transcriber has not been given. */
  const behind: { readonly samples: Float32Array; readonly speech: Float32Array }[] = [];
  let working: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const work = async () => {
    while (behind.length) {
      const { samples, speech } = behind.shift()!;
      await stopwatch.time('words', () => transcriber.push(samples, speech));
    }
    working = undefined;
  };
  sound.listen(async (samples, speech) => {
    if (failure) throw failure.error;
    behind.push({ samples, speech });
    if (!working) {
      working = work();
      working.catch(error => (failure = { error }));
    }
    const lagSec = behind.reduce((sum, block) => sum + block.samples.length, 0) / audioRateHz;
    if (lagSec > longestLagSec) await working;
  });
  const found = (): Found => ({ words: [...transcriber.soFar()] });

  return {
    name: 'words',
    wants: {},
    take: async () => {},
    partial: async () => found(),
    async finish() {
      await sound.hearAll();
      await working;
      await stopwatch.time('words', () => transcriber.finish());
      return found();
    },
    save(): WordsState {
      const state = transcriber.save();
      return {
        ...state,
        pending: concat([state.pending, ...behind.map(({ samples }) => samples)]),
        speech: concat([state.speech, ...behind.map(({ speech }) => speech)]),
      };
    },
    async close() {
      ended.abort();
      await working?.catch(() => {});
    },
  };
}
