/** Numbers in [0, 1), the same for the same seed. */
export type Random = () => number;

/** Random numbers of a fixed seed, by the generator known as mulberry32: each draw mixes a counter's bits. */
export function mulberry32(seed: number): Random {
  let counter = seed >>> 0;
  return () => {
    counter = (counter + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(counter ^ (counter >>> 15), counter | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
