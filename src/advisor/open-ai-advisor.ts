import { adviceJsonSchema } from '../schema/advice.js';
import type { Advisor } from '../schema/advisor.js';
import { questionText } from './question-text.js';

/** Which server is asked, and what it is told: nothing but numbers and layouts, unless more is allowed. */
export type OpenAiOptions = {
  /** Where the server's `chat/completions` lies, for example `http://localhost:11434/v1`. There is no default. */
  readonly baseUrl: string | URL;
  /** Name of the model, as the server knows it. */
  readonly model: string;
  /** Sent as bearer token; default none. */
  readonly apiKey?: string;
  /** Whether the server is sent what is said in the video. Default false. */
  readonly allowWords?: boolean;
  /** Whether the server is sent a small picture with the numbered faces, where the caller named the source. Default false. */
  readonly allowPictures?: boolean;
  /**
   * How the server is asked for JSON: `object` (default; any JSON, the schema is in the text) or `schema` (held to the
   * schema), for servers that know only that.
   */
  readonly jsonMode?: 'object' | 'schema';
  /** Sends requests in the place of the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/** Longest answer that is read, bytes: a valid one has a hundredth of that. */
const maxAnswerBytes = 65_536;

/**
 * An advisor that asks a server which speaks OpenAI's chat completions, for example one on this machine. Each question is
 * one request; it goes to no other address, redirects included.
 *
 * @throws TypeError where `baseUrl` is no http(s) address or `model` is empty. The advisor rejects where the server cannot be
 * reached, refuses, or answers something other than JSON of at most 64 KiB.
 */
export function openAiAdvisor(options: OpenAiOptions): Advisor {
  const {
    model,
    apiKey,
    allowWords = false,
    allowPictures = false,
    jsonMode = 'object',
    fetch: send = fetch,
  } = options;
  const url = completionsUrl(options.baseUrl);
  if (!model) throw new TypeError('openAiAdvisor: model is empty');
  return async (question, { signal, picture }) => {
    const shown = allowPictures ? await picture?.() : undefined;
    const { system, user } = questionText(question, { hasWords: allowWords });
    const image = shown && { type: 'image_url', image_url: { url: await dataUrl(shown) } };
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: image ? [{ type: 'text', text: user }, image] : user },
        ],
        response_format:
          jsonMode === 'object'
            ? { type: 'json_object' }
            : { type: 'json_schema', json_schema: { name: 'advice', schema: adviceJsonSchema(question) } },
      }),
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the advisor's server answered ${response.status}`);
    }
    const content = contentOf(parseJson(await boundedText(response)));
    return parseJson(content);
  };
}

function completionsUrl(baseUrl: string | URL): string {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:')
    throw new TypeError('openAiAdvisor: baseUrl is no http(s) address');
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/chat/completions`;
  return base.href;
}

async function dataUrl(picture: Blob): Promise<string> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `data:${picture.type};base64,${btoa(binary)}`;
}

async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  try {
    for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
      sizeBytes += read.value.length;
      if (sizeBytes > maxAnswerBytes) throw new Error(`the answer has more than ${maxAnswerBytes} bytes`);
      text += decoder.decode(read.value, { stream: true });
    }
  } finally {
    // Ends the transfer of what was not read.
    await reader?.cancel();
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is no JSON');
  }
}

function contentOf(answer: unknown): string {
  const { choices } = (answer ?? {}) as { choices?: { message?: { content?: unknown } }[] };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw new Error('the answer holds no message');
  return content;
}
