type Path = readonly (string | number)[];

/** Part of a JSON value: what stands at a path in it, or further entries of the array there. */
export type Piece = { readonly path: Path } & (
  | { readonly value: unknown }
  | { readonly items: readonly unknown[] }
);

/**
 * A JSON value in pieces that are small enough to be sent one by one: a structured clone of all of it would hold its
 * thread up for as long as it takes. Nothing is looked at before its turn.
 *
 * @param most - How many values a piece may hold, objects and arrays counted too.
 */
export function* piecesOf(value: unknown, most: number, path: Path = []): Generator<Piece> {
  if (weigh(value, most) < most) return yield { path, value };
  if (!Array.isArray(value)) {
    yield { path, value: {} };
    for (const [key, child] of Object.entries(value as object)) yield* piecesOf(child, most, [...path, key]);
    return;
  }
  yield { path, value: [] };
  let items: unknown[] = [];
  let weight = 0;
  for (const [i, item] of value.entries()) {
    const own = weigh(item, most);
    if (items.length && weight + own > most) {
      yield { path, items };
      [items, weight] = [[], 0];
    }
    if (own >= most) yield* piecesOf(item, most, [...path, i]);
    else {
      items.push(item);
      weight += own;
    }
  }
  if (items.length) yield { path, items };
}

/** Puts pieces together again, in the order in which they were made. */
export function createAssembly() {
  const whole: { value?: unknown } = {};
  return {
    /** What there is by now. */
    get value() {
      return whole.value;
    },
    add(piece: Piece): void {
      // biome-ignore lint/suspicious/noExplicitAny: any JSON value
      let parent: any = whole;
      let key: string | number = 'value';
      for (const step of piece.path) {
        parent = parent[key];
        key = step;
      }
      if ('items' in piece) for (const item of piece.items) parent[key].push(item);
      else parent[key] = piece.value;
    },
  };
}

/** How many values there are in one, counted no further than to `most`. */
function weigh(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const child of Array.isArray(value) ? value : Object.values(value)) {
    if (sum >= most) break;
    sum += weigh(child, most - sum);
  }
  return sum;
}
