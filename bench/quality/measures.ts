import type { AnalysisParts } from '../../src/schema/result.js';
import type { GroundTruth, TrueFace } from '../harness/ground-truth.js';
import {
  type Box,
  centre,
  groupCuts,
  inside,
  iou,
  PlanView,
  pythonRound,
  round,
  share,
} from '../harness/measure-geometry.js';
import { measurePlan } from './plan-measures.js';
import type { JudgedResult } from './straw-plans.js';

/** One figure per name; `null` where nothing could be judged. Names are those of the reference script, but for `speaker_large`. */
export type Measures = Record<string, number | boolean | string | null>;

/**
 * Scores one result against ground truth. Result and truth are joined on the frame number.
 *
 * - `cut_f1_exact`, `cut_f1_1`, `cuts_missed`, `cuts_false`: hard cuts at ±0 and ±1 frame (counts at ±1).
 * - `face_recall`, `id_switches`, `score_coverage` (share of found faces that have a speaker score).
 * - `speaking_acc`: face frames with the right decision, away from turn borders, pauses and unknown talkers.
 * - `owner_acc`, `owner_decided`: one talker and two or more faces: highest score; marked, and nobody else.
 * - `false_speech`: silent frames on which a face is marked.
 * - `speaker_framed`, the headline: one talker, turns of 0.8 s or more, from 0.3 s + margin after a change: a
 *   window that is neither `fit` nor wide holds 90 % of the face's width and 80 % of its height, the face at
 *   least 6 % of the output's height, 8 % in one panel of several. `speaker_large`: frames of those in which the face is
 *   at least 60 % as high as in a window of its own. `speaker_in_crop`, `speaker_cut`: its weaker relatives.
 * - `empty`: a face is on screen and no window holds any. `wide`: windows over 1.5 times the nominal width.
 * - the figures of the plan: {@link measurePlan}.
 */
export function measure(result: JudgedResult, truth: GroundTruth): Measures {
  const { parts, plan } = result;
  const { scene_detection: scenes, face_tracking_yolov8: tracking, active_speaker: speakers } = parts;
  const fps = truth.frameRateHz;
  const total = [scenes, tracking, speakers, plan].find(part => part)?.total_frames ?? 0;
  const durationSec = truth.durationSec || total / fps;
  const frames = Math.min(Math.trunc(durationSec * fps + 1e-6), total || Number.POSITIVE_INFINITY);
  const marginSec = { exact: 0.2, high: 0.25 }[truth.confidence ?? ''] ?? 0.5;
  const out: Measures = {};

  if (scenes) {
    const found = scenes.scenes.map(scene => scene.start_frame).filter(frame => frame > 0);
    const loose = matchCuts(truth, found, 1);
    out.cut_f1_exact = round(matchCuts(truth, found, 0).f1, 3);
    out.cuts_missed = loose.missed;
    out.cuts_false = loose.wrong;
    out.cut_f1_1 = round(loose.f1, 3);
    const borders = scenes.scenes;
    out.scenes_tile =
      borders.every((scene, i) => i === 0 || borders[i - 1]!.end_frame === scene.start_frame) &&
      borders[0]?.start_frame === 0 &&
      borders.at(-1)?.end_frame === scenes.total_frames;
  }
  const boxes = boxesByFrame(parts, fps);
  const decisions = decisionsByFace(parts, fps);
  const view = plan && new PlanView(plan);
  const cutSecs = truth.cuts.map(cut => cut / fps);
  const edges = [
    ...truth.speech.flatMap(turn => [turn.startSec, turn.endSec]),
    ...cutSecs,
    ...truth.softCuts.flat().map(frame => frame / fps),
  ];
  const known = new Set(truth.faces.map(face => face.id));

  const faces = { seen: 0, found: 0, scored: 0, idSwitches: 0 };
  const speech = { judged: 0, right: 0, silent: 0, marked: 0 };
  const owner = { judged: 0, highest: 0, decided: 0 };
  const framing = {
    judged: 0,
    framed: 0,
    large: 0,
    inCrop: 0,
    cut: 0,
    withFace: 0,
    empty: 0,
    all: 0,
    wide: 0,
  };
  const idOf = new Map<string, number>();
  let talkBefore: string | undefined;
  let changedSec = -9;
  const stride = Math.max(1, pythonRound(fps / 12.5));

  for (let frame = 0; frame < frames; frame++) {
    const sec = frame / fps;
    const turns = truth.speech.filter(turn => turn.startSec <= sec && sec < turn.endSec);
    const talk = new Set(turns.filter(turn => turn.onScreen).map(turn => turn.id));
    const talkKey = JSON.stringify([...talk].sort());
    if (talkKey !== talkBefore) {
      talkBefore = talkKey;
      changedSec = frame ? sec : -9;
    }
    if (frame % stride) continue;
    const visible = truth.faces.filter(face => face.startSec <= sec && sec < face.endSec && !face.partial);
    const nearEdge = edges.some(edge => Math.abs(sec - edge) < marginSec);
    const offScreen = turns.some(turn => !turn.onScreen);
    const pause = truth.pauses.some(([start, end]) => start <= sec && sec < end);
    const match = new Map<string, number>();
    for (const face of visible) {
      faces.seen++;
      const best = bestMatch(face, boxes.get(frame) ?? []);
      if (best === undefined) continue;
      faces.found++;
      match.set(face.id, best);
      if (decisions.has(`${best} ${frame}`)) faces.scored++;
      const key = JSON.stringify([face.id, cutSecs.filter(cut => cut <= sec).length]);
      if (idOf.has(key) && idOf.get(key) !== best) faces.idSwitches++;
      idOf.set(key, best);
    }
    const decision = (id: string) => decisions.get(`${match.get(id)} ${frame}`);
    if (!nearEdge && speakers) {
      for (const id of match.keys()) {
        const given = decision(id);
        if (!given || (talk.has(id) && pause) || [...talk].some(talker => !known.has(talker))) continue;
        speech.judged++;
        if (given.speaking === talk.has(id)) speech.right++;
      }
      const [talker] = talk;
      if (talk.size === 1 && match.size >= 2 && match.has(talker!) && !pause) {
        let highest: string | undefined;
        let top = Number.NEGATIVE_INFINITY;
        for (const id of match.keys()) {
          const score = decision(id)?.score ?? -9e9;
          if (score > top) [highest, top] = [id, score];
        }
        const marked = [...match.keys()].filter(id => decision(id)?.speaking);
        owner.judged++;
        if (highest === talker) owner.highest++;
        if (marked.length === 1 && marked[0] === talker) owner.decided++;
      }
      if (!talk.size && !offScreen) {
        speech.silent++;
        if ([...match.keys()].some(id => decision(id)?.speaking)) speech.marked++;
      }
    }
    if (!view) continue;
    const windows = view.windows(frame);
    framing.all++;
    if (windows.some(window => window.width > 1.5 * view.nominalWidth)) framing.wide++;
    const startedSec = Math.max(changedSec, ...truth.cuts.filter(cut => cut <= frame).map(cut => cut / fps));
    // Shorter turns are interjections, which a plan may ignore.
    const long = turns.some(turn => talk.has(turn.id) && turn.endSec - turn.startSec >= 0.8);
    const who = visible.find(face => talk.has(face.id));
    if (talk.size === 1 && long && sec - startedSec >= 0.3 + marginSec && who) {
      framing.judged++;
      if (windows.some(window => view.frames(who.box, window))) framing.framed++;
      if (windows.some(window => view.showsLarge(who.box, window))) framing.large++;
      if (windows.some(window => inside(centre(who.box), window.box))) framing.inCrop++;
      if (!windows.some(window => view.holdsWidth(who.box, window))) framing.cut++;
    }
    if (visible.length) {
      framing.withFace++;
      if (!visible.some(face => windows.some(window => inside(centre(face.box), window.box))))
        framing.empty++;
    }
  }

  Object.assign(out, {
    confidence: truth.confidence ?? null,
    face_recall: share(faces.found, faces.seen),
    id_switches: faces.idSwitches,
    score_coverage: share(faces.scored, faces.found),
    speaking_acc: share(speech.right, speech.judged),
    owner_acc: share(owner.highest, owner.judged),
    owner_decided: share(owner.decided, owner.judged),
    false_speech: share(speech.marked, speech.silent),
    speaker_in_crop: share(framing.inCrop, framing.judged),
    speaker_cut: share(framing.cut, framing.judged),
    speaker_framed: share(framing.framed, framing.judged),
    speaker_large: share(framing.large, framing.judged),
    empty: share(framing.empty, framing.withFace),
    wide: share(framing.wide, framing.all),
  });
  if (view) Object.assign(out, measurePlan(view, truth, { frames, durationSec }));
  return out;
}

/** Matches found cuts to true ones within a tolerance in frames; soft cuts are neither right nor wrong. */
function matchCuts(truth: GroundTruth, found: readonly number[], tolerance: number) {
  const groups = groupCuts(truth.cuts);
  const used = new Set<number>();
  let hits = 0;
  for (const group of groups) {
    const distance = (cut: number) => Math.min(...group.map(member => Math.abs(cut - member)));
    const near = found.filter(cut => !used.has(cut) && distance(cut) <= tolerance);
    if (!near.length) continue;
    used.add(near.reduce((best, cut) => (distance(cut) < distance(best) ? cut : best)));
    hits++;
  }
  const soft = (cut: number) => truth.softCuts.some(([first, last]) => first <= cut && cut <= last);
  const counted = found.filter(cut => used.has(cut) || !soft(cut)).length;
  const precision = counted ? hits / counted : groups.length ? 0 : 1;
  const recall = groups.length ? hits / groups.length : 1;
  return {
    f1: precision + recall ? (2 * precision * recall) / (precision + recall) : 0,
    missed: groups.length - hits,
    wrong: counted - hits,
  };
}

/** The face id of the best box for a true face; overlap counts, or each centre in the other's box. */
function bestMatch(face: TrueFace, boxes: readonly { id: number; box: Box }[]): number | undefined {
  let best: number | undefined;
  let top = 0;
  for (const { id, box } of boxes) {
    const mutual = inside(centre(face.box), box) && inside(centre(box), face.box, 0.25);
    const score = Math.max(iou(box, face.box), mutual ? 0.39 : 0);
    if (score > top || (score === top && best !== undefined && id > best)) [best, top] = [id, score];
  }
  return top >= 0.3 ? best : undefined;
}

const frameOf = (at: { frame_number?: number; timestamp: number }, fps: number): number =>
  at.frame_number ?? pythonRound(at.timestamp * fps);

function boxesByFrame(parts: AnalysisParts, fps: number): Map<number, { id: number; box: Box }[]> {
  const byFrame = new Map<number, { id: number; box: Box }[]>();
  for (const track of parts.face_tracking_yolov8?.tracks ?? [])
    for (const { x, y, width, height, ...at } of track.boxes) {
      const frame = frameOf(at, fps);
      const list = byFrame.get(frame);
      const entry = { id: track.face_id, box: [x, y, width, height] as const };
      if (list) list.push(entry);
      else byFrame.set(frame, [entry]);
    }
  return byFrame;
}

function decisionsByFace(parts: AnalysisParts, fps: number) {
  const decisions = new Map<string, { score: number; speaking: boolean }>();
  for (const track of parts.active_speaker?.tracks ?? [])
    for (const score of track.scores) decisions.set(`${track.face_id} ${frameOf(score, fps)}`, score);
  return decisions;
}
