import type { ModelFile } from '../../inference/weights.js';
import type { ModelOptions } from '../engine-options.js';

/** Files of the recogniser, by the manifest's ids. A caller's own stand in for them. */
export const wordsModels = {
  encoder: 'moonshine-tiny-encoder',
  decoder: 'moonshine-tiny-decoder',
  tokenizer: 'moonshine-tokens',
} as const;

/** What tells voices apart, by the manifest's id. A caller's own stands in for that file. */
export const voiceModel = 'edge-voice';

/** Files that the caller names, those of networks of the caller's own among them. */
export const filesOf = ({
  files,
  words,
  voiceModelUrl,
}: ModelOptions): Readonly<Record<string, ModelFile>> => ({
  ...files,
  ...(voiceModelUrl !== undefined && { [voiceModel]: voiceModelUrl }),
  ...(words && {
    [wordsModels.encoder]: words.encoder,
    [wordsModels.decoder]: words.decoder,
    [wordsModels.tokenizer]: words.tokenizer,
  }),
});
