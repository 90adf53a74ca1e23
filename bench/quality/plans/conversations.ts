import type { GroundTruth, TrueFace, TrueSpeech } from '../../harness/ground-truth.js';
import { createRandom } from './flip-evidence.js';

/** An invented conversation, with all that is true about it and nothing of a picture. */
export type Conversation = { readonly name: string; readonly truth: GroundTruth };

const [width, height] = [1920, 1080];
const durationSec = 60;

/**
 * Conversations of two to four people over a minute in one shot: turns of 1.5 to 6 s, with pauses of half a second and now
 * and then an overlap; the same ones each time.
 */
export function inventConversations(count = 12): Conversation[] {
  const random = createRandom(20);
  return Array.from({ length: count }, (_, c) => {
    const people = 2 + (c % 3);
    const ids = Array.from({ length: people }, (_, p) => `p${p}`);
    const faces = ids.map((id, p): TrueFace => {
      const size = 150 + 90 * random();
      const x = ((p + 0.5) * width) / people - 0.375 * size;
      return {
        id,
        startSec: 0,
        endSec: durationSec,
        box: [x, 380 + 60 * random(), 0.75 * size, size],
        partial: false,
      };
    });
    const speech: TrueSpeech[] = [];
    let who = 0;
    for (let sec = 0.5 + random(); sec < durationSec - 1; ) {
      const endSec = Math.min(durationSec, sec + 1.5 + 4.5 * random());
      speech.push({ id: ids[who]!, startSec: sec, endSec, onScreen: true });
      sec = endSec + (random() < 0.2 ? -0.4 : 0.5 * random());
      who = (who + 1 + Math.floor(random() * (people - 1))) % people;
    }
    return {
      name: `conversation of ${people}, ${1 + Math.floor(c / 3)}`,
      truth: {
        frameRateHz: 25,
        durationSec,
        width,
        height,
        cuts: [],
        softCuts: [],
        pauses: [],
        confidence: 'exact',
        speech,
        faces,
      },
    };
  });
}
