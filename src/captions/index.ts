export { commonRanges } from '../core/clip-clock.js';
export { sentencesOf, type WordSpan } from '../core/sentences.js';
export { type CaptionStyle, completeCaptionStyle, defaultCaptionStyle } from '../schema/caption-style.js';
export {
  type Diarization,
  diarizationSchema,
  type TranscribedWord,
  type Transcription,
  transcriptionSchema,
} from '../schema/transcription.js';
export {
  type CaptionPainter,
  type CaptionPicture,
  createCaptionPainter,
  type PainterInput,
} from './burn/caption-painter.js';
export { type CaptionParts, type CaptionStretch, captionStretches } from './burn/caption-stretches.js';
export { loadFont } from './burn/load-font.js';
export type { CaptionPlace } from './burn/place-captions.js';
export { burnedCharacters, safeArea } from './burn/safe-area.js';
export type { CaptionOptions } from './caption-options.js';
export { type CaptionPartsOptions, captionParts } from './caption-parts.js';
export { type Caption, type CaptionLine, type CaptionWord, captions } from './captions.js';
export { captionsWithin } from './captions-within.js';
export { type Filler, findFillers, removeFillers } from './fillers.js';
export { keptRanges } from './kept-ranges.js';
export { removeSilences, type SilenceOptions } from './remove-silences.js';
export { selectWords } from './select-words.js';
export { type SuggestedClip, type SuggestOptions, suggestClips } from './suggest-clips.js';
export { toSrt } from './to-srt.js';
export { toWebVtt, type WebVttOptions } from './to-webvtt.js';
