/** How long a worker has for taking its script; it does so within its first moments. */
const scriptLifeMs = 60_000;

/**
 * Starts a worker whose script lies beside a module that came from another origin, where `new Worker` may not
 * reach: a small module of this page imports the script instead. That host must allow cross-origin reads.
 *
 * @param path - The script, relative to `here`.
 * @param here - `import.meta.url` of the module that asks.
 * @returns The worker; undefined where the module is this page's own, so that the caller goes on with the
 * literal that bundlers look for.
 */
export function startForeignWorker(path: string, here: string): Worker | undefined {
  const scriptUrl = foreignScriptUrl(path, here);
  return scriptUrl === undefined ? undefined : new Worker(scriptUrl, { type: 'module' });
}

/** Like {@link startForeignWorker}, for those who start the worker themselves: an address that they may give it. */
export function foreignScriptUrl(path: string, here: string): string | undefined {
  const url = new URL(path, here);
  if (!/^https?:$/.test(url.protocol) || url.origin === location.origin) return undefined;
  const scriptUrl = URL.createObjectURL(
    new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }),
  );
  setTimeout(() => URL.revokeObjectURL(scriptUrl), scriptLifeMs);
  return scriptUrl;
}
