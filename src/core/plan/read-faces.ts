import type { AnalysisParts } from '../../schema/result.js';
import { isWorthATurn, speakingProbability } from './belief.js';
import { defaultFaceOptions, type FaceOptions, faceArrays, type ShotFace } from './faces.js';
import { joinLost } from './join-lost.js';
import { contentOf } from './shot-content.js';
import type { Shot, Timeline } from './timeline.js';

/**
 * Lays tracks and speaking decisions on the shots' frames. A track that reaches over a cut is split there,
 * so that whatever follows can treat each shot alone; tracks that one face left in one shot are joined.
 *
 * @returns One list per shot of the timeline.
 */
export function readFaces(
  parts: AnalysisParts,
  timeline: Timeline,
  options: FaceOptions = defaultFaceOptions,
): ShotFace[][] {
  const { shots } = timeline;
  const byShot = shots.map(() => new Map<number, ShotFace>());
  const runsOf = shotRuns(shots);
  const turned = turnedBoxes(parts, timeline);

  for (const track of parts.face_tracking_yolov8?.tracks ?? []) {
    const away = turned.get(track.face_id) ?? [];
    const [seen, lost] = [runsOf(track.boxes), runsOf(away)];
    const spans = spansOf([...seen, ...lost]);
    const lay = ({ s, items }: ShotRun<WireBox>, present: 1 | 2) => {
      const shot = shots[s]!;
      let face = byShot[s]!.get(track.face_id);
      // A head that nobody saw as a face in this shot is none.
      if (!face && present === 2) return;
      if (!face) byShot[s]!.set(track.face_id, (face = emptyFace(track, spans.get(s)!, shot)));
      for (const box of items) {
        const i = box.frame_number - shot.start - face.first;
        if (face.present[i]) continue;
        face.x[i] = box.x;
        face.y[i] = box.y;
        face.width[i] = box.width;
        face.height[i] = box.height;
        face.present[i] = present;
      }
    };
    for (const run of seen) lay(run, 1);
    for (const run of lost) lay(run, 2);
  }
  for (const track of parts.active_speaker?.tracks ?? [])
    for (const { s, items } of runsOf(track.scores)) {
      const face = byShot[s]!.get(track.face_id);
      if (!face) continue;
      for (const score of items) {
        const i = score.frame_number - shots[s]!.start - face.first;
        face.probability[i] = speakingProbability(score);
        face.speaking[i] = isWorthATurn(score) ? 1 : 0;
      }
    }
  return byShot.map((faces, s) => {
    const clock = { shot: shots[s]!, timeline };
    return joinLost([...faces.values()], clock, options)
      .map(face => fillGaps(face, clock, options))
      .filter(
        face => meanHeight(face) >= options.minHeightRatio * timeline.height || face.speaking.includes(1),
      );
  });
}

type WireTrack = NonNullable<AnalysisParts['face_tracking_yolov8']>['tracks'][number];
type WireBox = WireTrack['boxes'][number];

/** Heads that have turned away, by the face that they were. */
function turnedBoxes(parts: AnalysisParts, { shots }: Timeline): Map<number, WireTrack['boxes']> {
  const found = new Map<number, WireTrack['boxes']>();
  for (const shot of shots)
    for (const { face_id, boxes } of contentOf(parts, shot)?.turned ?? [])
      found.set(face_id, [...(found.get(face_id) ?? []), ...boxes]);
  return found;
}

/** The first and the last frame of a track in each shot that it is in. */
function spansOf(runs: readonly ShotRun<WireBox>[]): Map<number, [first: number, last: number]> {
  const spans = new Map<number, [number, number]>();
  for (const { s, items } of runs) {
    let [first, last] = spans.get(s) ?? [Number.POSITIVE_INFINITY, 0];
    for (const { frame_number } of items) {
      first = Math.min(first, frame_number);
      last = Math.max(last, frame_number);
    }
    spans.set(s, [first, last]);
  }
  return spans;
}

function emptyFace(
  { face_id, person_id }: WireTrack,
  [first, last]: readonly [first: number, last: number],
  shot: Shot,
): ShotFace {
  return {
    faceId: face_id,
    laterIds: [],
    ...(person_id === undefined ? {} : { personId: person_id }),
    ...faceArrays(last - first + 1),
    first: first - shot.start,
    presentCount: 0,
  };
}

/** Draws straight lines through gaps, for boxes on a stride, blinking detectors and heads that turn away alike. */
function fillGaps(
  face: ShotFace,
  { shot, timeline }: { shot: Shot; timeline: Timeline },
  { maxGapSec, maxLostSec, maxLostWayRatio }: FaceOptions,
): ShotFace {
  const { present } = face;
  const start = shot.start + face.first;
  let last = -1;
  let presentCount = 0;
  for (let i = 0; i < present.length; i++) {
    if (!present[i]) continue;
    const isGap = last >= 0 && i - last > 1;
    const gapSec = isGap ? timeline.timeSec(start + i) - timeline.timeSec(start + last) : 0;
    const way = isGap ? Math.abs(face.x[i]! - face.x[last]!) / (face.width[last]! || 1) : 0;
    const isBlink = gapSec <= maxGapSec;
    if (isGap && (isBlink || (gapSec <= maxLostSec && way <= maxLostWayRatio))) {
      const isHead = present[i] === 2 || present[last] === 2;
      for (let j = last + 1; j < i; j++) {
        const ratio = (j - last) / (i - last);
        for (const side of [face.x, face.y, face.width, face.height])
          side[j] = side[last]! + (side[i]! - side[last]!) * ratio;
        present[j] = isBlink && !isHead ? 1 : 2;
        if (present[j] === 1 && !face.probability[j]) face.probability[j] = face.probability[last]!;
      }
      if (isBlink && !isHead) presentCount += i - last - 1;
    }
    if (present[i] === 1) presentCount++;
    last = i;
  }
  return { ...face, presentCount };
}

function meanHeight({ height, present, presentCount }: ShotFace): number {
  let sum = 0;
  for (let i = 0; i < present.length; i++) if (present[i] === 1) sum += height[i]!;
  return presentCount ? sum / presentCount : 0;
}

/** Items that lie in one shot, one after the other: the shot's rank, and the items. */
type ShotRun<Item> = { readonly s: number; readonly items: readonly Item[] };

/** Divides what has frames by the shots that hold them, and leaves out what none does. Fast where frames rise. */
function shotRuns(shots: readonly Shot[]) {
  let s = 0;
  return <Item extends { readonly frame_number: number }>(items: readonly Item[]): ShotRun<Item>[] => {
    const runs: ShotRun<Item>[] = [];
    for (let i = 0; i < items.length; ) {
      const frame = items[i]!.frame_number;
      while (s > 0 && frame < shots[s]!.start) s--;
      while (s < shots.length - 1 && frame >= shots[s]!.end) s++;
      const from = i++;
      const shot = shots[s];
      if (!shot || frame < shot.start || frame >= shot.end) continue;
      while (i < items.length && items[i]!.frame_number >= shot.start && items[i]!.frame_number < shot.end)
        i++;
      runs.push({ s, items: from || i < items.length ? items.slice(from, i) : items });
    }
    return runs;
  };
}
