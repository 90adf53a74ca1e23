/** What is joined, and until when. */
export type Joining<Item> = {
  /** How likely two items are one, on any scale that rises with it. */
  readonly ratio: (a: Item, b: Item) => number;
  /** What two items are together. */
  readonly join: (a: Item, b: Item) => Item;
  /** Items are one from a greater ratio on. */
  readonly sameFrom: number;
  /** Whether enough is known of an item; the others stay alone. */
  readonly isKnown: (item: Item) => boolean;
};

/**
 * Finds which items are one (agglomerative: the two that are most likely one are joined, again and again, until no two
 * are likely enough).
 *
 * @param apart - For each item the indices of those that cannot be the same, both ways.
 * @returns For each item the number of its cluster: the index of the cluster's first item.
 */
export function agglomerate<Item>(
  items: readonly Item[],
  apart: readonly ReadonlySet<number>[],
  { ratio: ratioOf, join, sameFrom, isKnown }: Joining<Item>,
): Int32Array {
  const cluster = Int32Array.from(items, (_, i) => i);
  const members = items.map((_, i) => [i]);
  const joined = [...items];
  /** For each item the clusters that none of its cluster can be in. */
  const strangers = apart.map(others => new Set(others));
  const open = new Set(items.flatMap((item, i) => (isKnown(item) ? [i] : [])));
  const likelihood = (a: number, b: number) => ratioOf(joined[a]!, joined[b]!);
  const canJoin = (a: number, b: number) => !strangers[a]!.has(b);
  /** For each open item the likeliest other one; where that one has changed since, a ratio that no other one exceeds. */
  const best = new Map<number, { readonly other?: number; readonly ratio: number }>();
  const findBest = (a: number) => {
    best.delete(a);
    for (const b of open) {
      if (b === a) continue;
      const ratio = likelihood(a, b);
      if (ratio > (best.get(a)?.ratio ?? sameFrom) && canJoin(a, b)) best.set(a, { other: b, ratio });
    }
  };
  for (const a of open) findBest(a);
  for (;;) {
    let [one, top] = [-1, sameFrom];
    for (const [from, { ratio }] of best) if (ratio > top) [one, top] = [from, ratio];
    if (one < 0) break;
    const { other } = best.get(one)!;
    if (other === undefined) {
      findBest(one);
      continue;
    }
    const [a, b] = [Math.min(one, other), Math.max(one, other)];
    open.delete(b);
    best.delete(b);
    members[a]!.push(...members[b]!);
    joined[a] = join(joined[a]!, joined[b]!);
    for (const stranger of strangers[b]!) {
      strangers[a]!.add(stranger);
      strangers[stranger]!.delete(b);
      strangers[stranger]!.add(a);
    }
    findBest(a);
    for (const from of open) {
      if (from === a) continue;
      const before = best.get(from);
      const ratio = likelihood(from, a);
      if (ratio > (before?.ratio ?? sameFrom) && canJoin(from, a)) best.set(from, { other: a, ratio });
      // The likeliest fits less since it was joined. Which other one is likelier is looked for when it matters.
      else if (before && (before.other === a || before.other === b)) best.set(from, { ratio: before.ratio });
    }
  }
  for (const a of open) for (const i of members[a]!) cluster[i] = a;
  return cluster;
}
