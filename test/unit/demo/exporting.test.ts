import { describe, expect, test } from 'vitest';
import { estimateExport, orderOf, outputOf } from '../../../demo/exporting.js';
import { type ExportSettings, firstEdit, type Source, type State } from '../../../demo/state.js';

const settings: ExportSettings = { shortSide: 540, quality: 'good', target: 'browser', captions: false };
const stateOf = (exportSettings: ExportSettings) =>
  ({ exportSettings, edit: { ...firstEdit, aspect: '1:1' }, analysis: {} }) as unknown as State;
const source = {
  facts: {
    durationSec: 10,
    frameRateHz: 25,
    totalFrames: 250,
    display: { width: 640, height: 360 },
    audio: { codec: 'aac' },
  },
} as unknown as Source;

describe('an export', () => {
  test('has the shape that is shown, until shapes are ticked by hand', () => {
    expect(orderOf(stateOf(settings)).aspects).toEqual(['1:1']);
    expect(orderOf(stateOf({ ...settings, aspects: ['9:16', '4:5'] })).aspects).toEqual(['9:16', '4:5']);
  });

  test('has even sides', () => {
    expect(outputOf('9:16', 540)).toEqual({ width: 540, height: 960 });
    expect(outputOf('4:5', 540)).toEqual({ width: 540, height: 676 });
    expect(outputOf('16:9', 720)).toEqual({ width: 1280, height: 720 });
  });

  test('is estimated by how fast the analysis scaled pictures on this machine', () => {
    const order = { ...settings, aspects: ['1:1'] as const };
    const sampled = (seconds: number) => ({
      stages: { sample: { seconds, count: 250 } },
      seconds,
      mediaSec: 10,
      fallbacks: [],
    });
    const fast = estimateExport(source, order, sampled(2));
    // 540² pixels of output for 640×360 of source, drawn as fast as those were scaled.
    expect(fast.seconds).toBeCloseTo((2 * 540 * 540) / (640 * 360), 5);
    expect(estimateExport(source, order, sampled(4)).seconds).toBeCloseTo(2 * fast.seconds, 5);
    expect(fast.sizeBytes).toBeCloseTo(((540 * 540 * 25 * 0.09 + 128_000) * 10) / 8, -1);
  });
});
