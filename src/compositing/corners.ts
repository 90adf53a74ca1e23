import type { Brush, Canvas } from './brush.js';
import type { Place } from './free-boxes.js';

/** How much of a pixel lies inside a rounded corner, 0–1, smooth over one pixel; `x`, `y` count from the corner. */
export function cornerShare(x: number, y: number, radius: number): number {
  const [across, down] = [radius - x - 0.5, radius - y - 0.5];
  if (across <= 0 || down <= 0) return 1;
  return Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(across, down)));
}

/** A brush that leaves what was there before behind the rounded corners of its place. */
export function roundCorners(brush: Brush, place: Place): Brush {
  const { cornerRadius } = place;
  if (!cornerRadius) return brush;
  const side = 2 * Math.ceil(cornerRadius / 2);
  const outside = sharesOutside(side, cornerRadius);
  const chromaOutside = halved(outside, side);
  const corners = [false, true].flatMap(right =>
    [false, true].map(bottom => ({
      ...{ right, bottom },
      x: right ? place.x + place.width - side : place.x,
      y: bottom ? place.y + place.height - side : place.y,
    })),
  );
  return (canvas, picture) => {
    const before = corners.map(({ x, y }) => copyCorner(canvas, x, y, side));
    brush(canvas, picture);
    corners.forEach((corner, i) => {
      planesOf(canvas).forEach(({ data, stride, step }, plane) => {
        const shares = plane ? chromaOutside : outside;
        const length = side / step;
        const at = (corner.y / step) * stride + corner.x / step;
        for (let y = 0, k = 0; y < length; y++)
          for (let x = 0; x < length; x++, k++) {
            const row = corner.bottom ? length - 1 - y : y;
            const share = shares[row * length + (corner.right ? length - 1 - x : x)]!;
            const to = at + y * stride + x;
            // Places may overlap by a corner when they are small: what is kept is what the brush found there.
            data[to]! += (before[i]![plane]![k]! - data[to]!) * share;
          }
      });
    });
  };
}

/** What of each pixel of the top left corner lies outside of the rounding. */
function sharesOutside(side: number, radius: number): Float32Array {
  const shares = new Float32Array(side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) shares[y * side + x] = 1 - cornerShare(x, y, radius);
  return shares;
}

/** Means over blocks of two by two: a chroma sample's share. */
function halved(shares: Float32Array, side: number): Float32Array {
  const half = side / 2;
  return Float32Array.from({ length: half * half }, (_, i) => {
    const first = 2 * Math.floor(i / half) * side + 2 * (i % half);
    return (shares[first]! + shares[first + 1]! + shares[first + side]! + shares[first + side + 1]!) / 4;
  });
}

function planesOf({ data, size }: Canvas) {
  const area = size.width * size.height;
  const chroma = (from: number) => ({
    data: data.subarray(from, from + area / 4),
    stride: size.width / 2,
    step: 2,
  });
  return [
    { data: data.subarray(0, area), stride: size.width, step: 1 },
    chroma(area),
    chroma(area + area / 4),
  ];
}

const copyCorner = (canvas: Canvas, x: number, y: number, side: number): Uint8ClampedArray[] =>
  planesOf(canvas).map(({ data, stride, step }) => {
    const length = side / step;
    const copy = new Uint8ClampedArray(length * length);
    for (let row = 0; row < length; row++) {
      const from = (y / step + row) * stride + x / step;
      copy.set(data.subarray(from, from + length), row * length);
    }
    return copy;
  });
