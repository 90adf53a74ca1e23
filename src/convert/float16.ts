const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * Rounds float32 numbers to IEEE 754 binary16, to the nearest and, half way, to the even one.
 *
 * @returns The bit patterns; numbers beyond ±65504 become infinite.
 */
export const toFloat16 = (numbers: Float32Array): Uint16Array<ArrayBuffer> => Uint16Array.from(numbers, half);

function half(value: number): number {
  float[0] = value;
  const word = bits[0]!;
  const sign = (word >>> 16) & 0x8000;
  const exponent = ((word >>> 23) & 0xff) - 127;
  const mantissa = word & 0x7fffff;
  if (exponent === 128) return sign | 0x7c00 | (mantissa ? 0x200 : 0);
  if (exponent > 15) return sign | 0x7c00;
  if (exponent >= -14) return sign | roundShift(((exponent + 15) << 23) | mantissa, 13);
  // Subnormal: the leading one becomes visible and moves down with the exponent; far below there is nothing left.
  if (exponent < -25) return sign;
  return sign | roundShift(0x800000 | mantissa, -1 - exponent);
}

/** `word >> places`, rounded half to even; a carry into the exponent is what rounding up means there. */
function roundShift(word: number, places: number): number {
  const shifted = word >>> places;
  const rest = word & ((1 << places) - 1);
  const middle = 1 << (places - 1);
  return rest > middle || (rest === middle && shifted & 1) ? shifted + 1 : shifted;
}
