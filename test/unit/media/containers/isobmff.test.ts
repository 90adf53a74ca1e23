import { expect, test } from 'vitest';
import { bytesOfBlob } from '../../../../src/media/containers/bytes.js';
import { editedSpan, readIsobmff } from '../../../../src/media/containers/isobmff.js';

const u32 = (...values: number[]): number[] =>
  values.flatMap(v => [v >>> 24, (v >> 16) & 255, (v >> 8) & 255, v & 255]);
const text = (type: string): number[] => [...type].map(c => c.charCodeAt(0));
const box = (type: string, ...content: number[][]): number[] => {
  const body = content.flat();
  return [...u32(8 + body.length), ...text(type), ...body];
};

/** An index with one video track: movie clock 1000, media clock 25. */
const moov = ({ entry = 'avc1', edits = [] as number[][], samples = 0, fragmented = false } = {}): number[] =>
  box(
    'moov',
    box('mvhd', u32(0, 0, 0, 1000, 0, 0)),
    box(
      'trak',
      edits.length ? box('edts', box('elst', u32(0, edits.length), ...edits.map(e => u32(...e)))) : [],
      box(
        'mdia',
        box('mdhd', u32(0, 0, 0, 25, 0, 0)),
        box('hdlr', u32(0, 0), text('vide'), u32(0, 0, 0)),
        box(
          'minf',
          box('stbl', box('stsd', u32(0, 1), box(entry, u32(0, 0))), box('stsz', u32(0, 0, samples))),
        ),
      ),
    ),
    fragmented ? box('mvex', u32(0)) : [],
  );
const read = (...boxes: number[][]) => {
  const blob = new Blob([Uint8Array.from(boxes.flat())]);
  return readIsobmff(bytesOfBlob(blob), blob.size);
};

test('an edit list is told in seconds, empty edits included', async () => {
  const edits = [
    [500, -1, 0x10000],
    [2000, 50, 0x10000],
  ];
  expect(await read(box('ftyp'), moov({ edits }))).toEqual({
    tracks: [
      {
        kind: 'vide',
        encrypted: false,
        edits: [{ durationSec: 0.5 }, { durationSec: 2, mediaTimeSec: 2 }],
        timescaleHz: 25,
        listed: false,
      },
    ],
    split: false,
    truncated: false,
  });
});

test('an edit list shows its track after the pause, to the nearest tick, until its end', async () => {
  const spanOf = async (...edits: number[][]) => editedSpan((await read(moov({ edits })))!.tracks[0]!);
  expect(await spanOf()).toBeUndefined();
  expect(await spanOf([500, -1, 0x10000])).toBeUndefined();
  // 0.41 s are 10.25 ticks.
  expect(await spanOf([410, -1, 0x10000], [2000, 50, 0x10000])).toEqual({ startSec: 0.4, endSec: 2.4 });
  expect(await spanOf([0, 50, 0x10000])).toEqual({ startSec: 0, endSec: Number.POSITIVE_INFINITY });
});

test('an encrypted sample entry is seen', async () => {
  expect((await read(moov({ entry: 'encv' })))?.tracks[0]?.encrypted).toBe(true);
});

test('an index that is half in fragments is seen', async () => {
  expect((await read(moov({ samples: 4, fragmented: true }), box('moof')))?.split).toBe(true);
  expect((await read(moov({ fragmented: true }), box('moof')))?.split).toBe(false);
  expect((await read(moov({ samples: 4 })))?.split).toBe(false);
});

test('a box that promises more than there is is seen', async () => {
  expect((await read(moov(), [...u32(1000), ...text('mdat')]))?.truncated).toBe(true);
});

test('what is not MP4 gives nothing', async () => {
  expect(await read(u32(1, 2, 3, 4, 5))).toBeUndefined();
  expect(await read()).toBeUndefined();
});
