import { findFillers } from '../src/captions/index.js';
import type { AnalysisParts, TimeRange } from '../src/index.js';
import { given, UsageError } from './option-values.js';

/** The options that say which pieces of the video make the clip, as `parseArgs` takes them. */
export const keepOptions = {
  'keep-ranges': { type: 'string' },
  'remove-silences': { type: 'boolean' },
  'remove-fillers': { type: 'boolean' },
} as const;

export const keepUsage = `\
  --keep-ranges LIST   pieces of the video that make the clip, in seconds and in order: 12-31.5,60-74.2
  --remove-silences    leaves out pauses between words that are longer than 0.6 s, but for 0.15 s on each side
  --remove-fillers     leaves out um, uh and starts that are said again, and lists them; both options need the files
                       of --words, and write down what is said as it does`;

export type Keeping = {
  /** What the clip is made of; absent: all of the range. */
  readonly keep?: readonly TimeRange[];
  /** What is left out of the clip beside that. */
  readonly leaveOut: readonly ('silences' | 'fillers')[];
};

/** @throws UsageError naming the range that is wrong. */
export function keepingOf(
  options: {
    readonly [Name in keyof typeof keepOptions]?: Name extends 'keep-ranges' ? string : boolean;
  },
): Keeping {
  return {
    ...given({ keep: rangesOf(options['keep-ranges']) }),
    leaveOut: (['silences', 'fillers'] as const).filter(what => options[`remove-${what}`]),
  };
}

function rangesOf(value: string | undefined): TimeRange[] | undefined {
  let fromSec = 0;
  return value?.split(',').map(word => {
    const match = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(word.trim());
    const [startSec, endSec] = [Number(match?.[1]), Number(match?.[2])];
    if (!(startSec >= fromSec && endSec > startSec))
      throw new UsageError(
        `--keep-ranges takes START-END in seconds, in order, with commas between, for example 12-31.5,60-74.2, not “${word}”.`,
      );
    fromSec = endSec;
    return { startSec, endSec };
  });
}

/** What became of the video's pieces, a sentence each. */
export function keptSentences(
  { leaveOut }: Keeping,
  {
    kept,
    parts,
    exports,
  }: {
    readonly kept: readonly TimeRange[];
    readonly parts: AnalysisParts;
    readonly exports: boolean;
  },
): string[] {
  const fillers = leaveOut.includes('fillers') ? findFillers(parts.transcription!) : [];
  return [
    ...(kept.length > 1 ? [`${kept.length} pieces of the video make the clip`] : []),
    ...(fillers.length ? [`fillers that were left out: ${fillers.map(({ text }) => text).join(' · ')}`] : []),
    ...(kept.length > 1 && exports
      ? ['note: exported camera paths go through what the clip leaves out, too']
      : []),
  ];
}
