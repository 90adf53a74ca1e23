import { parseText, tokenizeVTTCue, type VTTCue } from 'media-captions';
import { expect, test } from 'vitest';
import { captions } from '../../../src/captions/captions.js';
import { toSrt } from '../../../src/captions/to-srt.js';
import { toWebVtt } from '../../../src/captions/to-webvtt.js';
import { babble, spoken } from './spoken.js';

const made = captions(babble(7, 300));
const tricky = captions(spoken('A: Is 3 < 4 && 5 > 2 --> sure? | B: <b>Yes</b> &amp; no.'));
const strict = { strict: true, errors: true } as const;

/** The text of a cue as a player shows it. */
function shown(cue: VTTCue): string {
  const read = (tokens: ReturnType<typeof tokenizeVTTCue>): string =>
    tokens.map(token => (token.type === 'text' ? token.data : read(token.children))).join('');
  return read(tokenizeVTTCue(cue));
}

test('a reader of SRT finds times and lines as they are', async () => {
  const { cues, errors } = await parseText(toSrt(made), { type: 'srt', ...strict });
  expect(errors).toEqual([]);
  expect(cues).toHaveLength(made.length);
  cues.forEach((cue, i) => {
    expect(cue.startTime).toBeCloseTo(made[i]!.startSec, 2);
    expect(cue.endTime).toBeCloseTo(made[i]!.endSec, 2);
    expect(cue.text).toBe(made[i]!.lines.map(({ text }) => text).join('\n'));
  });
});

test.each([
  ['talk', made],
  ['marks of the format', tricky],
])('a reader of WebVTT finds speakers, lines and times: %s', async (_, captions) => {
  const { cues, errors } = await parseText(toWebVtt(captions, { language: 'en' }), {
    type: 'vtt',
    ...strict,
  });
  expect(errors).toEqual([]);
  expect(cues).toHaveLength(captions.length);
  cues.forEach((cue, i) => {
    const { startSec, speaker, lines } = captions[i]!;
    expect(cue.startTime).toBeCloseTo(startSec, 2);
    expect(shown(cue)).toBe(lines.map(({ text }) => text).join('\n'));
    const [first] = tokenizeVTTCue(cue);
    expect(first).toMatchObject({ type: 'v', voice: speaker });
  });
});

test('words of WebVTT have times that rise within their cue', () => {
  for (const cue of toWebVtt(made).split('\n\n').slice(1)) {
    const [start, end] = /(\S+) --> (\S+)/.exec(cue)!.slice(1);
    const times = [start!, ...[...cue.matchAll(/<([\d:.]+)>/g)].map(match => match[1]!), end!];
    expect(times).toEqual([...new Set(times)].sort());
  }
  expect(toWebVtt(made)).toMatch(/<\d\d:\d\d:\d\d\.\d{3}>/);
  expect(toWebVtt(made, { wordTimes: false })).not.toMatch(/<\d/);
});

test('an arrow in a text stays a text in SRT', async () => {
  const { cues } = await parseText(toSrt(tricky), { type: 'srt', ...strict });
  expect(cues).toHaveLength(tricky.length);
});
