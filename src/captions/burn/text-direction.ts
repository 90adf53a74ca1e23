/** Letters that are read from right to left, scripts in use. */
const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const letter = /\p{L}/u;

/** The direction of a text's first letter; undefined where there is none. */
export function directionOf(text: string): 'ltr' | 'rtl' | undefined {
  const first = letter.exec(text)?.[0];
  if (first === undefined) return undefined;
  return rightToLeft.test(first) ? 'rtl' : 'ltr';
}

/**
 * In which order the words of a line stand from left to right, as indices. The Unicode Bidirectional Algorithm (Annex 9)
 * for whole words: runs of one direction are kept together, and words without letters go with the word before them, or
 * with the line.
 */
export function visualOrder(words: readonly string[], line: 'ltr' | 'rtl'): number[] {
  const runs: { readonly direction: 'ltr' | 'rtl'; readonly words: number[] }[] = [];
  words.forEach((word, i) => {
    const run = runs.at(-1);
    const direction = directionOf(word) ?? run?.direction ?? line;
    if (run?.direction === direction) run.words.push(i);
    else runs.push({ direction, words: [i] });
  });
  if (line === 'rtl') runs.reverse();
  return runs.flatMap(run => (run.direction === 'rtl' ? run.words.reverse() : run.words));
}
