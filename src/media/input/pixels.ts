import { createToneMap, type Planes, planesOf, type ToneMap } from './tone-map.js';

/** Turns decoded frames into what media hands out: 8-bit SDR that samplers and compositors can read. */
export type FrameFinisher = (frame: VideoFrame, stamp: Stamp) => Promise<VideoFrame>;

/** Time on the media's own clock, which the handed-out frame carries. */
export type Stamp = { readonly timestamp: number; readonly duration: number };

/** What every HDR frame becomes. */
const bt709: VideoColorSpaceInit = {
  primaries: 'bt709',
  transfer: 'bt709',
  matrix: 'bt709',
  fullRange: false,
};

/** Turns raw planes into handed-out frames. */
export type PlaneFinisher = (planes: Planes<Uint8Array | Uint16Array>, stamp: Stamp) => VideoFrame;

/**
 * @param dynamicRange - Of the source; `pq` and `hlg` planes are tone-mapped.
 * @param pixels.depth - Bits per sample; deeper SDR planes are rounded to eight.
 */
export function createPlaneFinisher(
  dynamicRange: 'sdr' | 'pq' | 'hlg',
  { depth, colorSpace }: { readonly depth: number; readonly colorSpace: VideoColorSpaceInit },
): PlaneFinisher {
  if (dynamicRange === 'sdr')
    return (planes, stamp) => planesToFrame(to8Bit(planes, depth), { ...stamp, colorSpace });
  const toneMap = createToneMap({ transfer: dynamicRange, depth, fullRange: colorSpace.fullRange ?? false });
  return (planes, stamp) => planesToFrame(toneMapped(planes, toneMap), stamp);
}

/**
 * @param dynamicRange - Of the source; `pq` and `hlg` frames are tone-mapped.
 * @returns A function that takes ownership of a decoded frame and gives a stamped one: unchanged where it is 8-bit
 *   4:2:0 or opaque SDR, else converted to I420. An opaque HDR frame cannot be read as planes: the browser's own
 *   conversion to sRGB stands in.
 */
export function createFrameFinisher(dynamicRange: 'sdr' | 'pq' | 'hlg'): FrameFinisher {
  // One table serves all frames; the first frame says which.
  let finishPlanes: PlaneFinisher | undefined;
  return async (frame, stamp) => {
    try {
      const layout = planarLayout(frame.format);
      if (dynamicRange === 'sdr' && (!layout || frame.format === 'I420')) return new VideoFrame(frame, stamp);
      if (!layout) return await viaRgba(frame, stamp);
      finishPlanes ??= createPlaneFinisher(dynamicRange, {
        depth: layout.depth,
        colorSpace: frame.colorSpace.toJSON(),
      });
      return finishPlanes(await readPlanes(frame, layout), stamp);
    } finally {
      frame.close();
    }
  };
}

/** Allocates 8-bit planes and fills them by a tone map. */
function toneMapped(source: Planes<Uint8Array | Uint16Array>, toneMap: ToneMap): Planes<Uint8Array> {
  const out = emptyPlanes(source.width, source.height);
  toneMap(source, out);
  return out;
}

/** Rounds samples of any depth to 8 bits. */
function to8Bit(source: Planes<Uint8Array | Uint16Array>, depth: number): Planes<Uint8Array> {
  if (source.y instanceof Uint8Array) return source as Planes<Uint8Array>;
  const shift = depth - 8;
  const half = shift > 0 ? 1 << (shift - 1) : 0;
  const convert = (plane: Uint8Array | Uint16Array) => {
    const out = new Uint8Array(plane.length);
    for (let i = 0; i < out.length; i++) out[i] = Math.min(255, (plane[i]! + half) >> shift);
    return out;
  };
  return { ...source, y: convert(source.y), u: convert(source.u), v: convert(source.v) };
}

/** An I420 frame of packed planes; BT.709 limited range unless said otherwise. */
function planesToFrame(
  planes: Planes<Uint8Array>,
  init: Stamp & { readonly colorSpace?: VideoColorSpaceInit },
): VideoFrame {
  const { width, height, y, u, v } = planes;
  const data = new Uint8Array(y.length + u.length + v.length);
  data.set(y);
  data.set(u, y.length);
  data.set(v, y.length + u.length);
  return new VideoFrame(
    data,
    withTransfer(data, {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      timestamp: init.timestamp,
      duration: init.duration,
      colorSpace: init.colorSpace ?? bt709,
    }),
  );
}

const emptyPlanes = (width: number, height: number): Planes<Uint8Array> =>
  planesOf(new Uint8Array(width * height + 2 * ((width + 1) >> 1) * ((height + 1) >> 1)), width, height);

type PlanarLayout = { readonly depth: number; readonly chromaX: 1 | 2; readonly chromaY: 1 | 2 };

/** Three-plane formats by their WebCodecs names; NV12, RGB and opaque frames have none. */
function planarLayout(format: string | null): PlanarLayout | undefined {
  const match = /^I(420|422|444)A?(?:P(10|12))?$/.exec(format ?? '');
  if (!match) return undefined;
  return {
    depth: Number(match[2] ?? 8),
    chromaX: match[1] === '444' ? 1 : 2,
    chromaY: match[1] === '420' ? 2 : 1,
  };
}

async function readPlanes(
  frame: VideoFrame,
  layout: PlanarLayout,
): Promise<Planes<Uint8Array | Uint16Array>> {
  const { width, height } = frame.visibleRect!;
  const buffer = new Uint8Array(frame.allocationSize());
  const places = await frame.copyTo(buffer);
  const wide = layout.depth > 8;
  const chromaWidth = (width + 1) >> 1;
  const chromaHeight = (height + 1) >> 1;
  const read = (plane: number, w: number, h: number, stepX: number, stepY: number, sourceWidth: number) => {
    const { offset, stride } = places[plane]!;
    const samples = wide ? new Uint16Array(buffer.buffer, 0, buffer.length >> 1) : buffer;
    const [base, line] = wide ? [offset >> 1, stride >> 1] : [offset, stride];
    const out = wide ? new Uint16Array(w * h) : new Uint8Array(w * h);
    if (stepX === 1 && stepY === 1) {
      for (let y = 0; y < h; y++) out.set(samples.subarray(base + y * line, base + y * line + w), y * w);
      return out;
    }
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const at = base + y * stepY * line;
        const right = Math.min(x * stepX + stepX - 1, sourceWidth - 1);
        // Chroma that is finer than 4:2:0 is averaged across, and the upper of two lines stands for both.
        out[y * w + x] = (samples[at + x * stepX]! + samples[at + right]! + 1) >> 1;
      }
    return out;
  };
  const stepX = 2 / layout.chromaX;
  const stepY = 2 / layout.chromaY;
  const sourceChroma = layout.chromaX === 1 ? width : chromaWidth;
  return {
    width,
    height,
    y: read(0, width, height, 1, 1, width),
    u: read(1, chromaWidth, chromaHeight, stepX, stepY, sourceChroma),
    v: read(2, chromaWidth, chromaHeight, stepX, stepY, sourceChroma),
  } as Planes<Uint8Array | Uint16Array>;
}

async function viaRgba(frame: VideoFrame, stamp: Stamp): Promise<VideoFrame> {
  const { width, height } = frame.visibleRect!;
  const data = new Uint8Array(width * height * 4);
  await frame.copyTo(data, { format: 'RGBA', colorSpace: 'srgb' });
  return new VideoFrame(
    data,
    withTransfer(data, { ...stamp, format: 'RGBA', codedWidth: width, codedHeight: height }),
  );
}

/** Lets the frame take the buffer over instead of copying it; the DOM types do not know this member yet. */
const withTransfer = (data: Uint8Array<ArrayBuffer>, init: VideoFrameBufferInit): VideoFrameBufferInit =>
  ({ ...init, transfer: [data.buffer] }) as VideoFrameBufferInit;
