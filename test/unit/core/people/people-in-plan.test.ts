import { describe, expect, test } from 'vitest';
import { diarize } from '../../../../src/core/diarization/diarize.js';
import { heardAndSeen } from '../../../../src/core/diarization/heard-and-seen.js';
import { toFaceTracking } from '../../../../src/core/face-tracking.js';
import { findPeople } from '../../../../src/core/people/find-people.js';
import { planCrop } from '../../../../src/core/plan/plan.js';
import { toFaces } from '../../../../src/pipeline/analysis/passes/known-faces.js';
import { defaultPlanRequest } from '../../../../src/schema/plan.js';
import type { AnalysisParts } from '../../../../src/schema/result.js';
import { analyse, checked, faceId, type Stage } from '../plan/invented-scene.js';

/** Two people in three shots of which each is of another side; whoever is on the right in the first one talks most. */
const stage: Stage = {
  durationSec: 12,
  cuts: [4, 8],
  people: [
    { at: sec => ({ x: sec >= 4 && sec < 8 ? 1500 : 420, y: 460 }), speaks: [[0, 1.5]] },
    { at: sec => ({ x: sec >= 4 && sec < 8 ? 420 : 1500, y: 460 }), speaks: [[2, 12]] },
  ],
};
const parts = analyse(stage);
const { face_tracking_yolov8: bare } = parts;
const faces = toFaces(bare);
/** Each face is looked at once, and has its own person's descriptor, nearly. */
const looks = faces.map(({ faceId: id, boxes }) => ({
  ...boxes[20]!,
  quality: 0.7,
  descriptor: Float32Array.from(
    { length: 128 },
    (_, i) => Math.sin(i * (1 + (id % 100))) / 10 + (1e-3 * id) / 200,
  ),
}));
const known: AnalysisParts = {
  ...parts,
  face_tracking_yolov8: toFaceTracking(
    faces,
    { frameRateHz: 25, totalFrames: 300, width: 1920, height: 1080 },
    { model: 'invented', people: findPeople(faces, { looks, voices: new Map() }) },
  ),
};
const shown = (given: AnalysisParts, subjects: (typeof defaultPlanRequest)['subjects']) => {
  const { segments } = checked(planCrop(given, { ...defaultPlanRequest, subjects }));
  return [...new Set(segments.flatMap(({ panels }) => panels.map(({ face_id }) => face_id)))];
};

describe('one person, one number across cuts', () => {
  test('each has the number of the first face', () => {
    expect(known.face_tracking_yolov8!.tracks.map(({ face_id, person_id }) => [face_id, person_id])).toEqual(
      bare.tracks.map(({ face_id }) => [face_id, face_id % 100]),
    );
  });

  test('who is always to be shown is shown in every shot, though the face’s number changes', () => {
    const only = [
      { personId: 0, role: 'host' as const },
      { personId: 1, role: 'ignore' as const },
    ];
    expect(shown(known, only)).toEqual([faceId(0, 0), faceId(0, 1), faceId(0, 2)]);
    // Numbers of faces end with their shot.
    expect(shown(parts, only)).toContain(faceId(1, 1));
  });

  test('who is heard has one name from shot to shot', () => {
    const heard = { speech: undefined, voices: undefined, originSec: 0 };
    const speakers = (given: AnalysisParts) =>
      diarize(heardAndSeen(given.active_speaker, given.face_tracking_yolov8, heard), 'invented');
    expect(speakers(known).speaker_count).toBe(2);
    expect(speakers(parts).speaker_count).toBeGreaterThan(2);
    const later = speakers(known).segments.filter(({ start }) => start >= 2);
    expect(new Set(later.map(({ speaker, person_id }) => `${speaker} ${person_id}`))).toEqual(
      new Set(['Speaker 2 1']),
    );
  });
});
