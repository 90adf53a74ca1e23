// tsx models/training/decision/make-mixes.ts DATA OUT --split val|test [--count N] [--first SEED] [--family ID] [--every N]: scenes as
// evidence, one file each, for fitting and judging the decision.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeEvidence } from '../../../bench/harness/evidence-text.js';
import { createSpeakerModel, embeddingSize, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { scoreBlock } from '../../../src/inference/score-windows.js';
import { openSession } from '../../../src/inference/session.js';
import { speechChunkSamples } from '../../../src/inference/silero.js';
import { createSoundEmbeddings } from '../../../src/inference/sound-embeddings.js';
import { createSyncProjector } from '../../../src/inference/sync-projector.js';
import { createVoiceEmbedder } from '../../../src/inference/voice-embedder.js';
import { createVoiceprints } from '../../../src/inference/voiceprints.js';
import { readMaterial } from './material.js';
import { drawScene, type Scene } from './scenes.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    split: { type: 'string', default: 'val' },
    count: { type: 'string', default: '200' },
    first: { type: 'string', default: '1' },
    family: { type: 'string', default: 'edge-speaker' },
    models: { type: 'string', default: 'models' },
    every: { type: 'string', default: '1' },
  },
});
const [data, out] = positionals as [string, string];
const { family } = values;

const onCpu = { device: 'wasm', threads: 1 } as const;
const open = (part: string) => {
  const name = readdirSync(values.models).find(
    file => file.startsWith(`${family}`) && file.includes(`-${part}.`),
  )!;
  return openSession(readFileSync(join(values.models, name)), `${family}-${part}`, onCpu);
};
const model: SpeakerModel = createSpeakerModel({
  family: family as 'edge-speaker',
  visual: await open('visual'),
  audio: await open('audio'),
  backend: await open('backend'),
});

const voice = createVoiceEmbedder(
  await openSession(readFileSync('models/edge-voice.onnx'), 'edge-voice', onCpu),
  'edge-voice',
);

/** Every eighth noise judges, to the others weights are fitted. */
const noises = readdirSync(join(data, 'voices/noise'))
  .filter((name, i) => /noise|music/.test(name) && (i % 8 === 0) === (values.split === 'test'))
  .slice(0, 40)
  .map(name => {
    const raw = execFileSync(
      'ffmpeg',
      ['-v', 'error', '-i', join(data, 'voices/noise', name), '-ar', '16000', '-ac', '1', '-f', 'f32le', '-'],
      { maxBuffer: 2 ** 28 },
    );
    return new Float32Array(new Uint8Array(raw).buffer);
  });
const material = await readMaterial(join(data, 'av'), model, {
  split: values.split as 'val',
  every: Number(values.every),
  cache: join(out, 'embeddings'),
  onProgress: id => process.stderr.write(`\r${id}          `),
});
console.error(
  `\n${material.talk.size} people, ${material.quiet.length} quiet pieces, ${noises.length} noises`,
);
const folder = join(out, `${family}-${values.split}`);
mkdirSync(folder, { recursive: true });
for (let seed = Number(values.first); seed < Number(values.first) + Number(values.count); seed++) {
  const file = join(folder, `${String(seed).padStart(5, '0')}.json`);
  if (existsSync(file)) continue;
  const scene = drawScene(material, noises, seed + (values.split === 'test' ? 1e6 : 0));
  writeFileSync(file, await measure(scene));
  process.stderr.write(`\r${seed} ${scene.kind}        `);
}

/** What the analysis would know of a scene, with the truth beside it. */
async function measure(scene: Scene): Promise<string> {
  const sound = await createSoundEmbeddings(model);
  await sound.push(scene.samples);
  await sound.finish();
  const candidates = [];
  for (const [k, face] of scene.faces.entries()) {
    const lips = createSyncProjector(model.sync?.faces);
    for (let i = 0; i < scene.frames; i++)
      lips.push(face.embeddings.subarray(i * embeddingSize, (i + 1) * embeddingSize));
    const scores = await scoreBlock(model, sound, { faces: face.embeddings, first: 0 });
    const frames = Array.from({ length: scene.frames }, (_, i) => ({ frameNumber: i, timeSec: i / 25 }));
    candidates.push({
      faceId: k,
      frames,
      evidence: { firstGridFrame: 0, ...scores, lips: lips.finish() },
    });
  }
  const prints = createVoiceprints(voice);
  await prints.push(scene.samples, speechChunksOf(scene.speech));
  const evidence = {
    candidates,
    speech: { originSec: 0, stepSec: 0.04, values: scene.speech },
    sound: { ...sound.evidence(), voices: await prints.finish() },
    shots: [{ startSec: 0, endSec: scene.frames / 25 }],
    originSec: 0,
  };
  const faces = scene.faces.map(({ facePx, rest, offset }) => ({ facePx, rest, offset }));
  const truth = { kind: scene.kind, faces, heard: [...scene.heard] };
  return `{"truth":${JSON.stringify(truth)},"evidence":${writeEvidence(evidence)}}`;
}

/** Probabilities per 25 Hz frame as those of the speech detector's chunks. */
function speechChunksOf(speech: Float32Array): Float32Array {
  const chunkSec = speechChunkSamples / 16_000;
  return Float32Array.from(
    { length: Math.floor(speech.length / 25 / chunkSec) },
    (_, chunk) => speech[Math.floor(chunk * chunkSec * 25)]!,
  );
}
