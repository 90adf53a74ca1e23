/** Ends the wait when the call is aborted, not what is waited for: models go on loading, as the next call will want them. */
export function whileWanted<Value>(waited: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return waited;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const give = () => reject(signal.reason);
    signal.addEventListener('abort', give, { once: true });
    waited.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
