import { afterEach, expect, test, vi } from 'vitest';
import { promptApiAdvisor } from '../../../src/advisor/prompt-api-advisor.js';
import { type AdvisorQuestion, adviceJsonSchema } from '../../../src/schema/advice.js';

afterEach(() => void vi.unstubAllGlobals());

const question: AdvisorQuestion = {
  ...{ sceneId: 0, startSec: 0, endSec: 4, timeSec: 2, why: ['unsure'], planned: 'stack' },
  source: { width: 1920, height: 1080 },
  output: { width: 1080, height: 1920 },
  faces: [1, 2].map(number => ({ number, faceId: number, box: { x: 0, y: 0, width: 0.1, height: 0.2 } })),
  layouts: ['stack', 'fit'],
  words: 'So it is.',
};
const { signal } = new AbortController();

/** A stand-in for the browser's interface that gives one answer. */
function install(answer: string, availability = 'available') {
  const session = { prompt: vi.fn(async (_text: string, _options: object) => answer), destroy: vi.fn() };
  const create = vi.fn(async (_options: object) => session);
  vi.stubGlobal('LanguageModel', { availability: async () => availability, create });
  return { session, create };
}

test('the built-in model is held to the schema of the question, told the words, and let go', async () => {
  const { session, create } = install('{"layout": "fit"}');
  expect(await promptApiAdvisor()(question, { signal })).toEqual({ layout: 'fit' });
  const [text, options] = session.prompt.mock.calls[0]!;
  expect(options).toEqual({ responseConstraint: adviceJsonSchema(question), signal });
  expect(JSON.parse(text)).toMatchObject({ words_said_meanwhile: 'So it is.', planned_layout: 'stack' });
  expect(create).toHaveBeenCalledTimes(1);
  expect(session.destroy).toHaveBeenCalledTimes(1);
});

test('text that is no JSON rejects, and the session is let go all the same', async () => {
  const { session } = install('I ignore the schema');
  await expect(promptApiAdvisor()(question, { signal })).rejects.toThrow('the answer is no JSON');
  expect(session.destroy).toHaveBeenCalledTimes(1);
});

test('a browser without a model says so, and none is downloaded unasked', async () => {
  expect(() => promptApiAdvisor()).toThrow('no built-in language model');
  for (const availability of ['unavailable', 'downloadable', 'downloading']) {
    const { create } = install('{}', availability);
    await expect(promptApiAdvisor()(question, { signal })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining(availability),
    });
    expect(create).not.toHaveBeenCalled();
  }
});
