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
function install(answer: string, availability = 'available', images: 'known' | 'unknown' = 'known') {
  const session = { prompt: vi.fn(async (_input: object[], _options: object) => answer), destroy: vi.fn() };
  const create = vi.fn(async (_options: object) => session);
  const asked = async ({ expectedInputs }: { expectedInputs: { type: string }[] }) => {
    if (images === 'unknown' && expectedInputs.some(({ type }) => type === 'image')) throw new TypeError();
    return availability;
  };
  vi.stubGlobal('LanguageModel', { create, availability: asked });
  return { session, create };
}

test('the built-in model is held to the schema of the question, told the words, and let go', async () => {
  const { session, create } = install('{"layout": "fit"}');
  expect(await promptApiAdvisor()(question, { signal })).toEqual({ layout: 'fit' });
  const [input, options] = session.prompt.mock.calls[0]!;
  expect(options).toEqual({ responseConstraint: adviceJsonSchema(question), signal });
  expect(input).toEqual([{ role: 'user', content: [{ type: 'text', value: expect.any(String) }] }]);
  const { value } = (input[0] as { content: { value: string }[] }).content[0]!;
  expect(JSON.parse(value)).toMatchObject({ words_said_meanwhile: 'So it is.', planned_layout: 'stack' });
  expect(create).toHaveBeenCalledTimes(1);
  expect(session.destroy).toHaveBeenCalledTimes(1);
});

test.each(['known', 'unknown'] as const)('the picture is shown where images are %s', async images => {
  const { session, create } = install('{}', 'available', images);
  const shown = new Blob(['picture']);
  const picture = vi.fn(async () => shown);
  await promptApiAdvisor()(question, { signal, picture });
  const [[message]] = session.prompt.mock.calls[0] as unknown as [[{ content: object[] }]];
  const inputs = create.mock.calls[0]![0] as { expectedInputs: { type: string }[] };
  const isKnown = images === 'known';
  expect(message.content.slice(1)).toEqual(isKnown ? [{ type: 'image', value: shown }] : []);
  expect(inputs.expectedInputs.some(({ type }) => type === 'image')).toBe(isKnown);
  expect(picture).toHaveBeenCalledTimes(isKnown ? 1 : 0);
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
