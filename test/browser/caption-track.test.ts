import { expect, test } from 'vitest';
import { captions } from '../../src/captions/captions.js';
import { toWebVtt } from '../../src/captions/to-webvtt.js';
import { spoken } from '../unit/captions/spoken.js';

test('the browser’s own player reads the captions: times, speakers, lines', async () => {
  const made = captions(
    spoken('A: Is 3 < 4 && true? | B: Yes, that is what I always said about it, no doubt.'),
  );
  const video = document.createElement('video');
  const track = document.createElement('track');
  const url = URL.createObjectURL(new Blob([toWebVtt(made, { language: 'en' })], { type: 'text/vtt' }));
  track.src = url;
  track.kind = 'captions';
  video.append(track);
  document.body.append(video);
  track.track.mode = 'showing';
  await new Promise((resolve, reject) => {
    track.onload = resolve;
    track.onerror = () => reject(new Error('the track was refused'));
  });
  const cues = [...(track.track.cues ?? [])] as VTTCue[];
  expect(cues.map(cue => cue.getCueAsHTML().textContent)).toEqual(
    made.map(({ lines }) => lines.map(({ text }) => text).join('\n')),
  );
  cues.forEach((cue, i) => {
    expect(cue.startTime).toBeCloseTo(made[i]!.startSec, 2);
    expect(cue.endTime).toBeCloseTo(made[i]!.endSec, 2);
    expect(cue.getCueAsHTML().querySelector('span')!.title).toBe(made[i]!.speaker);
  });
  video.remove();
  URL.revokeObjectURL(url);
});
