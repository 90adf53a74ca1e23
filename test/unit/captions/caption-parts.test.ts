import { expect, test } from 'vitest';
import { captionParts } from '../../../src/captions/caption-parts.js';
import { captionsWithin } from '../../../src/captions/captions-within.js';
import { spoken } from './spoken.js';

const transcription = spoken('A: One two three four five six seven eight nine ten. | B: Yes it is so.');
const lastSec = transcription.words.at(-1)!.end;
const cutSec = transcription.words[4]!.start;
const shot = (scene_id: number, start_time: number, end_time: number) => ({
  ...{ scene_id, start_time, end_time, start_frame: 0, end_frame: 1 },
});
const scene_detection = {
  ...{ model: 'known', video_fps: 25, total_frames: 2, scene_count: 2 },
  scenes: [shot(0, 0, cutSec), shot(1, cutSec, lastSec)],
};

test('captions of an analysis keep to its cuts, and there are none without words', () => {
  expect(captionParts({ scene_detection })).toEqual([]);
  const acrossSec = captionParts({ transcription, scene_detection }).map(({ startSec, endSec }) =>
    Math.min(endSec - cutSec, cutSec - startSec),
  );
  expect(Math.max(...acrossSec)).toBeLessThanOrEqual(0.3 + 1e-9);
});

test('captions of a clip are on its clock, and end with it', () => {
  const all = captionParts({ transcription });
  const [startSec, endSec] = [transcription.words[2]!.start, transcription.words[7]!.end];
  const own = captionsWithin(all, { startSec, endSec });
  expect(own[0]!.startSec).toBe(0);
  expect(own.at(-1)!.endSec).toBeLessThanOrEqual(endSec - startSec);
  for (const { startSec: from, endSec: to, lines } of own)
    for (const word of lines.flatMap(({ words }) => words)) {
      expect(word.startSec).toBeGreaterThanOrEqual(0);
      expect(word.endSec).toBeLessThanOrEqual(endSec - startSec);
      expect(to).toBeGreaterThan(from);
    }
  expect(captionsWithin(all, { startSec: lastSec + 9, endSec: lastSec + 10 })).toEqual([]);
  expect(captionsWithin(all, { startSec: 0, endSec: lastSec + 9 })).toEqual(all);
});
