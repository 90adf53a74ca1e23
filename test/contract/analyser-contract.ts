import { describe, expect, test } from 'vitest';
import type { Analyser } from '../../src/core/analyser.js';

/** One analyser and a piece of work for it. */
export type AnalyserCase<Sample, Part> = {
  readonly create: () => Analyser<Sample, Part>;
  readonly samples: readonly Sample[];
};

/** What every analyser promises, whatever it finds. */
export function analyserContract<Sample, Part>(
  name: string,
  { create, samples }: AnalyserCase<Sample, Part>,
): void {
  const run = (analyser: Analyser<Sample, Part>, part: readonly Sample[]) => {
    for (const sample of part) analyser.push(sample);
    return analyser;
  };

  describe(`${name} as an analyser`, () => {
    test('gives the same part again for the same samples', () => {
      expect(run(create(), samples).finish()).toEqual(run(create(), samples).finish());
    });

    test('does not change its samples', () => {
      const before = JSON.stringify(samples);
      run(create(), samples).finish();
      expect(JSON.stringify(samples) === before).toBe(true);
    });

    test.each([0, 1, 0.31, 0.5, 0.83])(
      'goes on elsewhere from a saved state (after %d of the samples)',
      at => {
        const middle = at === 1 ? 1 : Math.floor(at * samples.length);
        // Through text, as a state travels.
        const saved = JSON.parse(JSON.stringify(run(create(), samples.slice(0, middle)).save()));
        const other = run(create(), samples.slice(0, 3));
        other.load(saved);
        expect(run(other, samples.slice(middle)).finish()).toEqual(run(create(), samples).finish());
      },
    );

    test('is not disturbed by what becomes of a state it gave or took', () => {
      const middle = Math.floor(samples.length / 2);
      const analyser = run(create(), samples.slice(0, middle));
      const saved = analyser.save();
      const other = create();
      other.load(saved);
      run(other, samples.slice(middle)).finish();
      expect(analyser.save()).toEqual(saved);
      expect(run(analyser, samples.slice(middle)).finish()).toEqual(run(create(), samples).finish());
    });

    test('finishes without any sample', () => {
      expect(() => create().finish()).not.toThrow();
    });
  });
}
