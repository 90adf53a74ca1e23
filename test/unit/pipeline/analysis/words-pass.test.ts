import { expect, test } from 'vitest';
import type { TranscriptionModel } from '../../../../src/inference/transcription-model.js';
import { createWordsPass, type WordsState } from '../../../../src/pipeline/analysis/passes/words-pass.js';
import { createStopwatch } from '../../../../src/pipeline/stopwatch.js';

const second = 16_000;
const chunksPerBlock = 25;
const block = chunksPerBlock * 512;

/** A recogniser that answers when it is told to: each piece with one word, the piece's number of samples. */
function slowModel() {
  const waiting: (() => void)[] = [];
  const model: TranscriptionModel = {
    ...{ name: 'slow', language: 'en', longestSec: 2 },
    async transcribe(samples, signal) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      const text = ` word${samples.length}`;
      return [{ text, startSec: 0, endSec: samples.length / second, logProbability: -0.1 }];
    },
    close: async () => {},
  };
  /** Answers all that is asked, and what follows from that. */
  const answerAll = async () => {
    for (let idle = 0; idle < 20; idle++) {
      if (waiting.length) idle = 0;
      for (const answer of waiting.splice(0)) answer();
      await new Promise(resolve => setTimeout(resolve));
    }
  };
  return { model, answerAll };
}

/** A pass, and the sound that it listens to. */
function openPass(model: TranscriptionModel, saved?: WordsState) {
  const listeners: ((samples: Float32Array, speech: Float32Array) => Promise<void>)[] = [];
  const sound = {
    listen: (hear: (typeof listeners)[number]) => void listeners.push(hear),
    hearAll: async () => {},
  };
  const pass = createWordsPass({ model, sound, stopwatch: createStopwatch() }, saved);
  /** 0.8 s of speech, or of silence in every fifth block. */
  const hear = (rank: number) => {
    const loudness = rank % 5 === 4 ? 0 : 0.3;
    return listeners[0]!(
      new Float32Array(block).fill(loudness),
      new Float32Array(chunksPerBlock).fill(loudness * 3),
    );
  };
  return { pass, hear };
}

const wordsOf = async (pass: ReturnType<typeof openPass>['pass'], answerAll: () => Promise<void>) => {
  const finished = pass.finish();
  await answerAll();
  return (await finished).words;
};

test('what is saved while a piece is written, and sound waits, gives what one go gives', async () => {
  const whole = slowModel();
  const once = openPass(whole.model);
  for (let rank = 0; rank < 10; rank++) await once.hear(rank);
  const words = await wordsOf(once.pass, whole.answerAll);
  expect(words!.length).toBeGreaterThan(3);

  for (const answered of [false, true]) {
    const first = slowModel();
    const before = openPass(first.model);
    for (let rank = 0; rank < 6; rank++) await before.hear(rank);
    if (answered) await first.answerAll();
    const saved = structuredClone(before.pass.save()) as WordsState;
    await before.pass.close!();
    const second = slowModel();
    const after = openPass(second.model, saved);
    for (let rank = 6; rank < 10; rank++) await after.hear(rank);
    expect(await wordsOf(after.pass, second.answerAll)).toEqual(words);
  }
});

test('sound goes on while the recogniser writes, until it is half a minute behind', async () => {
  const { model, answerAll } = slowModel();
  const { pass, hear } = openPass(model);
  let heard = 0;
  const hearing = (async () => {
    for (; heard < 60; heard++) await hear(heard);
  })();
  await new Promise(resolve => setTimeout(resolve, 20));
  expect((heard * block) / second).toBeGreaterThan(25);
  expect((heard * block) / second).toBeLessThan(35);
  expect((await pass.partial(0)).words).toEqual([]);
  await answerAll();
  await hearing;
  expect((await pass.partial(0)).words!.length).toBeGreaterThan(5);
});

test('a recogniser that fails ends the analysis', async () => {
  const refuse = () => Promise.reject(new Error('broken'));
  const { pass, hear } = openPass({ ...slowModel().model, transcribe: refuse });
  const hearing = async () => {
    for (let rank = 0; rank < 9; rank++) {
      await hear(rank);
      await new Promise(resolve => setTimeout(resolve));
    }
  };
  await expect(hearing()).rejects.toThrow('broken');
  await expect(pass.finish()).rejects.toThrow('broken');
});

test('closing stops what is being written', async () => {
  const { model } = slowModel();
  const { pass, hear } = openPass(model);
  for (let rank = 0; rank < 4; rank++) await hear(rank);
  await pass.close!();
});
