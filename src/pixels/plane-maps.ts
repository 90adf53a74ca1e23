import type { Planes } from './planes.js';
import { tapsOnAxis } from './planes.js';
import type { Taps } from './taps.js';

/** The maps for one plane. */
export type PlaneMaps = { readonly across: Taps; readonly down: Taps };

/**
 * One pair of maps for the first plane and one for both chroma planes, from maps over picture pixels.
 *
 * @param luma - Maps over the upright picture's pixels, for the first plane.
 * @param chroma - Maps for the two chroma planes, where these are wanted smaller; default `luma`.
 */
export function mapsFor(
  planes: Pick<Planes, 'planes' | 'size'>,
  luma: PlaneMaps,
  chroma = luma,
): [PlaneMaps, PlaneMaps] {
  const { width, height } = planes.size;
  const { x, y } = planes.planes[1];
  return [luma, { across: tapsOnAxis(chroma.across, x, width), down: tapsOnAxis(chroma.down, y, height) }];
}

/** Names everything that {@link mapsFor} takes from the planes: a key for caches. */
export function shapeOf({ planes, size, display }: Omit<Planes, 'colour'>): string {
  const { x, y } = planes[1];
  return [
    size.width,
    size.height,
    display.width,
    display.height,
    x.subsampling,
    x.phase,
    x.length,
    y.subsampling,
    y.phase,
    y.length,
  ].join();
}

/**
 * Results kept by key; the oldest goes when the cache is full, so that a moving camera does not fill the
 * memory.
 */
export function createCache<T>(capacity: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    let value = kept.get(key);
    if (value === undefined) {
      value = make();
      if (kept.size >= capacity) kept.delete(kept.keys().next().value!);
      kept.set(key, value);
    }
    return value;
  };
}
