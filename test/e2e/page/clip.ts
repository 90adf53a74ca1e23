import { type DrawnSpec, regularTimes } from '../../fixtures/drawn-clip.js';
import { drawnClip } from '../../fixtures/encode-clip.js';

declare global {
  var makeClip: (name: keyof typeof specs) => Promise<string>;
}

/** Two people talk in turn, then a cut to one of them: short, because many tests run the whole chain on it. */
const clip: DrawnSpec = {
  size: { width: 640, height: 360 },
  timesSec: regularTimes(25, 75),
  shots: [
    {
      startFrame: 0,
      discs: [
        { x: 130, y: 160, radius: 40, mouth: [{ startSec: 0.1, endSec: 1 }] },
        { x: 510, y: 160, radius: 40, mouth: [{ startSec: 1.1, endSec: 1.9 }] },
      ],
    },
    { startFrame: 50, discs: [{ x: 320, y: 170, radius: 55, mouth: [{ startSec: 2, endSec: 3 }] }] },
  ],
  voice: [{ startSec: 0.1, endSec: 3 }],
};

/** Nobody in sight, and a voice that pauses for longer than within a sentence. */
const words: DrawnSpec = {
  size: { width: 320, height: 180 },
  timesSec: regularTimes(10, 60),
  shots: [{ startFrame: 0, discs: [] }],
  voice: [
    { startSec: 0.4, endSec: 1.6 },
    { startSec: 3, endSec: 4.4 },
  ],
};

/** More faces than a layout has panels. */
const crowd: DrawnSpec = {
  size: { width: 640, height: 360 },
  timesSec: regularTimes(10, 20),
  shots: [{ startFrame: 0, discs: [70, 195, 320, 445, 570].map(x => ({ x, y: 170, radius: 40 })) }],
  voice: [{ startSec: 0.2, endSec: 1.8 }],
};

const specs = { clip, words, crowd } as const;

/** A clip as a data URL. Its sound is of a kind that portrait clips must encode anew. */
globalThis.makeClip = async name => {
  const { blob } = await drawnClip(specs[name], { audioCodec: 'pcm-s16' });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
};
globalThis.ready = true;
