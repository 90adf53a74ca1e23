import type { SpokenToken, TranscriptionModel } from '../../inference/transcription-model.js';
import type { TaskContext } from '../../rpc/protocol.js';
import { longestSpeechSec, type SpokenWord } from '../../schema/spoken-words.js';
import { whileWanted } from '../while-wanted.js';

/** What the caller's thread is asked to write down. */
export type TranscribeQuestion = { readonly samples: Float32Array; readonly language: string };

/** A caller's own `transcriber` as a model: each piece of speech is a question to the caller's thread. */
export function callerTranscription(ask: TaskContext['ask'], language: string): TranscriptionModel {
  return {
    name: 'caller',
    language,
    longestSec: longestSpeechSec,
    async transcribe(samples, signal) {
      const question: TranscribeQuestion = { samples, language };
      const words = await whileWanted(ask<readonly SpokenWord[]>('transcribe', question), signal);
      return words.map(
        ({ word, start, end, confidence = 1 }): SpokenToken => ({
          text: ` ${word.trim()}`,
          startSec: start,
          endSec: end,
          logProbability: Math.log(Math.max(confidence, Number.MIN_VALUE)),
        }),
      );
    },
    close: async () => {},
  };
}
