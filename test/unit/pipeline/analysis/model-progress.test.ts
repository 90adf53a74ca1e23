import { expect, test } from 'vitest';
import { packagedManifest } from '../../../../src/inference/manifest.js';
import { createModelProgress, modelsOf } from '../../../../src/pipeline/analysis/model-progress.js';
import type { ActiveSpeaker, SceneDetection } from '../../../../src/schema/result.js';

const want = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'] as const;
const scene_detection: SceneDetection = {
  ...{ model: 'known', video_fps: 25, total_frames: 0, scene_count: 0, scenes: [] },
};

test('an analysis uses the models of the parts that it computes', () => {
  expect(modelsOf({}, { want, have: {}, hasSound: true })).toEqual([
    ...['edge-cuts', 'edge-face'],
    ...['edge-speaker-visual', 'edge-speaker-audio', 'edge-speaker-backend', 'silero-vad', 'edge-voice'],
  ]);
  expect(modelsOf({}, { want, have: { scene_detection }, hasSound: false })).toEqual(['edge-face']);
  const chosen = { shotDetector: 'model-free', faceDetector: 'yunet', speaker: 'lr-asd' } as const;
  expect(modelsOf(chosen, { want: ['active_speaker'], have: {}, hasSound: true })).toEqual([
    'yunet',
    ...['lr-asd-visual', 'lr-asd-audio', 'lr-asd-backend', 'silero-vad', 'edge-voice'],
  ]);
});

test('words need the recogniser and the gate, where the caller does not write them down and there is sound', () => {
  const words = { want: ['transcription'], have: { scene_detection }, hasSound: true } as const;
  const recogniser = ['moonshine-tiny-encoder', 'moonshine-tiny-decoder', 'moonshine-tokens'];
  expect(modelsOf({}, words)).toEqual(['silero-vad', ...recogniser]);
  expect(modelsOf({}, { ...words, hasTranscriber: true })).toEqual(['silero-vad']);
  expect(modelsOf({}, { ...words, hasSound: false })).toEqual([]);
});

test('who is heard needs voices, and faces only where nobody knows who is seen speaking', () => {
  const asked = { want: ['diarization'], hasSound: true } as const;
  const active_speaker: ActiveSpeaker = {
    ...{ model: 'active_speaker', video_fps: 25, total_frames: 0, track_count: 0, tracks: [] },
  };
  const known = { scene_detection, active_speaker };
  expect(modelsOf({}, { ...asked, have: known })).toEqual(['silero-vad', 'edge-voice']);
  expect(modelsOf({}, { ...asked, have: {} })).toEqual(
    modelsOf({}, { ...asked, want: ['active_speaker'], have: {} }),
  );
});

test('people are told apart only where faces are looked for', () => {
  const faces = { want: ['face_tracking_yolov8'], hasSound: false, hasIdentities: true } as const;
  expect(modelsOf({}, { ...faces, have: { scene_detection } })).toEqual([
    'edge-face',
    'dlib-face-recognition',
  ]);
  expect(modelsOf({}, { ...faces, want: ['scene_detection'], have: {} })).toEqual(['edge-cuts']);
});

test('files that come side by side fill the whole bar', () => {
  const told: number[] = [];
  const needs = { want, have: {}, hasSound: true };
  const progress = createModelProgress({}, needs, ratio => told.push(ratio));
  const files = packagedManifest().models.filter(({ id }) => modelsOf({}, needs).includes(id));
  for (const share of [0.25, 0.5, 1])
    for (const { id, bytes } of files) progress({ id, receivedBytes: bytes * share, totalBytes: bytes });
  expect(told).toHaveLength(21);
  expect(told).toEqual([...told].sort((a, b) => a - b));
  expect([told[6], told[13], told[20]]).toEqual([0.25, 0.5, 1]);
  // One that another call asked for is not of this run.
  progress({ id: 'yunet', receivedBytes: 1, totalBytes: 2 });
  expect(told).toHaveLength(21);
});
