import { createCurveShotAnalyser } from '../../../src/core/curve-shots.js';
import type { ShotPart } from '../../../src/core/shot-boundaries.js';
import { createShotAnalyser } from '../../../src/core/shots.js';
import { createCutReader, type SceneCutModel } from '../../../src/inference/scene-cuts.js';
import { bootstrap } from '../../harness/bootstrap.js';
import { clipsWithCuts } from '../../harness/clips.js';
import { readGroundTruth } from '../../harness/ground-truth.js';
import type { Row } from '../../harness/report.js';
import { type ClipThumbnails, clipThumbnails } from './clip-thumbnails.js';
import { type CutCounts, countCuts, type JudgedClip } from './cut-score.js';
import { photographedWorlds } from './drawn-worlds.js';
import { generateCutClips } from './generated-cuts.js';

/** Finds the first frames of shots in a clip; frame 0 is none. */
export type CutFinder = (clip: ClipThumbnails) => Promise<readonly number[]>;

export type CutOptions = {
  /** Folder where thumbnails are kept. */
  readonly cache: string;
  /** Folder with pictures for every second shot of the generated clips; drawn ones only where it is not there. */
  readonly pictures: string;
  /** Clips of each kind that are generated. */
  readonly perKind: number;
  /** Whether the annotated clips are here. */
  readonly hasShared: boolean;
  readonly onProgress?: (line: string) => void;
};

/** A clip to judge on, before anything was found in it. */
type TestClip = Omit<JudgedClip, 'found' | 'durationSec'> & { readonly read: () => Promise<ClipThumbnails> };

/** The generated test set is that of this seed. */
const seed = 20;
/** Dissolves in frames that the annotations do not list: seen in the pictures, and told apart so that they are not hidden. */
const dissolvesNotListed: Readonly<Record<string, readonly (readonly [first: number, last: number])[]>> = {
  ad_criminal_justice_video2: [[1943, 1968]],
  psd_testvideo_3scenes: [[532, 560]],
};
/** Photographs among the generated worlds. */
const pictureCount = 40;

/** The library's finder of cuts without a network. */
export const findCutsWithoutModel: CutFinder = async ({ timesSec, thumbnails }) => {
  const analyser = createShotAnalyser();
  thumbnails.forEach((thumbnail, frameNumber) => {
    analyser.push({ frameNumber, timeSec: timesSec[frameNumber]!, thumbnail });
  });
  return startsOf(analyser.finish());
};

/** The library's finder of cuts by a network. */
export const findCutsWith =
  (model: SceneCutModel): CutFinder =>
  async ({ timesSec, thumbnails }) => {
    const reader = createCutReader(model);
    const parts = [];
    for (const thumbnail of thumbnails) parts.push(await reader.push(thumbnail));
    parts.push(await reader.finish());
    const [cut, transition] = [
      parts.flatMap(part => [...part.cut]),
      parts.flatMap(part => [...part.transition]),
    ];
    const analyser = createCurveShotAnalyser();
    thumbnails.forEach((thumbnail, frameNumber) => {
      const said = { cut: cut[frameNumber]!, transition: transition[frameNumber]! };
      analyser.push({ frameNumber, timeSec: timesSec[frameNumber]!, thumbnail, ...said });
    });
    return startsOf(analyser.finish());
  };

const startsOf = ({ shots }: ShotPart): number[] =>
  shots.flatMap(({ startFrame }) => (startFrame > 0 ? [startFrame] : []));

/** Measures finders of cuts on the annotated clips and on generated ones; intervals resample clips. */
export async function evaluateCuts(
  finders: Readonly<Record<string, CutFinder>>,
  options: CutOptions,
): Promise<Record<string, Row[]>> {
  const sets = { media: options.hasShared ? mediaClips(options) : [], generated: generatedClips(options) };
  const columns: Record<string, Row[]> = Object.fromEntries(Object.keys(finders).map(name => [name, []]));
  for (const [set, clips] of Object.entries(sets)) {
    const judged: Record<string, JudgedClip[]> = {};
    for (const [i, { read, ...clip }] of clips.entries()) {
      const thumbnails = await read();
      const durationSec = thumbnails.timesSec.at(-1) ?? 0;
      for (const [name, find] of Object.entries(finders))
        (judged[name] ??= []).push({ ...clip, durationSec, found: await find(thumbnails) });
      options.onProgress?.(`cuts: ${i + 1} of ${clips.length} ${set} clips`);
    }
    for (const [name, list] of Object.entries(judged))
      columns[name]!.push(...pooledRows(set, list), ...(set === 'media' ? clipRows(list) : kindRows(list)));
  }
  return columns;
}

function mediaClips({ cache }: CutOptions): TestClip[] {
  return clipsWithCuts().map(({ name, file, truth, key }) => {
    const { cuts, softCuts } = readGroundTruth(truth, key);
    return {
      name,
      kind: 'media',
      cuts,
      transitions: [],
      unjudged: softCuts,
      read: () => clipThumbnails(file, cache),
    };
  });
}

function generatedClips({ pictures, perKind }: CutOptions): TestClip[] {
  const worlds = photographedWorlds(pictures, pictureCount);
  return generateCutClips(seed, worlds, perKind).map(
    ({ name, kind, cuts, transitions, thumbnails, frameRateHz }) => ({
      name,
      kind,
      cuts,
      transitions,
      unjudged: [],
      read: async () => ({ thumbnails, timesSec: thumbnails.map((_, frame) => frame / frameRateHz) }),
    }),
  );
}

/** Figures over all clips together. */
function pooledRows(set: string, clips: readonly JudgedClip[]): Row[] {
  const n = clips.length;
  const exact = clips.map(clip => countCuts(clip, 0));
  const near = clips.map(clip => countCuts(clip, 1));
  const row = (measure: string, counts: readonly CutCounts[], figure: (sum: CutCounts) => number): Row => ({
    measure: `${set}: ${measure}`,
    ...bootstrap(n, weights => figure(total(counts, weights))),
    n,
  });
  const minutes = (weights: ArrayLike<number>) =>
    clips.reduce((sum, { durationSec }, i) => sum + durationSec * weights[i]!, 0) / 60;
  const rows = [
    row('hard cuts, F1 ±0', exact, f1),
    row('hard cuts, F1 ±1', near, f1),
    row('hard cuts, precision ±1', near, precision),
    row('hard cuts, recall ±1', near, recall),
    {
      measure: `${set}: wrong boundaries in 5 minutes`,
      ...bootstrap(n, weights => (5 * total(near, weights).wrong) / minutes(weights)),
      n,
    },
  ];
  if (set === 'media') {
    const listed = clips.map(clip =>
      countCuts({ ...clip, unjudged: [...clip.unjudged, ...(dissolvesNotListed[clip.name] ?? [])] }, 1),
    );
    const wrong = (weights: ArrayLike<number>) => (5 * total(listed, weights).wrong) / minutes(weights);
    rows.push({
      measure: 'media: the same without two dissolves that the annotations lack',
      ...bootstrap(n, wrong),
      n,
    });
  }
  if (total(near).transitions)
    rows.push(row('gradual transitions found', near, sum => sum.foundTransitions / sum.transitions));
  return rows;
}

/** What is missed and wrong in each clip in which there is anything to find or was anything found. */
const clipRows = (clips: readonly JudgedClip[]): Row[] =>
  clips
    .filter(({ cuts, found }) => cuts.length + found.length > 0)
    .map(clip => mistakes(clip.name, [countCuts(clip, 1)]));

/** What goes wrong per kind of generated clip. */
const kindRows = (clips: readonly JudgedClip[]): Row[] =>
  [...new Set(clips.map(({ kind }) => kind))].map(kind => {
    const counts = clips.filter(clip => clip.kind === kind).map(clip => countCuts(clip, 1));
    return { ...mistakes(`generated: ${kind}`, counts), n: counts.length };
  });

function mistakes(name: string, counts: readonly CutCounts[]): Row {
  const { hits, missed, wrong, transitions, foundTransitions } = total(counts);
  const lost = missed + transitions - foundTransitions;
  const all = hits + missed + transitions;
  return {
    measure: all ? `${name}: ${all} to find` : name,
    value: lost + wrong,
    text: all ? `${lost} missed, ${wrong} wrong` : `${wrong} wrong`,
  };
}

const precision = ({ hits, wrong }: CutCounts): number => (hits + wrong ? hits / (hits + wrong) : 1);
const recall = ({ hits, missed }: CutCounts): number => (hits + missed ? hits / (hits + missed) : 1);
const f1 = ({ hits, missed, wrong }: CutCounts): number => (2 * hits) / (2 * hits + missed + wrong);

function total(counts: readonly CutCounts[], weights?: ArrayLike<number>): CutCounts {
  const sum = { hits: 0, missed: 0, wrong: 0, transitions: 0, foundTransitions: 0 };
  counts.forEach((count, i) => {
    for (const key of Object.keys(sum) as (keyof CutCounts)[]) sum[key] += count[key] * (weights?.[i] ?? 1);
  });
  return sum;
}
