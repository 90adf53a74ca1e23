import { captionParts } from '../../captions/caption-parts.js';
import { captionsWithin } from '../../captions/captions-within.js';
import { toSrt } from '../../captions/to-srt.js';
import { toWebVtt } from '../../captions/to-webvtt.js';
import type { TranscriptFormat } from '../../schema/job.js';
import type { AnalysisParts } from '../../schema/result.js';
import type { Video } from '../jobs/state.js';

const types: Readonly<Record<TranscriptFormat, string>> = { srt: 'application/x-subrip', vtt: 'text/vtt' };

/**
 * Captions of a video, on the clock of its clip.
 *
 * @returns undefined where nothing was written down.
 */
export function transcriptFile(
  parts: AnalysisParts,
  format: TranscriptFormat,
  { startSec = 0, endSec = Number.POSITIVE_INFINITY }: Pick<Video, 'startSec' | 'endSec'>,
): Blob | undefined {
  if (!parts.transcription) return undefined;
  const { language } = parts.transcription;
  const captions = captionsWithin(captionParts(parts), { startSec, endSec });
  const text = format === 'srt' ? toSrt(captions) : toWebVtt(captions, { language });
  return new Blob([text], { type: types[format] });
}
