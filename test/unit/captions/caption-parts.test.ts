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

test('captions of a clip of several pieces leave out what the clip does, and lose no time at the joins', () => {
  const um = transcription.words[3]!;
  const keep = [
    { startSec: 0, endSec: um.start },
    { startSec: um.end, endSec: transcription.words[6]!.end },
    { startSec: transcription.words[10]!.start - 0.1, endSec: lastSec + 0.2 },
  ];
  const made = captionParts({ transcription }, { keep });
  const words = made.flatMap(({ lines }) => lines.flatMap(line => line.words.map(({ text }) => text)));
  expect(words).toEqual(['One', 'two', 'three', 'five', 'six', 'seven', 'Yes', 'it', 'is', 'so.']);
  // On the source's clock until the clip is known: the times of words are what was heard.
  for (const word of made.flatMap(({ lines }) => lines.flatMap(line => line.words)))
    expect(transcription.words.map(({ start }) => start.toFixed(3))).toContain(word.startSec.toFixed(3));
  const shown = captionsWithin(made, keep);
  expect(shown.map(({ lines }) => lines)).toHaveLength(made.length);
  expect(shown[0]!.startSec).toBe(0);
  // One caption goes on over the first join.
  expect(shown[0]!.endSec).toBeGreaterThan(um.start);
  shown.slice(1).forEach(({ startSec }, i) => {
    expect(startSec).toBeGreaterThanOrEqual(shown[i]!.endSec - 1e-9);
  });
  const lengthSec = keep.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0);
  expect(shown.at(-1)!.endSec).toBeLessThanOrEqual(lengthSec + 1e-9);
  expect(captionsWithin(made, [])).toEqual([]);
});
