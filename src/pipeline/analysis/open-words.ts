import type { TranscriptionModel } from '../../inference/transcription-model.js';
import {
  openMoonshine,
  openWorkerMoonshine,
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
  const name = own?.name ?? (own ? 'moonshine' : 'moonshine-tiny');
  const files = { encoder, decoder, tokenizer, name, language: own?.language ?? 'en' };
  return networks.isApartPossible
    ? openWorkerMoonshine(spawn(), files, networks.cpu)
    : openMoonshine(files, networks.cpu);
}
