import type { PixelBox } from '../schema/geometry.js';
import type { Plan } from '../schema/plan.js';
import { framedCutsOf, mainPanel } from './cuts.js';
import { clipName, type ExportSource } from './export-source.js';
import { frameOfTimecode, timecode, timelineRate } from './timeline-rate.js';

/**
 * The plan's cuts as an edit decision list, CMX 3600: one picture event for each segment (the sound runs through, uncut), in timecode of the
 * source and of a timeline that begins at 0; drop frame at 29.97 and 59.94. The format knows no windows: comments under
 * each event say the layout, the reason, and where the main panel (the largest) begins, in pixels of the source. Past 999
 * events numbers have four digits, which old machines do not read.
 *
 * @throws RangeError for a wrong `startTimecode` or `frameRateHz`.
 */
export function toEdl(plan: Plan, source: ExportSource): string {
  const rate = timelineRate(plan, source.frameRateHz);
  const first = frameOfTimecode(source.startTimecode ?? '00:00:00:00', rate);
  const cuts = framedCutsOf(plan, rate);
  const begin = cuts[0]?.startFrame ?? 0;
  const name = oneLine(clipName(source));
  const events = cuts.flatMap(({ segment, startFrame, endFrame }, i) => {
    const marks = [first + startFrame, first + endFrame, startFrame - begin, endFrame - begin];
    const { layout, reason, panels } = segment;
    const { face_id, keyframes } = mainPanel(segment);
    const face = face_id === undefined ? '' : ` FACE ${face_id}`;
    const count = panels.length > 1 ? ` PANELS ${panels.length}` : '';
    return [
      `${String(i + 1).padStart(3, '0')}  AX       V     C        ${marks.map(mark => timecode(mark, rate)).join(' ')}`,
      `* FROM CLIP NAME: ${name}`,
      `* COMMENT: ${layout} ${reason}${face}${count} WINDOW ${boxText(keyframes[0]!)}`,
    ];
  });
  return `${[`TITLE: ${name}`, `FCM: ${rate.isDropFrame ? '' : 'NON-'}DROP FRAME`, '', ...events].join('\n')}\n`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const boxText = ({ x, y, width, height }: PixelBox): string =>
  [x, y, width, height].map(Math.round).join(' ');
