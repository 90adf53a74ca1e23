import { adviceJsonSchema } from '../schema/advice.js';
import type { Advisor } from '../schema/advisor.js';
import { ReframeError } from '../schema/error.js';
import { questionText } from './question-text.js';

/** What is used of the browser's Prompt API (https://webmachinelearning.github.io/prompt-api/). */
type LanguageModelApi = {
  availability(options: ModelOptions): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: ModelOptions & { initialPrompts: object[]; signal: AbortSignal }): Promise<ModelSession>;
};
type ModelOptions = { expectedInputs: object[]; expectedOutputs: object[] };
type ModelSession = {
  prompt(input: object[], options: { responseConstraint: object; signal: AbortSignal }): Promise<string>;
  destroy(): void;
};

const english = [{ type: 'text', languages: ['en'] }];
const textModel: ModelOptions = { expectedInputs: english, expectedOutputs: english };
const pictureModel: ModelOptions = { ...textModel, expectedInputs: [...english, { type: 'image' }] };

/**
 * An advisor that asks the browser's built-in language model, which runs on this device; it is told the words too, where
 * there is a transcript, and shown the contact picture, where the caller named the source and the model takes images. Where the browser cannot hold the model to a schema, the schema in the text has to do. The model
 * is never downloaded unasked: call `LanguageModel.create()` from a click first.
 *
 * @throws ReframeError `model_unavailable` where the browser has no such interface. The advisor rejects with the same code
 * where the model is not there yet, or not for this device.
 */
export function promptApiAdvisor(): Advisor {
  const api = (globalThis as { LanguageModel?: LanguageModelApi }).LanguageModel;
  if (!api) throw new ReframeError('model_unavailable', 'This browser has no built-in language model.');
  return async (question, { signal, picture }) => {
    // Browsers that do not know images throw.
    const seesPictures =
      picture && (await api.availability(pictureModel).catch(() => 'unavailable')) === 'available';
    const modelOptions = seesPictures ? pictureModel : textModel;
    const availability = await api.availability(modelOptions);
    if (availability !== 'available')
      throw new ReframeError(
        'model_unavailable',
        `The browser's built-in language model is ${availability}; LanguageModel.create(), called from a click, fetches it where that is possible.`,
      );
    const shown = seesPictures ? await picture() : undefined;
    const { system, user } = questionText(question, { hasWords: true });
    const content = [{ type: 'text', value: user }, ...(shown ? [{ type: 'image', value: shown }] : [])];
    const session = await api.create({
      ...modelOptions,
      initialPrompts: [{ role: 'system', content: system }],
      signal,
    });
    try {
      const text = await session.prompt([{ role: 'user', content }], {
        responseConstraint: adviceJsonSchema(question),
        signal,
      });
      try {
        return JSON.parse(text);
      } catch {
        throw new Error('the answer is no JSON');
      }
    } finally {
      session.destroy();
    }
  };
}
