import type { ActiveSpeaker, FaceTracking } from '../../schema/result.js';

/** A stretch in which a face is seen speaking. */
export type SpeakingTurn = {
  readonly faceId: number;
  /** Absent where nobody knows who it is. */
  readonly personId?: number;
  readonly startSec: number;
  readonly endSec: number;
  /** Mean probability that the face speaks, 0–1; 1 where the analysis says none. */
  readonly confidence: number;
};

/** Pauses of a face up to this long belong to its turn, seconds: those that speech bridges too. */
const bridgeSec = 0.4;
/** Shorter turns are a twitch, seconds. */
const leastSec = 0.2;

/** The turns of all faces, in order of their starts. */
export function speakingTurns(
  { tracks, video_fps }: ActiveSpeaker,
  faces: Pick<FaceTracking, 'tracks'> | undefined,
): SpeakingTurn[] {
  const people = new Map(faces?.tracks.map(({ face_id, person_id }) => [face_id, person_id]));
  const frameSec = 1 / (video_fps || 25);
  const turns = tracks.flatMap(({ face_id, scores }) => {
    const personId = people.get(face_id);
    const who = { faceId: face_id, ...(personId !== undefined && { personId }) };
    const found: { startSec: number; endSec: number; sum: number; count: number }[] = [];
    for (const { timestamp, speaking, confidence = 1 } of scores) {
      if (!speaking) continue;
      const last = found.at(-1);
      const endSec = timestamp + frameSec;
      if (last && timestamp - last.endSec <= bridgeSec)
        Object.assign(last, { endSec, sum: last.sum + confidence, count: last.count + 1 });
      else found.push({ startSec: timestamp, endSec, sum: confidence, count: 1 });
    }
    return found
      .filter(({ startSec, endSec }) => endSec - startSec >= leastSec)
      .map(({ startSec, endSec, sum, count }) => ({ ...who, startSec, endSec, confidence: sum / count }));
  });
  return turns.sort((a, b) => a.startSec - b.startSec);
}
