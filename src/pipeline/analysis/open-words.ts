import type { TranscriptionModel } from '../../inference/transcription-model.js';
import {
  openTranscription,
  openWorkerTranscription,
  type TranscriptionTasks,
} from '../../inference/transcription-worker.js';
import type { Connection } from '../../rpc/connect.js';
import type { WordsFiles } from '../engine-options.js';
import type { NetworkOpener } from './open-network.js';
import { wordsModels } from './words-files.js';

/**
 * Opens the recogniser in a worker of its own, so that everything else goes on while it writes.
 *
 * @throws ReframeError `model_unavailable` where one of the files is nowhere.
 */
export async function openWords(
  own: WordsFiles | undefined,
  networks: Pick<NetworkOpener, 'file' | 'cpu' | 'isApartPossible'>,
  spawn: () => Connection<TranscriptionTasks>,
): Promise<TranscriptionModel> {
  const [encoder, decoder, tokenizer] = await Promise.all([
    networks.file(wordsModels.encoder),
    networks.file(wordsModels.decoder),
    networks.file(wordsModels.tokenizer),
  ]);
  const family = own?.family ?? 'moonshine';
  const name = own?.name ?? (own ? family : 'moonshine-tiny');
  const files = { family, encoder, decoder, tokenizer, name, language: own?.language ?? 'en' };
  return networks.isApartPossible
    ? openWorkerTranscription(spawn(), files, networks.cpu)
    : openTranscription(files, networks.cpu);
}
