import { describe, expect, test } from 'vitest';
import { diarize, type HeardAndSeen } from '../../../../src/core/diarization/diarize.js';
import { speakingTurns } from '../../../../src/core/diarization/speaking-turns.js';
import { voicePieceSec, voiceSize, voiceStepSec } from '../../../../src/core/speaker-evidence.js';

type Who = 'ann' | 'bob' | 'cid';
/** A direction for each person, and a little of the moment: voices differ from piece to piece. */
function voiceOf(shares: ReadonlyMap<Who, number>, rank: number): Int8Array {
  const people: readonly Who[] = ['ann', 'bob', 'cid'];
  const voice = Float64Array.from({ length: voiceSize }, (_, i) => 0.03 * Math.sin(rank * 7 + i * 1.7));
  for (const [who, share] of shares) {
    const from = people.indexOf(who) * 32;
    for (let i = from; i < from + 32; i++) voice[i]! += share * (i % 2 ? 1 : -1) * 0.17;
  }
  const length = Math.hypot(...voice);
  return Int8Array.from(voice, value => Math.round((127 * value) / length));
}

/** A scene as somebody would write it down: who is heard when, and which face, if any, is seen saying it. */
type Heard = readonly [who: Who, startSec: number, endSec: number, faceId?: number, personId?: number];

function invent(
  heard: readonly Heard[],
  onScreen: HeardAndSeen['onScreen'] = [],
  originSec = 0,
): HeardAndSeen {
  const lastSec = Math.max(...heard.map(([, , endSec]) => endSec));
  const pieces = Math.floor((lastSec - originSec - voicePieceSec) / voiceStepSec + 1e-9) + 1;
  const voices = new Int8Array(pieces * voiceSize);
  for (let rank = 0; rank < pieces; rank++) {
    const fromSec = originSec + rank * voiceStepSec;
    const shares = new Map<Who, number>();
    for (const [who, startSec, endSec] of heard) {
      const sec = Math.min(endSec, fromSec + voicePieceSec) - Math.max(startSec, fromSec);
      if (sec > 0.2) shares.set(who, (shares.get(who) ?? 0) + sec / voicePieceSec);
    }
    if (shares.size) voices.set(voiceOf(shares, rank), rank * voiceSize);
  }
  const speech: { startSec: number; endSec: number }[] = [];
  for (const [, startSec, endSec] of [...heard].sort((a, b) => a[1] - b[1])) {
    const last = speech.at(-1);
    if (last && startSec - last.endSec < 0.4) last.endSec = Math.max(last.endSec, endSec);
    else speech.push({ startSec, endSec });
  }
  const turns = heard.flatMap(([, startSec, endSec, faceId, personId]) =>
    faceId === undefined
      ? []
      : [{ faceId, startSec, endSec, confidence: 0.9, ...(personId !== undefined && { personId }) }],
  );
  return { speech, turns, onScreen, voices, originSec };
}

/** Who is said to speak, as `1: 0-4` with the face behind an @. */
const told = (scene: HeardAndSeen) => {
  const { segments, speaker_count } = diarize(scene, 'invented');
  const lines = segments.map(
    ({ speaker, start, end, face_id }) =>
      `${speaker.replace('Speaker ', '')}: ${start.toFixed(1)}-${end.toFixed(1)}${face_id === undefined ? '' : `@${face_id}`}`,
  );
  return { lines, speaker_count };
};

describe('who is heard when', () => {
  test('a face keeps its speaker over a cut, by its voice', () => {
    const scene = invent([
      ['ann', 0, 4, 0],
      ['bob', 5, 9, 1],
      ['ann', 10, 14, 2],
    ]);
    expect(told(scene)).toEqual({
      lines: ['1: 0.0-4.0@0', '2: 5.0-9.0@1', '1: 10.0-14.0@2'],
      speaker_count: 2,
    });
  });

  test('a voice that nobody on screen has is known again where its face is seen', () => {
    const scene = invent([
      ['ann', 0, 4],
      ['bob', 5, 9, 0],
      ['ann', 10, 14, 1],
    ]);
    expect(told(scene).lines).toEqual(['1: 0.0-4.0', '2: 5.0-9.0@0', '1: 10.0-14.0@1']);
  });

  test('unseen voices that follow one another are told apart', () => {
    const { lines, speaker_count } = told(
      invent([
        ['ann', 0, 6],
        ['bob', 6, 12],
      ]),
    );
    expect(speaker_count).toBe(2);
    const changes = lines.map(line => Number(/-([\d.]+)/.exec(line)![1]));
    expect(changes.some(atSec => Math.abs(atSec - 6) < 0.8)).toBe(true);
  });

  test('two faces on screen at once are two people, however alike their voices are', () => {
    const both = [0, 1].map(faceId => ({ faceId, startSec: 0, endSec: 9 }));
    const heard: Heard[] = [
      ['ann', 0, 4, 0],
      ['ann', 5, 9, 1],
    ];
    expect(told(invent(heard)).speaker_count).toBe(1);
    expect(told(invent(heard, both)).speaker_count).toBe(2);
  });

  test('a person who is known by the face is one speaker, whatever the voice says', () => {
    const scene = invent([
      ['ann', 0, 4, 0, 7],
      ['bob', 5, 9, 1, 7],
    ]);
    expect(told(scene).speaker_count).toBe(1);
    expect(diarize(scene, 'invented').segments[0]).toMatchObject({ person_id: 7, confidence: 0.9 });
  });

  test('who speaks at once has segments that overlap', () => {
    const scene = invent([
      ['ann', 0, 5, 0],
      ['bob', 4, 9, 1],
    ]);
    expect(told(scene).lines).toEqual(['1: 0.0-5.0@0', '2: 4.0-9.0@1']);
  });

  test('speech that is too short for a voice belongs to the turn beside it', () => {
    const scene = invent([
      ['ann', 0, 4, 0],
      ['ann', 4, 4.3],
      ['bob', 6, 9, 1],
    ]);
    expect(told(scene).lines).toEqual(['1: 0.0-4.3@0', '2: 6.0-9.0@1']);
  });

  test('a range that does not begin at 0 gives times of the source', () => {
    const scene = invent(
      [
        ['ann', 60, 64],
        ['bob', 65, 69, 0],
        ['ann', 70, 74, 1],
      ],
      [],
      60,
    );
    expect(told(scene).lines).toEqual(['1: 60.0-64.0', '2: 65.0-69.0@0', '1: 70.0-74.0@1']);
  });

  test('without voices faces are told apart, and what nobody on screen says is still told', () => {
    const scene = invent([
      ['ann', 0, 4, 0],
      ['bob', 6, 9],
    ]);
    expect(told({ ...scene, voices: new Int8Array(0) }).lines).toEqual(['1: 0.0-4.0@0', '2: 6.0-9.0']);
  });

  test('silence has no speakers', () => {
    const nothing = { speech: [], turns: [], onScreen: [], voices: new Int8Array(0), originSec: 0 };
    expect(diarize(nothing, 'invented')).toEqual({ model: 'invented', speaker_count: 0, segments: [] });
  });

  test('confidences are probabilities', () => {
    const scene = invent([
      ['ann', 0, 4],
      ['bob', 5, 9],
      ['cid', 10, 14],
      ['ann', 15, 19],
    ]);
    for (const { confidence } of diarize(scene, 'invented').segments) {
      expect(confidence).toBeGreaterThan(0.5);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });
});

test('frames that speak become turns: short pauses are bridged, twitches left out', () => {
  const scores = Array.from({ length: 100 }, (_, i) => ({
    ...{ timestamp: i / 25, frame_number: i, score: 0, confidence: 0.8 },
    speaking: (i >= 10 && i < 30) || (i >= 36 && i < 60) || (i >= 80 && i < 83),
  }));
  const track = { face_id: 3, first_seen: 0, last_seen: 4, speaking_fraction: 0.5, scores };
  const speakers = {
    model: 'active_speaker',
    video_fps: 25,
    total_frames: 100,
    track_count: 1,
    tracks: [track],
  } as const;
  const [turn, ...more] = speakingTurns({ ...speakers, tracks: [track] }, undefined);
  expect(more).toEqual([]);
  expect(turn).toMatchObject({ faceId: 3, startSec: 0.4 });
  expect(turn!.endSec).toBeCloseTo(2.4, 5);
  expect(turn!.confidence).toBeCloseTo(0.8, 5);
});
