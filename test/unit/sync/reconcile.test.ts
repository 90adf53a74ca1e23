import { expect, test } from 'vitest';
import { isPublic, isSameSource, type KeptResult, reconcile } from '../../../src/sync/index.js';

const source = { url: 'https://media.test/a.mp4', etag: '"1"', durationSec: 10 };
const complete = { scene_detection: {}, face_tracking_yolov8: {}, active_speaker: {} } as KeptResult['parts'];
const result = (changes: Partial<KeptResult>): KeptResult => ({
  source,
  resultSource: 'local',
  parts: complete,
  finishedMs: 0,
  overrides: [],
  ...changes,
});
const override = (startSec: number, faceId: number) => ({ startSec, endSec: startSec + 1, faceId });

test('the newest complete result is taken whole', () => {
  const { scene_detection } = complete;
  const older = result({ finishedMs: 1, resultSource: 'remote' });
  const newest = result({ finishedMs: 3, parts: { scene_detection: scene_detection! } });
  const newer = result({ finishedMs: 2 });
  const merged = reconcile([older, newest, newer]);
  expect(merged).toMatchObject({ finishedMs: 2, resultSource: 'local' });
  expect(merged.parts).toBe(newer.parts);
  expect(reconcile([newest, result({ finishedMs: 2, parts: {} })]).finishedMs).toBe(3);
});

test('overrides survive from all results, once each, the latest last', () => {
  const first = result({ finishedMs: 1, overrides: [override(1, 0), override(2, 0)] });
  const second = result({
    finishedMs: 2,
    overrides: [override(2, 0), override(3, 1)],
    resultSource: 'remote',
  });
  const expected = [override(1, 0), override(2, 0), override(3, 1)];
  expect(reconcile([first, second]).overrides).toEqual(expected);
  expect(reconcile([second, first]).overrides).toEqual(expected);
});

test('a source is told by its bytes, else by address, version and length within a frame', () => {
  expect(isSameSource({ contentHash: 'a' }, { contentHash: 'a', durationSec: 3 })).toBe(true);
  expect(isSameSource({ ...source, contentHash: 'a' }, { ...source, contentHash: 'b' })).toBe(false);
  expect(isSameSource(source, { ...source, durationSec: 10.03 })).toBe(true);
  expect(isSameSource(source, { ...source, durationSec: 10.1 })).toBe(false);
  expect(isSameSource(source, { ...source, etag: '"2"' })).toBe(false);
  const { etag: _untold, ...remote } = source;
  expect(isSameSource(source, remote)).toBe(true);
  expect(isSameSource({}, {})).toBe(false);
  expect(() => reconcile([result({}), result({ source: { contentHash: 'x' } })])).toThrow(RangeError);
  expect(() => reconcile([])).toThrow(RangeError);
});

test.each([
  ['https://media.test/a.mp4', true],
  ['http://93.184.216.34/a.mp4', true],
  ['http://localhost:8080/a.mp4', false],
  ['http://192.168.1.5/a.mp4', false],
  ['http://[::1]/a.mp4', false],
  ['blob:https://app.test/1', false],
  ['local-file:abc', false],
  ['data:video/mp4,x', false],
  ['no address', false],
])('%s is public: %s', (url, expected) => {
  expect(isPublic(url)).toBe(expected);
});
