import { expect, test } from 'vitest';
import { callAnalyse } from '../../../src/reframer/call-analyse.js';
import type { FaceTracking } from '../../../src/schema/result.js';

const face_tracking_yolov8: FaceTracking = {
  ...{ model: 'known', video_fps: 25, total_frames: 1, width: 64, height: 36, track_count: 0, tracks: [] },
};

test.each([
  ['without faces', { want: ['scene_detection'] as const }],
  ['with faces that are known', { have: { face_tracking_yolov8 } }],
])('people cannot be told apart %s, and nothing is begun', async (_, asked) => {
  const call = {
    source: new Blob(),
    engine: { device: 'wasm', decoder: 'auto', threads: 1, models: {} } as const,
    worker: () => {
      throw new Error('begun');
    },
  };
  await expect(callAnalyse(call, { ...asked, identities: true })).rejects.toThrow(
    new TypeError('identities needs face_tracking_yolov8 in want, and not in have.'),
  );
});
