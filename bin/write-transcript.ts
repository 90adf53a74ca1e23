import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captionParts, captionsWithin, toSrt, toWebVtt } from '../src/captions/index.js';
import type { AnalysisParts, Clip } from '../src/index.js';

/** What `--captions` takes: in the picture or as a text track of the clip, and files beside it; files alone; or neither. */
export const captionModes = ['burn', 'track', 'srt', 'off'] as const;
export type CaptionMode = (typeof captionModes)[number];

/**
 * Writes the transcript on the source's clock, and captions on the clip's.
 *
 * @param out - An existing folder.
 */
export function writeTranscript(
  out: string,
  parts: AnalysisParts,
  { clip: { kept }, mode }: { readonly clip: Pick<Clip, 'kept'>; readonly mode: CaptionMode },
): void {
  const { transcription } = parts;
  if (!transcription) return;
  const write = (extension: string, text: string) => writeFileSync(join(out, `portrait.${extension}`), text);
  write('transcript.json', `${JSON.stringify(transcription)}\n`);
  if (mode === 'off') return;
  const captions = captionsWithin(captionParts(parts, { keep: kept }), kept);
  write('srt', toSrt(captions));
  write('vtt', toWebVtt(captions, { language: transcription.language }));
}
