/**
 * Whether a request carries one of the keys. Takes the same time whichever key it is and however much of it is right.
 *
 * @param keys - Accepted keys; none means that everybody may.
 */
export function isAllowed(header: string | null, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  const given = toBytes(/^Bearer +(.+)$/i.exec(header ?? '')?.[1] ?? '');
  let found = false;
  for (const key of keys) {
    const same = equal(given, toBytes(key));
    found ||= same;
  }
  return found;
}

const toBytes = (text: string) => new TextEncoder().encode(text);

/** Looks at every byte of what was given, wherever the first difference is. */
function equal(given: Uint8Array, key: Uint8Array): boolean {
  let difference = given.length ^ key.length;
  for (let i = 0; i < given.length; i++) difference |= given[i]! ^ (key[i % key.length] ?? 0);
  return difference === 0 && key.length > 0;
}
