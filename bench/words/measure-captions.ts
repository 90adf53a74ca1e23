import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shownBy } from '../../src/captions/burn/caption-stretches.js';
import { placeCaptions } from '../../src/captions/burn/place-captions.js';
import { type Measure, typesetCaption } from '../../src/captions/burn/typeset-caption.js';
import { columnsOf } from '../../src/captions/caption-units.js';
import {
  burnedCharacters,
  type Caption,
  captionParts,
  captionStretches,
  defaultCaptionStyle,
  safeArea,
} from '../../src/captions/index.js';
import { overlapArea } from '../../src/core/box.js';
import { cropAtFrame } from '../../src/core/plan/crop-at.js';
import type { PixelBox } from '../../src/schema/geometry.js';
import type { Plan } from '../../src/schema/plan.js';
import type { AnalysisParts } from '../../src/schema/result.js';
import type { Sheet } from '../harness/sheet.js';

/** Widths of a bold face that is rather wide (DejaVu Sans): there is no canvas here. */
const measure: Measure = (text, fontSizePx) => 0.68 * fontSizePx * columnsOf(text);

/** Where the bars of the histogram begin, characters a second; captions are made for 17. */
const speedSteps = [0, 5, 10, 15, 17, 20, 25];

/**
 * Where burned-in captions stand on clips that the command wrote (`npm run reframe -- FILE --words`): frames in which
 * lines touch a face's own box or leave the safe area, and how fast they are to be read.
 *
 * @param folder - Holds a folder for each clip.
 */
export function measureCaptions({ say, keep }: Sheet, folder: string): void {
  const names = existsSync(folder)
    ? readdirSync(folder).filter(name => existsSync(join(folder, name, 'portrait.transcript.json')))
    : [];
  if (!names.length) say(`No clip with a transcript in ${folder}: npm run reframe -- FILE --words.`);
  const speeds: number[] = [];
  const sums = { captions: 0, frames: 0, overFace: 0, outside: 0 };
  for (const name of names.sort()) {
    const read = (file: string) => JSON.parse(readFileSync(join(folder, name, file), 'utf8'));
    const parts: AnalysisParts = {
      scene_detection: read('scene_detection.json'),
      face_tracking_yolov8: read('face_tracking_yolov8.json'),
      content: read('content.json'),
      transcription: read('portrait.transcript.json'),
    };
    const plan: Plan = read('crop_path.json');
    const counted = count(plan, parts);
    for (const key of ['frames', 'overFace', 'outside'] as const) sums[key] += counted[key];
    sums.captions += counted.captions.length;
    speeds.push(...counted.captions.map(speedOf));
    say(
      `${name.padEnd(34)} ${counted.captions.length} captions, ${counted.frames} frames: ${counted.overFace} over a face, ${counted.outside} outside`,
    );
    keep({ what: name, ...counted, captions: counted.captions.length });
  }
  say();
  say(
    `${sums.captions} captions, ${sums.frames} frames with one: ${sums.overFace} over a face, ${sums.outside} outside`,
  );
  say('characters a second');
  speedSteps.forEach((from, i) => {
    const until = speedSteps[i + 1] ?? Number.POSITIVE_INFINITY;
    const inside = speeds.filter(speed => speed >= from && speed < until).length;
    const range = until === Number.POSITIVE_INFINITY ? `${from} and more` : `${from} to ${until}`;
    say(`  ${range.padEnd(12)} ${String(inside).padStart(4)}  ${'#'.repeat(inside)}`);
  });
  keep({ what: 'all', ...sums, speeds });
}

const speedOf = ({ lines, startSec, endSec }: Caption): number =>
  lines.reduce((sum, { text }) => sum + columnsOf(text), 0) / (endSec - startSec);

/** Looks at every frame by itself: not at what the placing looked at. */
function count(plan: Plan, parts: AnalysisParts) {
  const output = { width: plan.output_width, height: plan.output_height };
  const captions = captionParts(parts, { maxCharacters: burnedCharacters(output) });
  const sizeOf = (index: number) => {
    const options = { style: defaultCaptionStyle, output, language: 'en', scaleRatio: 1 };
    return typesetCaption(captions[index]!, options, measure).size;
  };
  const stretches = captionStretches(captions, plan, parts);
  const places = placeCaptions(stretches, { output, position: defaultCaptionStyle.position, sizeOf });
  const area = safeArea(output);
  const seen = new Set<number>();
  const over = new Set<number>();
  const outside = new Set<number>();
  const facesOf = facesByFrame(parts);
  for (const { caption, startSec, endSec, middleX, middleY, scaleRatio } of places) {
    const { width, height } = sizeOf(caption);
    const lines: PixelBox = {
      x: middleX - (width * scaleRatio) / 2,
      y: middleY - (height * scaleRatio) / 2,
      width: width * scaleRatio,
      height: height * scaleRatio,
    };
    const first = Math.max(plan.first_frame, Math.ceil(startSec * plan.video_fps - 0.01));
    const end = Math.min(plan.first_frame + plan.frame_count, Math.ceil(endSec * plan.video_fps - 0.01));
    for (let frame = first; frame < end; frame++) {
      seen.add(frame);
      if (lines.width * lines.height - overlapArea(lines, area) > 1) outside.add(frame);
      const { panels } = cropAtFrame(plan, frame);
      for (const face of facesOf.get(frame) ?? [])
        if (panels.some(panel => overlapArea(shownBy(panel, face) ?? nothing, lines) > 0)) over.add(frame);
    }
  }
  return { captions, frames: seen.size, overFace: over.size, outside: outside.size };
}

const nothing: PixelBox = { x: 0, y: 0, width: 0, height: 0 };

function facesByFrame({ face_tracking_yolov8: tracking }: AnalysisParts): Map<number, PixelBox[]> {
  const faces = new Map<number, PixelBox[]>();
  for (const { boxes } of tracking?.tracks ?? [])
    for (const box of boxes) faces.set(box.frame_number, [...(faces.get(box.frame_number) ?? []), box]);
  return faces;
}
