import type { ActiveSpeaker } from '../schema/result.js';
import type { SourceClock } from '../schema/time.js';
import type { SpeakerDecision } from './active-speaker.js';

/** Puts decisions into the service's result; stretches with the same `faceId` become one track. */
export function toActiveSpeaker(decisions: readonly SpeakerDecision[], clock: SourceClock): ActiveSpeaker {
  const byFace = new Map<number, SpeakerDecision[]>();
  for (const decision of decisions) {
    byFace.set(decision.faceId, [...(byFace.get(decision.faceId) ?? []), decision]);
  }
  const tracks = [...byFace].map(([faceId, parts]) => {
    const scores = parts.flatMap(part =>
      part.frames.map((frame, i) => ({
        timestamp: frame.timeSec,
        frame_number: frame.frameNumber,
        score: part.score[i]!,
        speaking: part.speaking[i] === 1,
        // Hundredths: finer ones mean nothing, and results are long.
        confidence: Math.round(100 * part.confidence[i]!) / 100,
      })),
    );
    return {
      face_id: faceId,
      first_seen: scores[0]?.timestamp ?? 0,
      last_seen: scores.at(-1)?.timestamp ?? 0,
      speaking_fraction: scores.length ? scores.filter(s => s.speaking).length / scores.length : 0,
      scores,
    };
  });
  return {
    model: 'active_speaker',
    video_fps: clock.frameRateHz,
    total_frames: clock.totalFrames,
    track_count: tracks.length,
    tracks,
  };
}
