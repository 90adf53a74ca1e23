import type { TranscribedWord, Transcription } from '../../../src/schema/transcription.js';

/** A transcript of a text; each letter takes 1/`lettersPerSec`, and `|` is a pause of a second, `A:` a new speaker. */
export function spoken(text: string, lettersPerSec = 15, language = 'en'): Transcription {
  const words: TranscribedWord[] = [];
  let timeSec = 0;
  let speaker: string | undefined;
  for (const piece of text.split(/\s+/).filter(Boolean)) {
    if (piece === '|') timeSec += 1;
    else if (/^[A-Z]:$/.test(piece)) speaker = piece[0];
    else {
      const start = timeSec;
      timeSec += piece.length / lettersPerSec;
      words.push({ word: piece, start, end: timeSec, confidence: 0.9, ...(speaker && { speaker }) });
      timeSec += 1 / lettersPerSec;
    }
  }
  return { model: 'invented', language, text, segments: [], words };
}

const syllables = 'ba do re mi ka lu ten sor vin pra chi mo'.split(' ');

/** Sentences of invented words at the pace of people; the same seed says the same. */
export function babble(seed: number, count: number): Transcription {
  let state = seed;
  const draw = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pieces: string[] = ['A:'];
  for (let i = 0; i < count; i++) {
    const word = Array.from({ length: 1 + draw(4) }, () => syllables[draw(syllables.length)]).join('');
    const mark = ['.', ',', '?'][draw(30)] ?? '';
    pieces.push(word + mark);
    if (draw(15) === 0) pieces.push('|');
    if (mark === '.' && draw(3) === 0) pieces.push(draw(2) ? 'A:' : 'B:');
  }
  return spoken(pieces.join(' '), 10 + draw(5));
}
