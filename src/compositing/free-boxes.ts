import type { PixelBox, Size } from '../schema/geometry.js';

/** A panel's place, with the radius of its corners. */
export type Place = PixelBox & { readonly cornerRadius: number };

/** What a place covers for certain, in even pixels: of a rounded one the cross without its corners. */
function coverOf(place: Place): PixelBox[] {
  const { x, y, width, height, cornerRadius } = place;
  const cut = 2 * Math.ceil(cornerRadius / 2);
  if (!cut) return [place];
  return [
    { x, y: y + cut, width, height: height - 2 * cut },
    { x: x + cut, y, width: width - 2 * cut, height },
  ].filter(box => box.width > 0 && box.height > 0);
}

/** Boxes of the output that no place covers, side by side in bands; none where the places cover everything. */
export function freeBoxes(places: readonly Place[], { width, height }: Size): PixelBox[] {
  const covers = places.flatMap(coverOf);
  const edges = new Set([0, height, ...covers.flatMap(({ y, height: rows }) => [y, y + rows])]);
  const rows = [...edges].sort((a, b) => a - b);
  return rows.slice(1).flatMap((bottom, i) => {
    const top = rows[i]!;
    const inBand = covers.filter(box => box.y <= top && box.y + box.height >= bottom);
    return freeSpans(inBand, width).map(([from, to]) => ({
      x: from,
      y: top,
      width: to - from,
      height: bottom - top,
    }));
  });
}

/** What boxes leave of a row. */
function freeSpans(boxes: readonly PixelBox[], width: number): [number, number][] {
  const free: [number, number][] = [];
  let end = 0;
  for (const { x, width: columns } of [...boxes].sort((a, b) => a.x - b.x)) {
    if (x > end) free.push([end, x]);
    end = Math.max(end, x + columns);
  }
  if (end < width) free.push([end, width]);
  return free;
}
