import { decideSpeakers, defaultSpeakerOptions, type SpeakerOptions } from '../../src/core/active-speaker.js';
import { toActiveSpeaker } from '../../src/core/active-speaker-result.js';
import { mean } from '../../src/core/series.js';
import type { SpeakerEvidence } from '../../src/core/speaker-evidence.js';
import type { AnalysisResult } from '../../src/index.js';
import type { GroundTruth } from '../harness/ground-truth.js';
import type { Sheet } from '../harness/sheet.js';
import { measure } from './measures.js';

/** A clip whose evidence was kept. */
export type KeptClip = {
  readonly name: string;
  readonly result: AnalysisResult;
  readonly evidence: SpeakerEvidence;
  readonly truth: GroundTruth;
};

type Decision = (evidence: SpeakerEvidence) => ReturnType<typeof decideSpeakers>;

const withOptions =
  (options: Partial<SpeakerOptions>): Decision =>
  evidence =>
    decideSpeakers(evidence, { ...defaultSpeakerOptions, ...options });
const withoutLips = ({ sound, ...evidence }: SpeakerEvidence): SpeakerEvidence => ({
  ...evidence,
  ...(sound && { sound: { ...sound, lips: new Float32Array(0) } }),
});

/** The decision, and what is left of it when a part is taken out. */
const variants: Readonly<Record<string, Decision>> = {
  whole: withOptions({}),
  'without voices': withOptions({ voiceRounds: 0 }),
  'without the search of offsets': withOptions({ searchOffsets: false }),
  'without agreement of lips and sound': evidence => decideSpeakers(withoutLips(evidence)),
  'the score alone': evidence =>
    decideSpeakers(withoutLips(evidence), { ...defaultSpeakerOptions, voiceRounds: 0 }),
};

const families = { hard: /^h\d/, mixes: /^mix_/, development: /./ } as const;
const familyOf = (name: string) => Object.entries(families).find(([, is]) => is.test(name))![0];

/** `owner_decided` of a clip, else its `speaking_acc`; `undefined` where neither can be judged. */
function rightRatio({ result, evidence, truth }: KeptClip, decide: Decision): number | undefined {
  const before = result.parts.active_speaker!;
  const clock = { frameRateHz: before.video_fps, totalFrames: before.total_frames };
  const parts = { ...result.parts, active_speaker: toActiveSpeaker(decide(evidence), clock) };
  const { owner_decided, speaking_acc } = measure({ parts }, truth);
  return (owner_decided ?? speaking_acc ?? undefined) as number | undefined;
}

/** Adds a table to the sheet: each part of the decision taken out, by family of clips and clip by clip. */
export function tellAblation(sheet: Sheet, clips: readonly KeptClip[]): void {
  const kinds = [...new Set(clips.map(({ name }) => familyOf(name)))];
  sheet.say(['decision'.padEnd(38), ...kinds.map(kind => kind.padStart(11))].join(' '));
  for (const [what, decide] of Object.entries(variants)) {
    const right = clips.map(clip => ({ kind: familyOf(clip.name), value: rightRatio(clip, decide) }));
    const means = kinds.map(kind =>
      mean(right.flatMap(({ kind: of, value }) => (of === kind && value !== undefined ? [value] : []))),
    );
    sheet.say([what.padEnd(38), ...means.map(value => value.toFixed(3).padStart(11))].join(' '));
    sheet.keep({ what, ...Object.fromEntries(kinds.map((kind, i) => [kind, means[i]])) });
  }
}

/** Constants of the turns that could stand there as well. */
const grid = [0.15, 0.25, 0.35].flatMap(frameWeight =>
  [2, 3, 4, 6].flatMap(switchCost =>
    [0.4, 0.7].map(share => ({ frameWeight, switchCost, changeCost: share * switchCost })),
  ),
);

/**
 * Adds a table to the sheet: for each clip the constants that are best on all clips, those that are best on the other
 * clips, and those that ship, which were chosen on scenes of training people.
 */
export function tellLeftOut(sheet: Sheet, clips: readonly KeptClip[]): void {
  const judged = clips.flatMap(clip => {
    const ships = rightRatio(clip, variants.whole!);
    if (ships === undefined) return [];
    return [{ name: clip.name, ships, tried: grid.map(options => rightRatio(clip, withOptions(options))!) }];
  });
  const best = (among: typeof judged) =>
    grid
      .map((_, g) => mean(among.map(({ tried }) => tried[g]!)))
      .reduce((top, value, g, all) => (value > all[top]! ? g : top), 0);
  const tuned = best(judged);
  const rows = judged.map(clip => ({
    clip: clip.name,
    tuned: clip.tried[tuned]!,
    'left out': clip.tried[best(judged.filter(other => other !== clip))]!,
    ships: clip.ships,
  }));
  const columns = ['tuned', 'left out', 'ships'] as const;
  const all = Object.fromEntries(columns.map(key => [key, mean(rows.map(row => row[key]))]));
  sheet.say(['constants'.padEnd(38), ...columns.map(key => key.padStart(11))].join(' '));
  for (const row of [...rows, { clip: 'mean', ...(all as Omit<(typeof rows)[number], 'clip'>) }]) {
    sheet.say([row.clip.padEnd(38), ...columns.map(key => row[key].toFixed(3).padStart(11))].join(' '));
    sheet.keep({ what: `constants: ${row.clip}`, ...row });
  }
}
