import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { toEdl, toFcpxml, toOtio } from '../../../src/export/index.js';
import { planOf } from './exported-plan.js';
import { allOf, readXml, type XmlNode } from './read-xml.js';

/** What is looked at of timelines, tracks and clips. */
type Item = {
  readonly OTIO_SCHEMA: string;
  readonly kind: string;
  readonly source_range: Record<'start_time' | 'duration', { readonly value: number }>;
  readonly children: readonly Item[];
};

const source = { url: 'file:///video/talk%20%3C1%3E%20%26%20more.mp4' };
const ntsc = planOf({ frameRateHz: 30000 / 1001 });

const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-export-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('FCPXML keeps the rules of its document type', () => {
  /** What the elements that are written here may hold, in order, and must say; from the DTD of version 1.10. */
  const rules: Record<
    string,
    { readonly holds: RegExp; readonly needs?: readonly string[]; readonly may?: readonly string[] }
  > = {
    fcpxml: { holds: /^resources library $/, needs: ['version'] },
    resources: { holds: /^((asset|effect|format|media) )*$/ },
    format: { holds: /^$/, needs: ['id'], may: ['name', 'frameDuration', 'width', 'height'] },
    asset: {
      holds: /^(media-rep )+(metadata )?$/,
      needs: ['id'],
      may: [
        'name',
        'start',
        'duration',
        'hasVideo',
        'format',
        'hasAudio',
        'videoSources',
        'audioSources',
        'audioChannels',
        'audioRate',
      ],
    },
    'media-rep': { holds: /^$/, needs: ['src'], may: ['kind'] },
    library: { holds: /^(event )*$/ },
    event: { holds: /^(project )*$/, may: ['name'] },
    project: { holds: /^sequence $/, may: ['name'] },
    sequence: {
      holds: /^(note )?spine (metadata )?$/,
      needs: ['format'],
      may: ['duration', 'tcStart', 'tcFormat'],
    },
    spine: { holds: /^((asset-clip|gap) )*$/ },
    'asset-clip': {
      holds:
        /^(note )?(adjust-crop )?(adjust-corners )?(adjust-conform )?(adjust-transform )?(adjust-blend )?(asset-clip )*(marker )*$/,
      needs: ['ref'],
      may: ['lane', 'offset', 'name', 'start', 'duration', 'format', 'srcEnable'],
    },
    note: { holds: /^$/ },
    'adjust-crop': { holds: /^(crop-rect )?(trim-rect )?$/, needs: ['mode'] },
    'trim-rect': { holds: /^(param )*$/, may: ['left', 'top', 'right', 'bottom'] },
    'adjust-conform': { holds: /^$/, may: ['type'] },
    'adjust-transform': { holds: /^(param )*$/, may: ['position', 'scale', 'rotation', 'anchor'] },
    param: { holds: /^(keyframeAnimation )?(param )*$/, needs: ['name'], may: ['key', 'value'] },
    keyframeAnimation: { holds: /^(keyframe )*$/ },
    keyframe: { holds: /^$/, needs: ['time', 'value'], may: ['interp', 'curve'] },
  };
  const all = (node: XmlNode): XmlNode[] => [node, ...node.children.flatMap(all)];
  const text = toFcpxml(ntsc, { ...source, startTimecode: '10:00:00;00' });
  const nodes = all(readXml(text));

  test('of order, of what is needed and of what is known', () => {
    for (const { name, attributes, children } of nodes) {
      const rule = rules[name];
      expect(rule, name).toBeDefined();
      expect(children.map(child => `${child.name} `).join(''), name).toMatch(rule!.holds);
      expect(Object.keys(attributes), name).toEqual(expect.arrayContaining([...(rule!.needs ?? [])]));
      const known = [...(rule!.needs ?? []), ...(rule!.may ?? [])];
      expect(
        Object.keys(attributes).filter(key => !known.includes(key)),
        name,
      ).toEqual([]);
    }
  });

  test('of references, and every time lies on a frame', () => {
    const ids = nodes.flatMap(({ attributes: { id } }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { attributes } of nodes) {
      for (const key of ['ref', 'format']) if (attributes[key]) expect(ids).toContain(attributes[key]);
      for (const key of ['start', 'duration', 'offset', 'time', 'frameDuration', 'tcStart'])
        if (attributes[key]) {
          const [, top, bottom = '1'] = /^(\d+)(?:\/(\d+))?s$/.exec(attributes[key])!;
          const frames = (Number(top) / Number(bottom)) * (30000 / 1001);
          expect(Math.abs(frames - Math.round(frames)), `${key} ${attributes[key]}`).toBeLessThan(1e-6);
        }
    }
  });

  test('clips tile the timeline; further panels lie in lanes above, and are not heard', () => {
    const [spine] = allOf(readXml(text), 'spine');
    const frame = (time: string) => {
      const [top, bottom = '1'] = time.replace('s', '').split('/');
      return Math.round((Number(top) / Number(bottom)) * (30000 / 1001));
    };
    let end = 0;
    for (const { attributes } of spine!.children) {
      expect(frame(attributes.offset!)).toBe(end);
      end += frame(attributes.duration!);
    }
    expect(end).toBe(ntsc.frame_count);
    // The source's own timecode: ten hours of drop frame are 1 078 920 frames.
    expect(frame(spine!.children[0]!.attributes.start!)).toBe(1_078_920);
    const lanes = spine!.children.map(clip => clip.children.filter(({ name }) => name === 'asset-clip'));
    expect(lanes.map(({ length }) => length)).toEqual([0, 0, 0, 1, 1, 0]);
    for (const clip of lanes.flat()) expect(clip.attributes).toMatchObject({ lane: '1', srcEnable: 'video' });
    expect(allOf(readXml(text), 'sequence')[0]!.attributes.tcFormat).toBe('DF');
  });

  test('names and addresses are escaped', () => {
    expect(readXml(text).children[0]!.children[2]!.attributes.name).toBe('talk <1> & more.mp4');
    expect(allOf(readXml(text), 'media-rep')[0]!.attributes.src).toBe(source.url);
  });
});

test('an EDL lists each turn in drop-frame timecode, with what is seen as comments', () => {
  const lines = toEdl(ntsc, { ...source, startTimecode: '01:00:00;00' }).split('\n');
  expect(lines.slice(0, 7)).toEqual([
    'TITLE: talk <1> & more.mp4',
    'FCM: DROP FRAME',
    '',
    '001  AX       V     C        01:00:00;00 01:00:00;25 00:00:00;00 00:00:00;25',
    '* FROM CLIP NAME: talk <1> & more.mp4',
    '* COMMENT: single speaker FACE 0 WINDOW 101 0 203 360',
    '002  AX       V     C        01:00:00;25 01:00:01;25 00:00:00;25 00:00:01;25',
  ]);
  expect(toEdl(planOf(), source)).toMatch(/FCM: NON-DROP FRAME\n\n001 {2}AX {7}V {5}C/);
});

test('frames that come unevenly lie where the timeline shows them', () => {
  // A phone that paused: 0.4 s without a frame in the second scene.
  const timeOf = (frame: number) => frame / 30 + (frame > 40 ? 0.4 : 0);
  const plan = planOf({ frameRateHz: 28.1, timeOf });
  const { tracks } = JSON.parse(toOtio(plan, { ...source, frameRateHz: 30 }));
  const starts = tracks.children[0].children.map((child: Item) => child.source_range.start_time.value);
  expect(starts).toEqual([0, 25, 67, 97, 122, 147]);
});

test('OpenTimelineIO: a track for each panel, gaps where there is none, one for the sound', () => {
  const { tracks } = JSON.parse(toOtio(planOf(), source));
  const shape = tracks.children.map((track: Item) => [
    track.kind,
    track.children.map((child: Item) => child.OTIO_SCHEMA),
  ]);
  expect(shape).toEqual([
    ['Video', Array(6).fill('Clip.1')],
    ['Video', ['Gap.1', 'Clip.1', 'Clip.1', 'Gap.1']],
    ['Audio', ['Clip.1']],
  ]);
  const lengths = tracks.children.map((track: Item) =>
    track.children.reduce((sum: number, child: Item) => sum + child.source_range.duration.value, 0),
  );
  expect(lengths).toEqual([160, 160, 160]);
  expect(JSON.parse(toOtio(planOf(), { ...source, hasSound: false })).tracks.children.length).toBe(2);
});

/** The reference implementation, where a Python that knows it is at hand. */
const reads = (code: string, ...files: string[]) =>
  spawnSync('python3', ['-c', code, ...files], { encoding: 'utf8' });
const hasOtio = reads('import opentimelineio').status === 0;

test.skipIf(!hasOtio)('opentimelineio (Python) reads the timeline, and the same cuts from the EDL', () => {
  const [timeline, list] = ['plan.otio', 'plan.edl'].map(name => join(folder, name)) as [string, string];
  writeFileSync(timeline, toOtio(ntsc, source));
  writeFileSync(list, toEdl(planOf(), source));
  const code = `
import json, sys
import opentimelineio as otio
timeline = otio.adapters.read_from_file(sys.argv[1])
tracks = [[[type(item).__name__, item.source_range.start_time.value, item.duration().value] for item in track] for track in timeline.tracks]
bounds = timeline.tracks[0][1].trimmed_range_in_parent()
edl = otio.adapters.read_from_file(sys.argv[2], rate=25)
cuts = [[clip.source_range.start_time.value, clip.duration().value] for clip in edl.tracks[0]]
print(json.dumps({'tracks': tracks, 'second': [bounds.start_time.value, bounds.duration.value], 'cuts': cuts}))`;
  const { stdout, stderr } = reads(code, timeline, list);
  expect(stderr).toBe('');
  const cuts = [25, 30, 30, 25, 25, 25].map((frames, i, all) => [
    all.slice(0, i).reduce((a, b) => a + b, 0),
    frames,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    tracks: [
      cuts.map(cut => ['Clip', ...cut]),
      [
        ['Gap', 0, 85],
        ['Clip', 85, 25],
        ['Clip', 110, 25],
        ['Gap', 0, 25],
      ],
      [['Clip', 0, 160]],
    ],
    second: [25, 30],
    cuts,
  });
});

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;
/** Apple's file, which is not ours to ship: its path. */
const dtd = process.env.FCPXML_DTD;

test.skipIf(!hasXmllint || !dtd)('xmllint finds FCPXML valid (FCPXML_DTD names the document type)', () => {
  const path = join(folder, 'plan.fcpxml');
  writeFileSync(path, toFcpxml(ntsc, source));
  const { stderr, status } = spawnSync('xmllint', ['--noout', '--dtdvalid', dtd!, path], {
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});
