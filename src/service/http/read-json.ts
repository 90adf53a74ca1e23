import { ReframeError } from '../../schema/error.js';
import { dataUrlLimit } from '../sources/address.js';

/** Bytes of the largest body: an address may be long, nothing else is. */
export const bodyLimitBytes = dataUrlLimit + (1 << 16);

/**
 * The JSON body of a request.
 *
 * @throws ReframeError `unsupported_media_type`, `too_large`, or `invalid_request`.
 */
export async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  // Strict on purpose: a page of another site can send any other type here without being asked first.
  if (type !== 'application/json')
    throw new ReframeError('unsupported_media_type', 'Send Content-Type: application/json.');
  try {
    return JSON.parse(await readText(request));
  } catch (error) {
    if (error instanceof ReframeError) throw error;
    throw new ReframeError('invalid_request', 'The body is not JSON.');
  }
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let received = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) return text + decoder.decode();
    received += value.length;
    if (received > bodyLimitBytes) {
      await reader!.cancel();
      throw new ReframeError('too_large', `Bodies end at ${bodyLimitBytes} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
