import { describe, expect, test } from 'vitest';
import { frameOfTimecode, hz, timecode, timelineRate } from '../../../src/export/timeline-rate.js';
import { planOf } from './exported-plan.js';

const rateOf = (frameRateHz: number) => timelineRate(planOf({ frameRateHz }));

describe('the rate of a timeline', () => {
  test.each([
    [23.976, 24000, 1001],
    [24000 / 1001, 24000, 1001],
    [24, 24, 1],
    [25, 25, 1],
    [29.97, 30000, 1001],
    [30, 30, 1],
    [59.94006, 60000, 1001],
    [60, 60, 1],
    [10, 10, 1],
    [12.5, 12500, 1000],
  ])('of %f frames a second is exactly %i/%i', (frameRateHz, numerator, denominator) => {
    expect(rateOf(frameRateHz)).toMatchObject({ numerator, denominator });
  });

  test('of uneven frames is the lowest standard rate that leaves none of them out', () => {
    const phone = planOf({ frameRateHz: 28.7, timeOf: frame => frame / 30 + (frame > 60 ? 0.3 : 0) });
    expect(hz(timelineRate(phone))).toBeCloseTo(29.97, 2);
  });

  test('is what is asked for, and never nothing', () => {
    expect(timelineRate(planOf(), 50)).toMatchObject({ numerator: 50, denominator: 1 });
    expect(() => timelineRate(planOf(), 0)).toThrow(RangeError);
    expect(() => timelineRate(planOf(), Number.NaN)).toThrow(RangeError);
  });
});

describe('timecode', () => {
  // SMPTE ST 12-1: two numbers are left out each minute, but not each tenth.
  test.each([
    [29.97, 1799, '00:00:59;29'],
    [29.97, 1800, '00:01:00;02'],
    [29.97, 17981, '00:09:59;29'],
    [29.97, 17982, '00:10:00;00'],
    [29.97, 107892, '01:00:00;00'],
    [59.94, 3600, '00:01:00;04'],
    [59.94, 215784, '01:00:00;00'],
    [30, 1800, '00:01:00:00'],
    [23.976, 86400, '01:00:00:00'],
    [25, 37, '00:00:01:12'],
  ])('at %f, frame %i is %s', (frameRateHz, frame, text) => {
    expect(timecode(frame, rateOf(frameRateHz))).toBe(text);
    expect(frameOfTimecode(text, rateOf(frameRateHz))).toBe(frame);
  });

  test.each([29.97, 59.94, 119.88, 24, 60])('at %f, every frame has a number of its own', frameRateHz => {
    const rate = rateOf(frameRateHz);
    for (let frame = 0; frame < 80_000; frame += 7)
      expect(frameOfTimecode(timecode(frame, rate), rate)).toBe(frame);
  });

  test('without drop frame is read at 29.97 too, as cameras may write it', () => {
    expect(frameOfTimecode('01:00:00:00', rateOf(29.97))).toBe(108_000);
  });

  test.each(['1:00:00:00', '00:61:00:00', '00:00:00:30', '00:01:00;01', 'now'])(
    '%s is none at 29.97',
    text => {
      expect(() => frameOfTimecode(text, rateOf(29.97))).toThrow(/startTimecode/);
    },
  );
});
