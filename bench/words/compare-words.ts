/** Digits, which a recogniser may write either way. */
const digits = 'zero one two three four five six seven eight nine'.split(' ');

/** Words without case and marks, digits in letters. */
export const plainWord = (word: string): string => {
  const plain = word.toLowerCase().replace(/[^\p{L}\p{N}']/gu, '');
  return /^\d$/.test(plain) ? digits[Number(plain)]! : plain;
};

/** How what was heard differs from what was said. */
export type Comparison = {
  /** Words left out, put in and changed. */
  readonly errors: number;
  /** Indices of the same words, said and heard. */
  readonly pairs: readonly (readonly [said: number, heard: number])[];
};

/** The fewest changes that make one list of words the other (Levenshtein). */
export function compareWords(said: readonly string[], heard: readonly string[]): Comparison {
  const cost = Array.from({ length: said.length + 1 }, (_, i) =>
    Array.from({ length: heard.length + 1 }, (_, j) => (i ? 0 : j)),
  );
  for (let i = 1; i <= said.length; i++) {
    cost[i]![0] = i;
    for (let j = 1; j <= heard.length; j++) {
      const change = cost[i - 1]![j - 1]! + (said[i - 1] === heard[j - 1] ? 0 : 1);
      cost[i]![j] = Math.min(change, cost[i - 1]![j]! + 1, cost[i]![j - 1]! + 1);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = said.length, j = heard.length; i && j; ) {
    const isSame = said[i - 1] === heard[j - 1];
    if (isSame && cost[i]![j] === cost[i - 1]![j - 1]!) pairs.unshift([--i, --j]);
    else if (cost[i]![j] === cost[i - 1]![j - 1]! + 1) [i, j] = [i - 1, j - 1];
    else if (cost[i]![j] === cost[i - 1]![j]! + 1) i--;
    else j--;
  }
  return { errors: cost[said.length]![heard.length]!, pairs };
}
