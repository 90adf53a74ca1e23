import type { Session, SessionInput } from '../../inference/session.js';

/**
 * How far two devices may be apart, as a share of the largest output. Right ones differ by 1e-5; the wrong one
 * that was seen (a recurrent network on a GPU) by more than its whole range.
 */
const tolerance = 0.01;

/** Whether two sessions of one network give the same answer to the same input. */
export async function agrees(
  a: Session,
  b: Session,
  feeds: Readonly<Record<string, SessionInput>>,
): Promise<boolean> {
  const [ours, reference] = [await a.run(feeds), await b.run(feeds)];
  return Object.entries(reference).every(([name, { data }]) => {
    const other = ours[name]?.data;
    if (other?.length !== data.length) return false;
    let largest = 0;
    let apart = 0;
    for (let i = 0; i < data.length; i++) {
      largest = Math.max(largest, Math.abs(data[i]!));
      apart = Math.max(apart, Math.abs(data[i]! - other[i]!));
    }
    return apart <= tolerance * Math.max(largest, 1e-6);
  });
}

/** A fixed input that looks like a picture with structure: the same on every device. */
export function canaryInput(dims: readonly number[], scale: number): SessionInput {
  const data = new Float32Array(dims.reduce((product, dim) => product * dim, 1));
  for (let i = 0; i < data.length; i++)
    data[i] = scale * (0.5 + 0.5 * Math.sin(i * 0.37) * Math.cos(i * 0.011));
  return { kind: 'cpu', dims, data };
}
