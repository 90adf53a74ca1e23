/** A mistake on the command line. */
export class UsageError extends Error {}

/** @throws UsageError where a value is no number between the limits. */
export function numberOf(
  name: string,
  value: string | undefined,
  least: number,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  if (value === undefined) return undefined;
  const number = value.trim() ? Number(value) : Number.NaN;
  if (!Number.isFinite(number) || number < least || number > most)
    throw new UsageError(
      `--${name} takes a number ${most < Number.POSITIVE_INFINITY ? `from ${least} to ${most}` : `of at least ${least}`}.`,
    );
  return number;
}

/** @throws UsageError where a value is none of the words. */
export function wordOf<Word extends string>(
  name: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined) return undefined;
  if (!words.includes(value as Word)) throw new UsageError(`--${name} takes one of: ${words.join(', ')}.`);
  return value as Word;
}

/** Leaves out what was not given: an explicit `undefined` would replace a default. */
export function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
}
