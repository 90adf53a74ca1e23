import type { Plan } from '../schema/plan.js';
import { cutsOf } from './cuts.js';

/**
 * The plan as a WebVTT metadata track (`<track kind="metadata">`): one cue for each segment, on the source's clock, whose
 * text is the segment as JSON, every panel and keyframe included. The sizes that its pixels are of are in a NOTE, and in
 * the first cue's `plan`.
 */
export function toWebVtt(plan: Plan): string {
  const { segments: _, ...sizes } = plan;
  const cues = cutsOf(plan).map(({ segment, startSec, endSec }, i) => {
    const text = JSON.stringify(i ? segment : { ...segment, plan: sizes });
    // An arrow or an empty line would end the cue.
    return [
      String(i + 1),
      `${clock(startSec)} --> ${clock(endSec)}`,
      text.replaceAll('-->', '--\\u003e'),
    ].join('\n');
  });
  const note = `NOTE source ${plan.width}x${plan.height}, output ${plan.output_width}x${plan.output_height}`;
  return `${['WEBVTT', note, ...cues].join('\n\n')}\n`;
}

function clock(timeSec: number): string {
  const ms = Math.round(Math.max(0, timeSec) * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${parts.map(two).join(':')}.${String(ms % 1000).padStart(3, '0')}`;
}
