import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { packagedManifest } from '../../src/inference/manifest.js';
import { createMoonshine } from '../../src/inference/moonshine.js';
import { openSession } from '../../src/inference/session.js';
import { createSpeechDetector } from '../../src/inference/silero.js';
import { readTokenList } from '../../src/inference/token-list.js';
import { createTranscriber } from '../../src/inference/transcriber.js';
import type { TranscriptionModel } from '../../src/inference/transcription-model.js';
import { hasShared, sharedMedia } from '../harness/clips.js';
import { mulberry32 } from '../harness/random.js';
import { openSheet, type Sheet } from '../harness/sheet.js';
import { compareWords, plainWord } from './compare-words.js';
import { gridClips } from './grid-clips.js';
import { madeSpeech } from './made-speech.js';
import { measureCaptions } from './measure-captions.js';
import { measureDiarization } from './measure-diarization.js';
import type { SpokenClip } from './spoken-clip.js';

const usage = `npm run bench:words -- [--alignments DIR] [--seconds N]
                      [--diarization [--analyses DIR]] [--captions [--clips DIR]]

Writes down the GRID clips of ../shared/media, read speech made by espeak-ng (where that is installed), and sounds without
words: word error rate, starts of words, false words, and CPU-seconds for each second of sound. Needs npm run models -- --add words.

  --alignments DIR  the corpus' own NAME.align files, for the starts of all words; without it, first words only
  --seconds N       length of each sound without words (60)
  --diarization     who is heard when instead: error rates on clips whose turns are exact, from what
                    bench:quality -- --save-evidence kept (also -- --mixes tune and judge)
  --analyses DIR    where that lies (out/quality/shipped)
  --captions        where burned-in captions stand instead: frames with lines over a face or outside of the safe area,
                    and reading speed, of clips that npm run reframe -- FILE --words wrote
  --clips DIR       where those lie, a folder for each (out)`;

const sampleRateHz = 16_000;
const musicFile = join(sharedMedia, 'talking/silent_woman_music_lp_s18_1280x720.mp4');
const { values } = parseArgs({
  options: {
    alignments: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    diarization: { type: 'boolean', default: false },
    captions: { type: 'boolean', default: false },
    clips: { type: 'string', default: join(root, 'out') },
    analyses: { type: 'string', default: join(root, 'out/quality/shipped') },
    help: { type: 'boolean' },
  },
});
const cache = join(root, 'models/cache');
const files = packagedManifest().models.filter(({ set }) => set === 'words');

if (values.help) console.log(usage);
else if (values.captions) {
  const sheet = openSheet('words/captions');
  measureCaptions(sheet, values.clips);
  sheet.save();
} else if (!hasShared()) console.log('The development material (../shared/media) is not here.');
else if (values.diarization) {
  const sheet = openSheet('words/diarization');
  measureDiarization(sheet, values.analyses, join(values.analyses, '../mixes'));
  sheet.save();
} else if (!files.every(({ file }) => existsSync(join(cache, file))))
  console.log('The recogniser is not here: npm run models -- --add words.');
else await main(Number(values.seconds));

async function main(seconds: number): Promise<void> {
  const sheet = openSheet('words');
  const { say, keep, save } = sheet;
  const options = { device: 'wasm', threads: 1 } as const;
  const open = (path: string) => openSession(readFileSync(path), path, options);
  const gate = await open(join(root, 'models/silero_vad_v6.onnx'));
  const pathOf = (id: string) => join(cache, files.find(entry => entry.id === id)!.file);
  const model = createMoonshine({
    encoder: await open(pathOf('moonshine-tiny-encoder')),
    decoder: await open(pathOf('moonshine-tiny-decoder')),
    tokens: readTokenList(readFileSync(pathOf('moonshine-tokens'))),
    name: 'moonshine-tiny',
    language: 'en',
  });
  const hear = (samples: Float32Array) => transcribe(model, createSpeechDetector(gate), samples);

  const music = readSound(musicFile);
  const backgrounds: readonly Background[] = [
    { name: 'as it is', of: () => undefined },
    ...[20, 10, 5].map(dB => ({ name: `white noise ${dB} dB below`, of: whiteNoise, dB })),
    { name: 'music 10 dB below', of: length => music.slice(0, length), dB: 10 },
  ];
  const made = madeSpeech(join(root, 'out/words/made'));
  if (!made.length) say('espeak-ng is not installed: no read speech is made.');
  for (const [corpus, clips] of Object.entries({ GRID: gridClips(values.alignments), 'made speech': made }))
    for (const background of clips.length ? backgrounds : [])
      await hearClips(corpus, clips, background, hear, sheet);
  for (const [name, samples] of soundsWithoutWords(seconds)) {
    const { words, disbelieved, cpuSec } = await hear(samples);
    const text = words.map(({ word }) => word).join(' ');
    const perSec = cpuSec / (samples.length / sampleRateHz);
    say(
      `${name.padEnd(26)} ${words.length} false words in ${seconds} s, ${perSec.toFixed(3)} CPU-s a second  ${text}`,
    );
    keep({ what: name, words, disbelieved, cpuSec });
  }
  await model.close();
  await gate.close();
  save();
}

type Hear = (samples: Float32Array) => ReturnType<typeof transcribe>;

/** What is heard beside a clip, so many decibels weaker over the whole of it. */
type Background = {
  readonly name: string;
  readonly of: (length: number) => Float32Array | undefined;
  readonly dB?: number;
};

async function hearClips(
  corpus: string,
  clips: readonly SpokenClip[],
  background: Background,
  hear: Hear,
  { say, keep }: Sheet,
): Promise<void> {
  const onsets: number[] = [];
  const starts: number[] = [];
  let [errors, said, cpuSec, soundSec] = [0, 0, 0, 0];
  for (const clip of clips) {
    const samples = withBackground(readSound(clip.file), background);
    const { words, cpuSec: usedSec } = await hear(samples);
    const comparison = compareWords(
      clip.words,
      words.map(({ word }) => plainWord(word)),
    );
    errors += comparison.errors;
    said += clip.words.length;
    cpuSec += usedSec;
    soundSec += samples.length / sampleRateHz;
    const [first] = comparison.pairs;
    if (clip.onsetSec !== undefined && first?.[0] === 0)
      onsets.push(Math.abs(words[first[1]]!.start - clip.onsetSec));
    for (const [from, to] of clip.startsSec ? comparison.pairs : [])
      if (clip.startsSec![from] !== undefined)
        starts.push(Math.abs(words[to]!.start - clip.startsSec![from]));
    keep({ what: clip.name, background: background.name, ...comparison, words, cpuSec: usedSec });
    if (background.dB === undefined)
      say(
        `${clip.name}  ${comparison.errors} of ${clip.words.length}  ${words.map(({ word }) => word).join(' ')}`,
      );
  }
  say();
  say(`${corpus}, ${background.name}`);
  say(`word error rate            ${((100 * errors) / said).toFixed(1)} % of ${said} words`);
  say(`start of the first word    ${describe(onsets)}`);
  if (clips.some(({ startsSec }) => startsSec)) say(`start of each word         ${describe(starts)}`);
  say(`CPU-seconds a second       ${(cpuSec / soundSec).toFixed(2)} over ${soundSec.toFixed(0)} s`);
  say();
  keep({ what: corpus, background: background.name, errors, said, onsets, starts, cpuSec, soundSec });
}

/** A second at a time, as an analysis pushes it. */
async function transcribe(
  model: TranscriptionModel,
  gate: ReturnType<typeof createSpeechDetector>,
  samples: Float32Array,
) {
  const began = process.cpuUsage();
  const transcriber = createTranscriber(model);
  for (let at = 0; at < samples.length; at += sampleRateHz) {
    const block = samples.subarray(at, at + sampleRateHz);
    await transcriber.push(block, await gate.push(block));
  }
  const words = await transcriber.finish();
  const { user, system } = process.cpuUsage(began);
  return { words, disbelieved: transcriber.disbelieved(), cpuSec: (user + system) / 1e6 };
}

function readSound(file: string): Float32Array {
  const format = ['-f', 'f32le', '-ac', '1', '-ar', String(sampleRateHz), '-'];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', '-i', file, ...format], { maxBuffer: 1 << 30 });
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function whiteNoise(length: number): Float32Array {
  const random = mulberry32(2);
  return Float32Array.from({ length }, () => 2 * random() - 1);
}

function withBackground(samples: Float32Array, { of, dB }: Background): Float32Array {
  const beside = of(samples.length);
  if (!beside || dB === undefined) return samples;
  const power = (sound: Float32Array) => sound.reduce((sum, value) => sum + value ** 2, 0) / sound.length;
  const gain = Math.sqrt((power(samples) / power(beside)) * 10 ** (-dB / 10));
  return samples.map((value, i) => value + gain * beside[i % beside.length]!);
}

/** Silence, noises, chords that change twice a second, and music and laughter of clips, again and again. */
function soundsWithoutWords(seconds: number): [string, Float32Array][] {
  const length = seconds * sampleRateHz;
  const make = (sample: (i: number) => number) => Float32Array.from({ length }, (_, i) => sample(i));
  const random = mulberry32(1);
  const white = () => 2 * random() - 1;
  let brown = 0;
  const roots = [220, 261.6, 196, 293.7, 246.9];
  const chord = (i: number) => {
    const root = roots[Math.floor(i / (sampleRateHz / 2)) % roots.length]!;
    const pitches = [1, 1.25, 1.5, 2].map(ratio => Math.sin((2 * Math.PI * root * ratio * i) / sampleRateHz));
    return 0.1 * pitches.reduce((sum, value) => sum + value, 0);
  };
  const music = readSound(musicFile);
  // INDEX.md: a laugh track from 4.1 to 5.5 s.
  const laughter = readSound(join(sharedMedia, 'talking/film_friends_cuts_640x360.mp4')).slice(
    4.2 * sampleRateHz,
    5.4 * sampleRateHz,
  );
  return [
    ['silence', make(() => 0)],
    ['white noise', make(() => 0.1 * white())],
    ['rumble', make(() => (brown = 0.99 * brown + 0.02 * white()))],
    ['chords', make(chord)],
    ['music of a clip', make(i => music[i % music.length]!)],
    ['laughter of a clip', make(i => laughter[i % laughter.length]!)],
  ];
}

/** Median and ninth decile of absolute errors. */
function describe(errorsSec: readonly number[]): string {
  if (!errorsSec.length) return 'none found';
  const sorted = [...errorsSec].sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(1000 * sorted[Math.floor(share * (sorted.length - 1))]!)} ms`;
  return `median ${at(0.5)}, p90 ${at(0.9)} of ${sorted.length}`;
}
