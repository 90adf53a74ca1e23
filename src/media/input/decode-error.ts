import { isReframeError, ReframeError } from '../../schema/error.js';

/**
 * Gives an error of a demuxer or decoder its code. Those libraries have no codes of their own: whatever is neither
 * ours nor an abort means that the bytes could not be decoded.
 */
export function toDecodeError(error: unknown, name: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (isReframeError(error) || (error instanceof DOMException && error.name === 'AbortError')) return error;
  if (error instanceof RangeError && /allocation|memory/i.test(error.message))
    return new ReframeError('out_of_memory', `Decoding ${name} needed more than there is.`, { cause: error });
  const detail = error instanceof Error ? error.message : String(error);
  return new ReframeError('decode_failed', `${name} is damaged or cut short (${detail}).`, { cause: error });
}

/** The next value of an iterator, or the signal's reason as soon as it aborts, even if the iterator never answers. */
export async function nextOrAbort<T>(
  iterator: AsyncIterator<T, void>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<T, void>> {
  signal?.throwIfAborted();
  if (!signal) return iterator.next();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Iterates `source` until it ends or the signal aborts, and closes it either way. */
export async function* untilAborted<T>(
  source: AsyncIterator<T, void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, void> {
  try {
    for (;;) {
      const { done, value } = await nextOrAbort(source, signal);
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: an iterator that is stuck would hold its caller here.
    void source.return?.()?.catch(() => undefined);
  }
}
