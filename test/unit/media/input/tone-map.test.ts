import { expect, test } from 'vitest';
import { createToneMap, planesOf } from '../../../../src/media/input/tone-map.js';

const maps = {
  pq: createToneMap({ transfer: 'pq', depth: 10, fullRange: false }),
  hlg: createToneMap({ transfer: 'hlg', depth: 10, fullRange: false }),
};

/** The luma and chroma that a uniform 10-bit picture becomes. */
function mapGrey(transfer: 'pq' | 'hlg', luma: number, chroma: readonly [number, number] = [512, 512]) {
  const source = planesOf(new Uint16Array(6), 2, 2);
  source.y.fill(luma);
  source.u.fill(chroma[0]);
  source.v.fill(chroma[1]);
  const out = planesOf(new Uint8Array(6), 2, 2);
  maps[transfer](source, out);
  return { y: out.y[3]!, u: out.u[0]!, v: out.v[0]! };
}

/** PQ code (10 bit, limited range) of a luminance in nits; ITU-R BT.2100. */
function pqCode(nits: number): number {
  const p = (nits / 10_000) ** 0.1593017578125;
  return Math.round(64 + 876 * ((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p)) ** 78.84375);
}

test('black stays black and grey stays grey', () => {
  for (const transfer of ['pq', 'hlg'] as const) {
    expect(mapGrey(transfer, 64)).toEqual({ y: 16, u: 128, v: 128 });
    const { u, v } = mapGrey(transfer, 600);
    expect([u, v]).toEqual([128, 128]);
  }
});

test('grey follows the hable curve within two levels, 1000 nits are white and nothing is whiter', () => {
  const hable = (x: number) => (x * (x * 0.15 + 0.05) + 0.004) / (x * (x * 0.15 + 0.5) + 0.06) - 0.02 / 0.3;
  for (const nits of [0.1, 1, 10, 50, 100, 203, 500, 1000, 2000, 10_000]) {
    const exact = 16 + 219 * Math.min(1, hable(nits / 100) / hable(10)) ** (1 / 2.4);
    expect(Math.abs(mapGrey('pq', pqCode(nits)).y - exact), `${nits} nits`).toBeLessThanOrEqual(2);
  }
  expect(mapGrey('hlg', 940).y).toBeGreaterThanOrEqual(233);
});

test('brighter is never darker', () => {
  for (const transfer of ['pq', 'hlg'] as const) {
    const ramp = Array.from({ length: 220 }, (_, i) => mapGrey(transfer, 64 + 4 * i).y);
    for (const [i, y] of ramp.entries()) expect(y).toBeGreaterThanOrEqual(ramp[i - 1] ?? 0);
  }
});

test('a saturated colour keeps its hue', () => {
  const red = mapGrey('hlg', 500, [440, 700]);
  expect(red.v).toBeGreaterThan(150);
  expect(red.u).toBeLessThan(128);
});

test('odd sizes have their last column and row', () => {
  const source = planesOf(new Uint16Array(9 + 2 * 4).fill(512), 3, 3);
  const out = planesOf(new Uint8Array(9 + 2 * 4), 3, 3);
  maps.pq(source, out);
  expect(out.y.every(y => y === out.y[0])).toBe(true);
  expect(out.u.every(u => u === out.u[0])).toBe(true);
});
