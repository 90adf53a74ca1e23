import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainWord } from './compare-words.js';
import type { SpokenClip } from './spoken-clip.js';

/** What is read out: a story, news, a talk, directions, small talk, an explanation. */
const texts: Readonly<Record<string, string>> = {
  story:
    'The ferry left the island before sunrise. Nobody stood on the deck except an old man with a red umbrella, although there was no rain. When the captain asked him where he was going, he pointed at the clouds and laughed.',
  news: 'The city council voted last night to close two bridges for repairs. Drivers should expect delays until the end of October. Buses will run every ten minutes, and the ferries are free of charge.',
  talk: 'I want to tell you about a mistake that I made. For three years our team built what customers asked for. Then one of them asked a simple question, and we understood that we had never looked at how people actually work.',
  directions:
    'Turn left at the bakery and walk past the school. After the second traffic light you will see a green door. Ring the bell twice, wait for the dog to stop barking, and take the stairs to the fourth floor.',
  chat: "Did you watch the game yesterday? I can't believe that they scored in the last minute. My brother jumped up so fast that he spilled his coffee over the whole sofa, and he still doesn't want to talk about it.",
  lesson:
    'A lens bends the light that comes from an object. The thicker the glass, the stronger the bend. If you move the paper closer, the picture becomes smaller and brighter, and at one point it is perfectly sharp.',
};
/** Voices of espeak-ng, half of them women's. */
const voices = ['en-us', 'en-us+f3', 'en', 'en+f5', 'en-gb-scotland+m7', 'en-us+f4'];

/** What speak.py ends with where espeak-ng is not installed. */
const noLibrary = 3;

/**
 * Read speech whose words and moments are known, made by espeak-ng: each text in two voices.
 *
 * @param folder - Gets the sounds.
 * @returns Nothing where espeak-ng is not installed.
 */
export function madeSpeech(folder: string): SpokenClip[] {
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(texts).flatMap(([name, text], t) =>
    [0, 3].map(step => {
      const voice = voices[(t + step) % voices.length]!;
      return { name: `${name}-${voice}`, voice, wordsPerMin: 160, text };
    }),
  );
  let marks: [offset: number, startSec: number][][];
  try {
    const script = fileURLToPath(new URL('speak.py', import.meta.url));
    const input = JSON.stringify(wanted);
    marks = JSON.parse(execFileSync('python3', [script, folder], { input, encoding: 'utf8', stdio: 'pipe' }));
  } catch (error) {
    if ((error as { status?: number }).status === noLibrary) return [];
    throw error;
  }
  return wanted.map(({ name, text }, i) => {
    const startOf = new Map(marks[i]!);
    const words = [...text.matchAll(/\S+/g)];
    const startsSec = words.map(({ index }) => startOf.get(index));
    return {
      name,
      file: join(folder, `${name}.wav`),
      words: words.map(([word]) => plainWord(word)),
      onsetSec: startsSec[0]!,
      startsSec,
    };
  });
}
