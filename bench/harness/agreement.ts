/** Two judgements of the same thing. */
export type Pair = { readonly ours: number; readonly theirs: number };

/** Spearman's correlation of the ranks of two judgements, −1…1; equal values share their mean rank. NaN of fewer than two. */
export function rankCorrelation(pairs: readonly Pair[]): number {
  const ours = ranksOf(pairs.map(pair => pair.ours));
  const theirs = ranksOf(pairs.map(pair => pair.theirs));
  const middle = (pairs.length + 1) / 2;
  let [both, one, other] = [0, 0, 0];
  for (const [i, rank] of ours.entries()) {
    const [a, b] = [rank - middle, theirs[i]! - middle];
    both += a * b;
    one += a * a;
    other += b * b;
  }
  return both / Math.sqrt(one * other);
}

/** How often our value is higher where theirs is above 0 than where it is not: the area under the curve. NaN without both. */
export function signArea(pairs: readonly Pair[]): number {
  const ranks = ranksOf(pairs.map(pair => pair.ours));
  const ups = pairs.filter(({ theirs }) => theirs > 0).length;
  const sum = ranks.reduce((total, rank, i) => total + (pairs[i]!.theirs > 0 ? rank : 0), 0);
  return (sum - (ups * (ups + 1)) / 2) / (ups * (pairs.length - ups));
}

/** Ranks from 1 on. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}
