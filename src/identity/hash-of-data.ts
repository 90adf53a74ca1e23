import { sha256Hex } from './sha256-hex.js';

/**
 * One word for plain data. Equal data give equal words, in whatever order the fields of objects come: a plan that went
 * through a database may have them otherwise.
 */
export async function hashOfData(data: object): Promise<string> {
  const sorted = (_key: string, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return sha256Hex(new TextEncoder().encode(JSON.stringify(data, sorted)));
}
