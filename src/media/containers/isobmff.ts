import type { Bytes } from './bytes.js';

/** One entry of an edit list, in seconds. `mediaTimeSec` is absent for an empty edit (a pause before the track). */
export type Edit = { readonly durationSec: number; readonly mediaTimeSec?: number };

/** What the demuxer library does not say about a track of an MP4 file. */
export type IsobmffTrack = {
  readonly kind: string;
  readonly encrypted: boolean;
  readonly edits: readonly Edit[];
  /** Ticks per second of the media's clock. */
  readonly timescaleHz: number;
  /** Whether its samples are listed in the index; those of a fragmented file are not. */
  readonly listed: boolean;
};

/** A stretch of the movie's clock in seconds; `endSec` is infinite where the edit list says "to the end". */
export type EditedSpan = { readonly startSec: number; readonly endSec: number };

/** Facts of an MP4 or QuickTime file that decide who may read it. */
export type Isobmff = {
  readonly tracks: readonly IsobmffTrack[];
  /** Samples are listed both in the index and in fragments after it. */
  readonly split: boolean;
  /** The last box promises more bytes than the file has. */
  readonly truncated: boolean;
};

/** An index larger than this is not read: it would not be an index. About 30 hours of video. */
const maxMoovBytes = 1 << 28;

type Box = { readonly type: string; readonly view: DataView };

/**
 * Reads the boxes of an MP4 file that tell of encryption and of edit lists, and nothing else.
 *
 * @param sizeBytes - Size of the file, where it is known.
 * @returns Undefined when the file is not MP4 or has no index.
 * @see ISO/IEC 14496-12, 8.2 (moov), 8.6.6 (elst), 8.12 (sinf).
 */
export async function readIsobmff(bytes: Bytes, sizeBytes?: number): Promise<Isobmff | undefined> {
  let tracks: IsobmffTrack[] | undefined;
  let listed = false;
  let fragments = false;
  for (let position = 0; ; ) {
    const head = await bytes.read(position, position + 16);
    if (head.length < 8) break;
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    const type = nameAt(view, 4);
    if (!/^[\x20-\x7e]{4}$/.test(type)) break;
    let size = view.getUint32(0);
    const headBytes = size === 1 ? 16 : 8;
    if (size === 1 && head.length === 16) size = Number(view.getBigUint64(8));
    // Size 0 means "to the end of the file".
    const end = size === 0 ? (sizeBytes ?? Number.MAX_SAFE_INTEGER) : position + size;
    if (end <= position + headBytes - 1) break;
    if (type === 'moov' && end - position < maxMoovBytes) {
      const body = await bytes.read(position + headBytes, end);
      const moov = new DataView(body.buffer, body.byteOffset, body.length);
      tracks = tracksOf(moov);
      listed = tracks.some(track => track.listed);
      // A remote file is not walked to its end: `mvex` announces the fragments.
      fragments = [...boxesOf(moov)].some(b => b.type === 'mvex') && sizeBytes === undefined;
    }
    fragments ||= type === 'moof';
    if (sizeBytes !== undefined && end > sizeBytes)
      return tracks && { tracks, split: listed && fragments, truncated: true };
    if (tracks && sizeBytes === undefined) break;
    position = end;
  }
  return tracks && { tracks, split: listed && fragments, truncated: false };
}

/**
 * When a track is shown or heard, by its edit list: after the empty edits and until the last edit ends. Durations are
 * rounded to the track's own ticks, as demuxers do.
 *
 * @returns Undefined for a track without an edit list, or with one that shows nothing.
 */
export function editedSpan({ edits, timescaleHz }: IsobmffTrack): EditedSpan | undefined {
  const isMedia = (edit: Edit) => edit.mediaTimeSec !== undefined;
  const last = edits.findLastIndex(isMedia);
  if (last < 0) return undefined;
  const endOf = (count: number) =>
    edits.slice(0, count).reduce((ticks, e) => ticks + Math.round(e.durationSec * timescaleHz), 0) /
    timescaleHz;
  return {
    startSec: endOf(edits.findIndex(isMedia)),
    // Duration 0 stands for "to the end".
    endSec: edits[last]!.durationSec === 0 ? Number.POSITIVE_INFINITY : endOf(last + 1),
  };
}

function tracksOf(moov: DataView): IsobmffTrack[] {
  const boxes = [...boxesOf(moov)];
  const movieScale = timescaleOf(boxes.find(b => b.type === 'mvhd')?.view);
  return boxes.filter(b => b.type === 'trak').map(b => trackOf(b.view, movieScale));
}

function trackOf(trak: DataView, movieScale: number): IsobmffTrack {
  const handler = boxAt(trak, 'mdia', 'hdlr');
  const stsd = boxAt(trak, 'mdia', 'minf', 'stbl', 'stsd');
  const entries = stsd && stsd.byteLength > 8 ? [...boxesOf(sub(stsd, 8))] : [];
  const elst = boxAt(trak, 'edts', 'elst');
  const stsz = boxAt(trak, 'mdia', 'minf', 'stbl', 'stsz');
  const timescaleHz = timescaleOf(boxAt(trak, 'mdia', 'mdhd'));
  return {
    kind: handler && handler.byteLength >= 12 ? nameAt(handler, 8) : '',
    encrypted: entries.some(b => b.type === 'encv' || b.type === 'enca'),
    edits: elst ? editsOf(elst, movieScale, timescaleHz) : [],
    timescaleHz,
    listed: stsz !== undefined && stsz.byteLength >= 12 && stsz.getUint32(8) > 0,
  };
}

/** The box at the end of a path of types. */
const boxAt = (view: DataView, ...path: readonly string[]): DataView | undefined =>
  path.reduce<DataView | undefined>(
    (inside, type) => inside && [...boxesOf(inside)].find(b => b.type === type)?.view,
    view,
  );

function editsOf(elst: DataView, movieScale: number, mediaScale: number): Edit[] {
  const wide = elst.getUint8(0) === 1;
  const entryBytes = wide ? 20 : 12;
  const count = Math.min(elst.getUint32(4), Math.floor((elst.byteLength - 8) / entryBytes));
  return Array.from({ length: count }, (_, i) => {
    const at = 8 + i * entryBytes;
    const duration = wide ? Number(elst.getBigUint64(at)) : elst.getUint32(at);
    const mediaTime = wide ? Number(elst.getBigInt64(at + 8)) : elst.getInt32(at + 4);
    return {
      durationSec: duration / movieScale,
      ...(mediaTime >= 0 && { mediaTimeSec: mediaTime / mediaScale }),
    };
  });
}

/** `mvhd` and `mdhd` keep their timescale at the same place, which depends on the version. */
const timescaleOf = (header: DataView | undefined): number =>
  (header && header.byteLength >= 24 && header.getUint32(header.getUint8(0) === 1 ? 20 : 12)) || 1;

/** The boxes inside `view`; a box that claims more than there is ends the walk. */
function* boxesOf(view: DataView): Generator<Box> {
  for (let position = 0; position + 8 <= view.byteLength; ) {
    let size = view.getUint32(position);
    let head = 8;
    if (size === 1 && position + 16 <= view.byteLength) {
      size = Number(view.getBigUint64(position + 8));
      head = 16;
    } else if (size === 0) size = view.byteLength - position;
    if (size < head || position + size > view.byteLength) return;
    yield { type: nameAt(view, position + 4), view: sub(view, position + head, size - head) };
    position += size;
  }
}

const sub = (view: DataView, offset: number, length = view.byteLength - offset): DataView =>
  new DataView(view.buffer, view.byteOffset + offset, length);

const nameAt = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map(i => view.getUint8(offset + i)));
