/**
 * Ends the wait when the call is aborted: models go on loading, as the next call will want them, and a caller who pauses
 * the analysis must be able to cancel it.
 */
export function whileWanted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return waited;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const give = () => reject(signal.reason);
    signal.addEventListener('abort', give, { once: true });
    waited.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
