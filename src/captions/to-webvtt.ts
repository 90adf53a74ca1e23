import type { Caption } from './captions.js';
import { cueClock } from './cue-clock.js';

export type WebVttOptions = {
  /** BCP 47 tag, noted in the file; absent: not said. */
  readonly language?: string;
  /** Whether each word has its time, which players use to highlight it. Default true. */
  readonly wordTimes?: boolean;
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeMarks = (text: string): string => text.replace(/[&<>]/g, mark => escapes[mark]!);

/** Captions as a WebVTT file (`.vtt`), speakers as `<v Speaker>`, words with the times at which they are heard. */
export function toWebVtt(captions: readonly Caption[], options: WebVttOptions = {}): string {
  const { language, wordTimes = true } = options;
  const head = language === undefined ? 'WEBVTT' : `WEBVTT\nLanguage: ${language}`;
  const cues = captions.map((caption, i) => {
    const times = `${cueClock(caption.startSec, '.')} --> ${cueClock(caption.endSec, '.')}`;
    const text = wordTimes
      ? textWithTimes(caption)
      : caption.lines.map(line => escapeMarks(line.text)).join('\n');
    // Neither a name's line breaks nor its brackets may end the tag.
    const name = caption.speaker?.replace(/[\r\n]+/g, ' ').trim();
    return [String(i + 1), times, name ? `<v ${escapeMarks(name)}>${text}</v>` : text].join('\n');
  });
  return `${[head, ...cues].join('\n\n')}\n`;
}

/** Times have to lie within the cue and to rise: words that do not are heard with the word before. */
function textWithTimes({ startSec, endSec, lines }: Caption): string {
  let last = cueClock(startSec, '.');
  const end = cueClock(endSec, '.');
  return lines
    .map(({ text, words }) => {
      let at = 0;
      return words
        .map(word => {
          const from = text.indexOf(word.text, at);
          const gap = text.slice(at, from);
          at = from + word.text.length;
          const time = cueClock(word.startSec, '.');
          const isTimed = time > last && time < end;
          if (isTimed) last = time;
          return `${gap}${isTimed ? `<${time}>` : ''}${escapeMarks(word.text)}`;
        })
        .join('');
    })
    .join('\n');
}
