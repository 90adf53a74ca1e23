import { type Output, TextSubtitleSource } from 'mediabunny';

/** Captions as a track of their own, which players can show. */
export type CaptionText = {
  /** A WebVTT file on the clip's clock. */
  readonly webVtt: string;
  /** BCP 47 tag. */
  readonly language: string;
};

/** MP4 names languages by three letters (ISO 639-2/T), BCP 47 by two where there are two: those of most web pages. */
const threeLetters: Readonly<Record<string, string>> = {
  ...{ ar: 'ara', cs: 'ces', da: 'dan', de: 'deu', el: 'ell', en: 'eng', es: 'spa', fa: 'fas', fi: 'fin' },
  ...{ fr: 'fra', he: 'heb', hi: 'hin', hu: 'hun', id: 'ind', it: 'ita', ja: 'jpn', ko: 'kor', nl: 'nld' },
  ...{ no: 'nor', pl: 'pol', pt: 'por', ro: 'ron', ru: 'rus', sv: 'swe', th: 'tha', tr: 'tur', uk: 'ukr' },
  ...{ vi: 'vie', zh: 'zho' },
};

/**
 * Adds a track of WebVTT, as ISO 14496-30 puts it into an MP4 file. Of sound and picture nothing is changed.
 *
 * @returns What writes the captions, once the output is started; they are few, and need not wait for the picture.
 */
export function addCaptions(output: Output, { webVtt, language }: CaptionText): () => Promise<void> {
  const source = new TextSubtitleSource('webvtt');
  const primary = language.split('-')[0]!.toLowerCase();
  const languageCode = threeLetters[primary] ?? (primary.length === 3 ? primary : 'und');
  output.addSubtitleTrack(source, { languageCode });
  return async () => {
    await source.add(webVtt);
    source.close();
  };
}
