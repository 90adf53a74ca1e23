import type { PixelBox } from '../../schema/geometry.js';
import type { Layout, Plan } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { centre, overlapArea } from '../box.js';
import { isWorthATurn, speakingProbability } from './belief.js';
import { cropAtFrame } from './crop-at.js';
import { contentOf } from './shot-content.js';

/** What one frame of a plan shows, judged by the analysis. */
export type JudgedFrame = {
  readonly frame: number;
  readonly layout: Layout;
  readonly hasFaces: boolean;
  /** Faces are there, and no window holds the middle of any. */
  readonly isEmpty: boolean;
  /** A face that a window follows is seen. */
  readonly isFramed: boolean;
  /** Less than nine tenths of that face are inside. */
  readonly isFaceCut: boolean;
  /** Exactly one face is decided to speak. */
  readonly hasSpeaker: boolean;
  readonly isSpeakerFramed: boolean;
  /** Expected number of faces and voices that speak, and how many of them windows show. */
  readonly talk: number;
  readonly talkSeen: number;
  /** How many output pixels a source pixel becomes, in the window that enlarges most. */
  readonly upscale: number;
  /** A window follows a face, and there is none in it. */
  readonly isBack: boolean;
  readonly isTextCut: boolean;
  readonly hasBars: boolean;
};

type SeenFace = {
  readonly faceId: number;
  readonly box: PixelBox;
  readonly speaking: boolean;
  readonly probability: number;
  readonly worthATurn: boolean;
};

/** Judges every `stride`th frame of a plan. */
export function judgeFrames(parts: AnalysisParts, plan: Plan, stride: number): JudgedFrame[] {
  if (!plan.segments.length) return [];
  const faces = facesByFrame(parts, plan, stride);
  const contents = plan.segments.map(segment =>
    contentOf(parts, { sceneId: segment.scene_id, start: segment.start_frame, end: segment.end_frame }),
  );
  let s = 0;
  return faces.map((seen, i) => {
    const frame = plan.first_frame + i * stride;
    while (s + 1 < plan.segments.length && plan.segments[s + 1]!.start_frame <= frame) s++;
    return judge(seen, frame, { plan, content: contents[s] });
  });
}

function judge(
  seen: readonly SeenFace[],
  frame: number,
  { plan, content }: { plan: Plan; content: ReturnType<typeof contentOf> },
): JudgedFrame {
  const { layout, panels } = cropAtFrame(plan, frame);
  const shareOf = (box: PixelBox) =>
    Math.max(...panels.map(panel => overlapArea(panel.source, box) / (box.width * box.height || 1)));
  const framed = seen.find(({ faceId }) => panels.some(panel => panel.faceId === faceId));
  const speakers = seen.filter(({ speaking }) => speaking);
  const isHeard = seen.some(({ worthATurn }) => worthATurn);
  const sum = (list: readonly SeenFace[]) => list.reduce((all, face) => all + face.probability, 0);
  const texts = (content?.rectangles ?? []).filter(
    ({ kind, start_frame, end_frame }) => kind === 'text' && start_frame <= frame && frame < end_frame,
  );
  return {
    frame,
    layout,
    hasFaces: seen.length > 0,
    isEmpty: seen.length > 0 && !seen.some(({ box }) => panels.some(panel => holds(panel.source, box))),
    isFramed: framed !== undefined,
    isFaceCut: framed !== undefined && shareOf(framed.box) < 0.9,
    hasSpeaker: speakers.length === 1,
    isSpeakerFramed: speakers.length === 1 && layout !== 'fit' && shareOf(speakers[0]!.box) >= 0.9,
    talk: isHeard ? Math.max(1, sum(seen)) : 0,
    talkSeen: isHeard ? sum(seen.filter(({ box }) => shareOf(box) >= 0.9)) : 0,
    upscale: Math.max(...panels.map(({ source, output }) => output.height / source.height)),
    isBack: panels.some(
      panel => panel.faceId !== undefined && !seen.some(({ box }) => holds(panel.source, box)),
    ),
    isTextCut: texts.some(text =>
      panels.some(({ source }) => {
        const share = overlapArea(source, text) / (text.width * text.height || 1);
        return share > 0.05 && share < 0.95;
      }),
    ),
    hasBars:
      content !== undefined &&
      content.bars !== 'none' &&
      panels.some(({ source }) => overlapArea(source, content.picture) < 0.99 * source.width * source.height),
  };
}

/** The faces of every judged frame. */
function facesByFrame(parts: AnalysisParts, plan: Plan, stride: number): SeenFace[][] {
  const frames: SeenFace[][] = Array.from({ length: Math.ceil(plan.frame_count / stride) }, () => []);
  const scores = new Map(
    (parts.active_speaker?.tracks ?? []).map(track => [
      track.face_id,
      new Map(track.scores.map(score => [score.frame_number, score])),
    ]),
  );
  for (const { face_id, boxes } of parts.face_tracking_yolov8?.tracks ?? [])
    for (const box of boxes) {
      const i = box.frame_number - plan.first_frame;
      if (i < 0 || i % stride) continue;
      const score = scores.get(face_id)?.get(box.frame_number);
      frames[i / stride]?.push({
        faceId: face_id,
        box,
        speaking: score?.speaking ?? false,
        probability: score ? speakingProbability(score) : 0,
        worthATurn: score ? isWorthATurn(score) : false,
      });
    }
  return frames;
}

function holds(window: PixelBox, box: PixelBox): boolean {
  const { x, y } = centre(box);
  return x >= window.x && x <= window.x + window.width && y >= window.y && y <= window.y + window.height;
}
