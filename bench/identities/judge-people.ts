import type { FaceTracking } from '../../src/schema/result.js';
import type { TrueFace } from '../harness/ground-truth.js';

type Track = FaceTracking['tracks'][number];

/** A face of a result and who it truly is; faces of whom nobody knows are not judged. */
export type JudgedFace = { readonly track: Track; readonly person: string };

/** Pairs of faces within a clip: those that are one person, those that were said to be, and those of which both holds. */
export type Pairs = { readonly same: number; readonly joined: number; readonly right: number };

/** Counts pairs. A face without a `person_id` is joined with none. */
export function countPairs(faces: readonly JudgedFace[]): Pairs {
  const pairs = { same: 0, joined: 0, right: 0 };
  faces.forEach((a, i) => {
    for (const b of faces.slice(i + 1)) {
      const isSame = a.person === b.person;
      const isJoined = a.track.person_id !== undefined && a.track.person_id === b.track.person_id;
      pairs.same += Number(isSame);
      pairs.joined += Number(isJoined);
      pairs.right += Number(isSame && isJoined);
    }
  });
  return pairs;
}

/** In clips that show one person in each shot, that person is the largest face. */
export function judgeShots(
  { tracks }: FaceTracking,
  shots: readonly { readonly person: string; readonly startSec: number; readonly endSec: number }[],
): JudgedFace[] {
  return shots.flatMap(({ person, startSec, endSec }) => {
    const here = tracks.filter(({ first_seen, last_seen }) => {
      const middleSec = (first_seen + last_seen) / 2;
      return middleSec >= startSec && middleSec < endSec;
    });
    const area = ({ boxes }: Track) => boxes[0]!.width * boxes[0]!.height;
    const largest = [...here].sort((a, b) => area(b) - area(a))[0];
    return largest ? [{ track: largest, person }] : [];
  });
}

/** By annotated boxes: who is nearest to the face's middle in most of its frames, no farther than the face is wide. */
export function judgeBoxes({ tracks, video_fps }: FaceTracking, truth: readonly TrueFace[]): JudgedFace[] {
  return tracks.flatMap(track => {
    const votes = new Map<string, number>();
    for (const { frame_number, x, y, width, height } of track.boxes) {
      const timeSec = frame_number / video_fps;
      const near = truth
        .filter(({ startSec, endSec }) => timeSec >= startSec && timeSec < endSec)
        .map(({ id, box: [left, top, wide, high] }) => ({
          id,
          away: Math.hypot(left + wide / 2 - x - width / 2, top + high / 2 - y - height / 2),
        }))
        .filter(({ away }) => away < width / 2)
        .sort((a, b) => a.away - b.away)[0];
      if (near) votes.set(near.id, (votes.get(near.id) ?? 0) + 1);
    }
    const [person, count] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    return count > track.boxes.length / 2 ? [{ track, person }] : [];
  });
}
