import type { AnalysisParts } from '../../../src/schema/result.js';

/** Numbers from 0 to 1, the same ones for a seed (Lehmer 1951, with the factor of Park and Miller 1988). */
export function createRandom(seed: number): () => number {
  let state = (seed * 7919 + 17) % 2147483647 || 1;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

export type FlipOptions = {
  /** Share of the time in which the evidence is wrong, 0–1. */
  readonly share: number;
  /** Whether scores carry the confidence that they deserve: right in `1 - share` of the time, and no telling when. */
  readonly calibrated: boolean;
  readonly seed: number;
};

/**
 * Who speaks, as a model says it that is wrong for stretches of 0.5 to 3 s: what one face says is given to another face of
 * the shot, as sure as ever. A face that is alone speaks while it is silent and the other way round.
 */
export function flipEvidence(parts: AnalysisParts, { share, calibrated, seed }: FlipOptions): AnalysisParts {
  const speakers = parts.active_speaker;
  if (!speakers) return parts;
  const random = createRandom(seed);
  const turnAt = new Int32Array(speakers.total_frames);
  const rate = speakers.video_fps;
  let wrong = 0;
  for (let tries = 0; wrong < share * turnAt.length && tries < 1e5; tries++) {
    const length = Math.round((0.5 + 2.5 * random()) * rate);
    const start = Math.floor(random() * Math.max(1, turnAt.length - length));
    const turn = 1 + Math.floor(random() * 3);
    for (let i = start; i < Math.min(turnAt.length, start + length); i++) {
      if (!turnAt[i]) wrong++;
      turnAt[i] = turn;
    }
  }
  const byFrame: Map<number, boolean>[] = speakers.tracks.map(
    track => new Map(track.scores.map(score => [score.frame_number, score.speaking])),
  );
  return {
    ...parts,
    active_speaker: {
      ...speakers,
      tracks: speakers.tracks.map((track, t) => ({
        ...track,
        scores: track.scores.map(score => {
          const { frame_number } = score;
          const there = byFrame.flatMap((marks, k) => (marks.has(frame_number) ? [k] : []));
          const turn = turnAt[frame_number]!;
          const other = there[(there.indexOf(t) + turn) % there.length]!;
          const isTurned = turn && (there.length === 1 || other !== t);
          const speaking = isTurned
            ? there.length === 1
              ? !score.speaking
              : byFrame[other]!.get(frame_number)!
            : score.speaking;
          const anyone = there.some(k => byFrame[k]!.get(frame_number));
          const wrongly = share / Math.max(1, there.length - 1);
          return {
            ...score,
            speaking,
            score: speaking ? 2 : -2,
            ...(calibrated && { confidence: speaking ? 1 - share : anyone ? wrongly : 0.01 }),
          };
        }),
      })),
    },
  };
}
