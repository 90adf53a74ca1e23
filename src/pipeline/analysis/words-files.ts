import type { ModelFile } from '../../inference/weights.js';
import type { ModelOptions } from '../engine-options.js';

/** Files of the recogniser, by the manifest's ids. A caller's own stand in for them. */
export const wordsModels = {
  encoder: 'moonshine-tiny-encoder',
  decoder: 'moonshine-tiny-decoder',
  tokenizer: 'moonshine-tokens',
} as const;

/** Files that the caller names, those of a recogniser of the caller's own among them. */
export const filesOf = ({ files, words }: ModelOptions): Readonly<Record<string, ModelFile>> => ({
  ...files,
  ...(words && {
    [wordsModels.encoder]: words.encoder,
    [wordsModels.decoder]: words.decoder,
    [wordsModels.tokenizer]: words.tokenizer,
  }),
});
