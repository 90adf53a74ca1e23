import { type Advisor, openAiAdvisor } from '../src/advisor/index.js';
import { given, UsageError } from './option-values.js';

const text = { type: 'string' } as const;

/** The options that say who is asked about difficult scenes, as `parseArgs` takes them. */
export const advisorOptions = {
  advisor: text,
  'advisor-model': text,
  'advisor-pictures': { type: 'boolean' },
  'advisor-words': { type: 'boolean' },
} as const;

/** Where the server's key is read: what stands on a command line, every program of the machine can read. */
export const advisorKeyVariable = 'EDGE_REFRAME_ADVISOR_KEY';

export const advisorUsage = `\
  --advisor URL        asks a language model about difficult scenes: a server with OpenAI's chat completions, such as
                       http://localhost:11434/v1; its key, if it wants one, is read from $${advisorKeyVariable}
  --advisor-model NAME its model, as the server knows it; goes with --advisor, as both of these do:
  --advisor-pictures   sends a small picture of each such scene, with numbered faces
  --advisor-words      sends what is said meanwhile; needs the files of --words, and writes it down as that does`;

/** Whom this process asks. The page only tells what to ask, and never learns address or key. */
export type AdvisorChoice = {
  readonly advisor: Advisor;
  readonly origin: string;
  readonly allowPictures: boolean;
  readonly allowWords: boolean;
};

/** @throws UsageError naming what is missing or wrong. */
export function advisorChoiceOf(
  options: {
    readonly [Name in keyof typeof advisorOptions]?: Name extends 'advisor' | 'advisor-model'
      ? string
      : boolean;
  },
  environment: NodeJS.ProcessEnv,
): AdvisorChoice | undefined {
  const { advisor: baseUrl, 'advisor-model': model } = options;
  const allowPictures = options['advisor-pictures'] === true;
  const allowWords = options['advisor-words'] === true;
  if (baseUrl === undefined) {
    const lonely = ['advisor-model', 'advisor-pictures', 'advisor-words'] as const;
    const wrong = lonely.find(name => options[name] !== undefined);
    if (wrong) throw new UsageError(`--${wrong} goes with --advisor.`);
    return undefined;
  }
  if (!model) throw new UsageError('--advisor needs --advisor-model.');
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new UsageError('--advisor takes an http(s) address, for example http://localhost:11434/v1.');
  const apiKey = environment[advisorKeyVariable] || undefined;
  return {
    advisor: openAiAdvisor({ baseUrl, model, allowPictures, allowWords, ...given({ apiKey }) }),
    origin: new URL(baseUrl).origin,
    allowPictures,
    allowWords,
  };
}

/** Longest that a question of a page's may take, seconds: the page itself gives up before. */
const longestSec = 60;

/** What a page calls for an answer; its picture comes as base64 of a JPEG, since functions of a page take JSON only. */
export const answerPage =
  ({ advisor }: AdvisorChoice) =>
  (question: Parameters<Advisor>[0], picture?: string): Promise<unknown> =>
    advisor(question, {
      signal: AbortSignal.timeout(longestSec * 1000),
      ...(picture !== undefined && {
        picture: async () => new Blob([Buffer.from(picture, 'base64')], { type: 'image/jpeg' }),
      }),
    });
