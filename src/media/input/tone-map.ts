/** Planar 4:2:0 pixels, tightly packed; chroma planes are half as wide and high, rounded up. */
export type Planes<T extends Uint8Array | Uint16Array> = {
  readonly width: number;
  readonly height: number;
  readonly y: T;
  readonly u: T;
  readonly v: T;
};

/** Views of the planes in one packed buffer of 4:2:0 samples. */
export function planesOf<T extends Uint8Array | Uint16Array>(
  data: T,
  width: number,
  height: number,
): Planes<T> {
  const luma = width * height;
  const chroma = ((width + 1) >> 1) * ((height + 1) >> 1);
  return {
    width,
    height,
    y: data.subarray(0, luma) as T,
    u: data.subarray(luma, luma + chroma) as T,
    v: data.subarray(luma + chroma, luma + 2 * chroma) as T,
  };
}

/** How the samples of an HDR picture are to be understood. */
export type HdrEncoding = {
  readonly transfer: 'pq' | 'hlg';
  /** Bits per sample. */
  readonly depth: number;
  readonly fullRange: boolean;
};

/** Tuned numbers of {@link createToneMap}. */
export type ToneMapOptions = {
  /** Luminance that becomes 1 before the curve, in nits: ITU-R BT.2408 calls 203, ffmpeg's usual recipe 100. */
  readonly whiteNits: number;
  /** Luminance that becomes white, in multiples of `whiteNits`; what ffmpeg assumes for linear light without metadata. */
  readonly peakRatio: number;
  /** Nodes of the table along luma and along each chroma axis. 65 × 33 × 33 stays within two levels of exact arithmetic on grey. */
  readonly lumaNodes: number;
  readonly chromaNodes: number;
};

export const defaultToneMapOptions: ToneMapOptions = {
  whiteNits: 100,
  peakRatio: 10,
  lumaNodes: 65,
  chromaNodes: 33,
};

/** Maps BT.2020 HDR pixels to BT.709 SDR, 8 bit, limited range. */
export type ToneMap = (source: Planes<Uint8Array | Uint16Array>, out: Planes<Uint8Array>) => void;

/**
 * Tone mapping as ffmpeg's `zscale=t=linear:npl=100,zscale=p=bt709,tonemap=hable:desat=0,zscale=t=bt709:m=bt709:r=tv`.
 * The whole chain is a function of one pixel, so it is tabulated once over luma and chroma and interpolated:
 * one table serves every frame, and both readers give the same picture.
 *
 * @see Hable, "Uncharted 2: HDR Lighting" (GDC 2010), for the curve; ITU-R BT.2100 for PQ and HLG.
 */
export function createToneMap(
  encoding: HdrEncoding,
  options: ToneMapOptions = defaultToneMapOptions,
): ToneMap {
  const table = buildTable(encoding, options);
  const { lumaNodes, chromaNodes } = options;
  const top = 2 ** encoding.depth - 1;
  const lumaStep = (lumaNodes - 1) / top;
  const chromaStep = (chromaNodes - 1) / top;
  const plane = chromaNodes * chromaNodes * 3;
  return (source, out) => {
    const { width, height } = source;
    for (let block = 0, row = 0; row < height; row += 2)
      for (let x = 0; x < width; x += 2, block++) {
        // The four table columns around this block's chroma, and their weights, serve all its luma samples.
        const fu = source.u[block]! * chromaStep;
        const fv = source.v[block]! * chromaStep;
        const iu = Math.min(fu | 0, chromaNodes - 2);
        const iv = Math.min(fv | 0, chromaNodes - 2);
        const w11 = (fu - iu) * (fv - iv);
        const w10 = fu - iu - w11;
        const w01 = fv - iv - w11;
        const w00 = 1 - w10 - w01 - w11;
        const column = (iu * chromaNodes + iv) * 3;
        // Neighbouring samples mostly lie between the same two nodes: those are interpolated once.
        let node = -1;
        let low = 0;
        let slope = 0;
        const right = x + 1 < width ? 2 : 1;
        const below = row + 1 < height ? 2 : 1;
        let lumaSum = 0;
        for (let dy = 0; dy < below; dy++)
          for (let dx = 0; dx < right; dx++) {
            const at = (row + dy) * width + x + dx;
            const luma = source.y[at]! * lumaStep;
            const wanted = Math.min(luma | 0, lumaNodes - 2);
            if (wanted !== node) {
              node = wanted;
              const base = node * plane + column;
              low = blend(table, base, chromaNodes, w00, w01, w10, w11);
              slope = blend(table, base + plane, chromaNodes, w00, w01, w10, w11) - low;
            }
            out.y[at] = low + slope * (luma - node) + 0.5;
            lumaSum += luma;
          }
        const luma = lumaSum / (right * below);
        node = Math.min(luma | 0, lumaNodes - 2);
        const base = node * plane + column;
        const part = luma - node;
        const u = blend(table, base + 1, chromaNodes, w00, w01, w10, w11);
        const v = blend(table, base + 2, chromaNodes, w00, w01, w10, w11);
        out.u[block] = u + (blend(table, base + plane + 1, chromaNodes, w00, w01, w10, w11) - u) * part + 0.5;
        out.v[block] = v + (blend(table, base + plane + 2, chromaNodes, w00, w01, w10, w11) - v) * part + 0.5;
      }
  };
}

/** Bilinear in chroma between four columns; scalars instead of an object because this runs for every pixel. */
function blend(
  table: Float32Array,
  at: number,
  chromaNodes: number,
  w00: number,
  w01: number,
  w10: number,
  w11: number,
): number {
  const below = at + chromaNodes * 3;
  return w00 * table[at]! + w01 * table[at + 3]! + w10 * table[below]! + w11 * table[below + 3]!;
}

/** The chain at every node: `[luma][cb][cr][3]`, 8-bit codes as floats. */
function buildTable({ transfer, depth, fullRange }: HdrEncoding, options: ToneMapOptions): Float32Array {
  const { lumaNodes, chromaNodes, whiteNits, peakRatio } = options;
  const table = new Float32Array(lumaNodes * chromaNodes * chromaNodes * 3);
  const unit = 2 ** (depth - 8);
  const top = 2 ** depth - 1;
  const black = fullRange ? 0 : 16 * unit;
  const lumaSpan = fullRange ? top : 219 * unit;
  const chromaSpan = fullRange ? top : 224 * unit;
  const white = hable(peakRatio);
  let at = 0;
  for (let i = 0; i < lumaNodes; i++)
    for (let j = 0; j < chromaNodes; j++)
      for (let k = 0; k < chromaNodes; k++) {
        const y = ((i * top) / (lumaNodes - 1) - black) / lumaSpan;
        const cb = ((j * top) / (chromaNodes - 1) - 128 * unit) / chromaSpan;
        const cr = ((k * top) / (chromaNodes - 1) - 128 * unit) / chromaSpan;
        // BT.2020 non-constant luminance.
        const light = linear(
          transfer,
          [y + 1.4746 * cr, y - 0.16455 * cb - 0.57135 * cr, y + 1.8814 * cb],
          whiteNits,
        );
        const [r, g, b] = toBt709(light);
        const signal = Math.max(r, g, b, 1e-6);
        const gain = hable(signal) / white / signal;
        const [R, G, B] = [r, g, b].map(c => Math.min(1, Math.max(0, c * gain)) ** (1 / 2.4)) as [
          number,
          number,
          number,
        ];
        const Y = 0.2126 * R + 0.7152 * G + 0.0722 * B;
        table[at++] = 16 + 219 * Y;
        table[at++] = 128 + (224 * (B - Y)) / 1.8556;
        table[at++] = 128 + (224 * (R - Y)) / 1.5748;
      }
  return table;
}

type Rgb = readonly [r: number, g: number, b: number];

/** Non-linear RGB to displayed light, 1 at `whiteNits`. */
function linear(transfer: 'pq' | 'hlg', rgb: Rgb, whiteNits: number): Rgb {
  if (transfer === 'pq') return rgb.map(c => (pqEotf(c) * 10_000) / whiteNits) as unknown as Rgb;
  const scene = rgb.map(hlgInverseOetf) as unknown as Rgb;
  // The system gamma of a 1000-nit display acts on luminance, so that colours keep their hue.
  const luminance = 0.2627 * scene[0] + 0.678 * scene[1] + 0.0593 * scene[2];
  const gain = (Math.max(luminance, 1e-6) ** 0.2 * 1000) / whiteNits;
  return [scene[0] * gain, scene[1] * gain, scene[2] * gain];
}

function pqEotf(code: number): number {
  const p = Math.max(0, Math.min(1, code)) ** (1 / 78.84375);
  return (Math.max(p - 0.8359375, 0) / (18.8515625 - 18.6875 * p)) ** (1 / 0.1593017578125);
}

function hlgInverseOetf(code: number): number {
  const c = Math.max(0, Math.min(1, code));
  return c <= 0.5 ? (c * c) / 3 : (Math.exp((c - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

/** Linear BT.2020 to linear BT.709 primaries (ITU-R BT.2087). */
const toBt709 = ([r, g, b]: Rgb): Rgb => [
  1.660491 * r - 0.587641 * g - 0.07285 * b,
  -0.12455 * r + 1.1329 * g - 0.008349 * b,
  -0.018151 * r - 0.100579 * g + 1.11873 * b,
];

const hable = (x: number): number =>
  (x * (x * 0.15 + 0.05) + 0.004) / (x * (x * 0.15 + 0.5) + 0.06) - 0.02 / 0.3;
