import type { Caption } from './captions.js';
import { cueClock } from './cue-clock.js';

/** Captions as a SubRip file (`.srt`): plain lines; the format knows neither speakers nor times of words. */
export function toSrt(captions: readonly Caption[]): string {
  return captions
    .map(({ startSec, endSec, lines }, i) => {
      const times = `${cueClock(startSec, ',')} --> ${cueClock(endSec, ',')}`;
      // Readers take a line with an arrow for times.
      const text = lines.map(line => line.text.replaceAll('-->', '->'));
      return `${[i + 1, times, ...text].join('\n')}\n`;
    })
    .join('\n');
}
