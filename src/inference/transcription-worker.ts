import type { Connection } from '../rpc/connect.js';
import type { Task } from '../rpc/protocol.js';
import { readByteTokens } from './byte-tokens.js';
import { createMoonshine } from './moonshine.js';
import { openSession, type Session, type SessionOptions } from './session.js';
import { readTokenList } from './token-list.js';
import type { SpokenToken, TranscriptionModel } from './transcription-model.js';
import { createWhisper } from './whisper.js';

/** Families of recognisers, by how their networks are fed and read. */
export type TranscriptionFamily = 'moonshine' | 'whisper';

/** A recogniser's files and what it is called. */
export type TranscriptionFiles = Pick<TranscriptionModel, 'name' | 'language'> & {
  readonly family: TranscriptionFamily;
  readonly encoder: Uint8Array;
  readonly decoder: Uint8Array;
  readonly tokenizer: Uint8Array;
};

type OpenAnswer = Pick<TranscriptionModel, 'longestSec' | 'notes'> & { readonly id: number };

/** What an inference worker offers for transcription: a whole recogniser, whose caches never leave the worker. */
export type TranscriptionTasks = {
  readonly openWords: Task<
    { readonly files: TranscriptionFiles; readonly options: SessionOptions },
    OpenAnswer
  >;
  readonly transcribe: Task<{ readonly id: number; readonly samples: Float32Array }, SpokenToken[]>;
  readonly closeWords: Task<number, void>;
};

/** Recognisers of a worker that does nothing else: a piece of speech takes seconds. */
export function createTranscriptionTasks(): TranscriptionTasks {
  const models = new Map<number, TranscriptionModel>();
  let nextId = 0;
  return {
    async openWords({ files, options }) {
      const model = await openTranscription(files, options);
      const id = nextId++;
      models.set(id, model);
      const { longestSec, notes = [] } = model;
      return { id, longestSec, notes };
    },
    transcribe: ({ id, samples }, { signal }) => models.get(id)!.transcribe(samples, signal),
    async closeWords(id) {
      await models.get(id)?.close();
      models.delete(id);
    },
  };
}

/** Opens a recogniser on this thread. */
export async function openTranscription(
  { family, encoder, decoder, tokenizer, name, language }: TranscriptionFiles,
  options: SessionOptions,
): Promise<TranscriptionModel> {
  const open = async () => ({
    encoder: interruptible(await openSession(encoder, `${name} encoder`, options)),
    decoder: interruptible(await openSession(decoder, `${name} decoder`, options)),
    ...{ name, language },
  });
  // A wrong list is told before large networks are loaded.
  if (family === 'whisper') {
    const tokens = readByteTokens(tokenizer);
    return createWhisper({ ...(await open()), tokens });
  }
  const tokens = readTokenList(tokenizer);
  return createMoonshine({ ...(await open()), tokens });
}

/** Opens a recogniser in an inference worker; it behaves like one opened here. */
export async function openWorkerTranscription(
  worker: Connection<TranscriptionTasks>,
  files: TranscriptionFiles,
  options: SessionOptions,
): Promise<TranscriptionModel> {
  const { id, longestSec, notes = [] } = await worker.call('openWords', { files, options });
  return {
    name: files.name,
    language: files.language,
    longestSec,
    notes,
    async transcribe(samples, signal) {
      const lengthSec = samples.length / 16_000;
      if (lengthSec > longestSec)
        throw new RangeError(`${lengthSec} s of sound; ${files.name} takes ${longestSec} s.`);
      return worker.call('transcribe', { id, samples }, { signal });
    },
    close: () => worker.call('closeWords', id),
  };
}

/** Runs follow one another without a pause in which a message that ends them could be read: each waits for one. */
const interruptible = (session: Session): Session => ({
  ...session,
  async run(feeds) {
    await nextTask();
    return session.run(feeds);
  },
});

/** Resolves behind the messages that are waiting. Timers that follow one another wait longer. */
const nextTask = (): Promise<void> =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
