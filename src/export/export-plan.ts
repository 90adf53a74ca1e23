import type { Plan } from '../schema/plan.js';
import { toCssKeyframes } from './css-keyframes.js';
import { toEdl } from './edl.js';
import type { ExportSource } from './export-source.js';
import { toFcpxml } from './fcpxml.js';
import { toFfmpegScript } from './ffmpeg-script.js';
import { toKeyframeCsv, toKeyframeJson } from './motion-keyframes.js';
import { toOtio } from './otio.js';
import { toPlanJson } from './plan-json.js';
import { toWebVtt } from './webvtt.js';

/** Each format's usual ending, and who writes it. */
const formats = {
  json: ['plan.json', toPlanJson],
  otio: ['otio', toOtio],
  fcpxml: ['fcpxml', toFcpxml],
  edl: ['edl', toEdl],
  ffmpeg: ['ffmpeg.sh', toFfmpegScript],
  keyframes: ['keyframes.json', toKeyframeJson],
  csv: ['keyframes.csv', toKeyframeCsv],
  css: ['css', (plan: Plan) => toCssKeyframes(plan)],
  vtt: ['vtt', toWebVtt],
} as const satisfies Record<string, readonly [string, (plan: Plan, source: ExportSource) => string]>;

/** What a plan can be exported as. */
export type ExportFormat = keyof typeof formats;
/** Every {@link ExportFormat}. */
export const exportFormats = Object.keys(formats) as ExportFormat[];

/** A file to be written: its text, and what comes after the dot in its usual name. */
export type ExportedFile = { readonly extension: string; readonly text: string };

/**
 * Writes a plan in a format; each has a function of its own, which says what it carries and what it leaves out.
 *
 * @throws RangeError where the plan has no segments, and what the format's function throws.
 */
export function exportPlan(plan: Plan, format: ExportFormat, source: ExportSource): ExportedFile {
  if (!plan.segments.length) throw new RangeError('the plan has no segments');
  const [extension, write] = formats[format];
  return { extension, text: write(plan, source) };
}
