import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decideSpeakers } from '../../src/core/active-speaker.js';
import { toActiveSpeaker } from '../../src/core/active-speaker-result.js';
import { defaultClusterOptions } from '../../src/core/diarization/cluster-voices.js';
import { diarize } from '../../src/core/diarization/diarize.js';
import { heardAndSeen } from '../../src/core/diarization/heard-and-seen.js';
import type { SpeakerEvidence } from '../../src/index.js';
import { annotatedClips } from '../harness/clips.js';
import { readGroundTruth } from '../harness/ground-truth.js';
import type { Sheet } from '../harness/sheet.js';
import { keptEvidence, readResult } from '../quality/kept-analysis.js';
import { type DiarizationError, diarizationError } from './diarization-error.js';

/** The ways that are compared. */
const ways: Readonly<Record<string, { readonly voices: boolean; readonly sameFrom: number }>> = {
  'with voices': { voices: true, ...defaultClusterOptions },
  'without voices': { voices: false, ...defaultClusterOptions },
  'one from 0': { voices: true, sameFrom: 0 },
  'one from 1': { voices: true, sameFrom: 1 },
};

/**
 * Diarization error rate on clips whose turns are known to the frame, from evidence that `bench:quality -- --save-evidence`
 * kept: nothing is decoded.
 *
 * @param analyses - Folder of those analyses, one for each clip.
 * @param mixes - Folder with the truth of the mixes.
 */
export function measureDiarization({ say, keep }: Sheet, analyses: string, mixes: string): void {
  const truths = new Map([
    ...annotatedClips(join(analyses, '../hard')).map(
      ({ name, truth, key }) => [name, { truth, key }] as const,
    ),
    ...(existsSync(mixes) ? readdirSync(mixes) : [])
      .filter(file => file.endsWith('.json'))
      .map(file => [file.replace(/\.json$/, ''), { truth: join(mixes, file), key: undefined }] as const),
  ]);
  const sums = new Map<string, Map<string, DiarizationError>>();
  for (const name of readdirSync(analyses).sort()) {
    const evidence = keptEvidence(join(analyses, name));
    const source = truths.get(name);
    if (!evidence || !source) continue;
    const truth = readGroundTruth(source.truth, source.key);
    // Turns that somebody wrote down by ear are no more exact than the collar.
    if (truth.confidence !== 'exact' || !truth.speech.length) continue;
    const group = name.replace(/_\d+$/, '').replace(/^(mix_\w+?)_.*/, '$1');
    const row = Object.entries(ways).map(([way, options]) => {
      const { segments, speaker_count } = diarized(evidence, join(analyses, name), options);
      const found = segments.map(({ speaker, start, end }) => ({
        id: speaker,
        startSec: start,
        endSec: end,
      }));
      const unjudged = truth.pauses.map(([startSec, endSec]) => ({ startSec, endSec }));
      const error = diarizationError(truth.speech, found, unjudged);
      const sum = sums.get(group) ?? new Map<string, DiarizationError>();
      sums.set(group, sum.set(way, add(sum.get(way), error)));
      keep({ what: name, way, speakers: speaker_count, ...error });
      return `${rateOf(error)} (${speaker_count})`;
    });
    const speakers = new Set(truth.speech.map(({ id }) => id)).size;
    say(`${name.padEnd(34)} ${String(speakers).padStart(2)}  ${row.map(text => text.padEnd(12)).join('')}`);
  }
  say();
  say(`error rate, collar .25 s            ${Object.keys(ways).join(' | ')}`);
  for (const [group, sum] of sums)
    say(`${group.padEnd(38)}${[...sum.values()].map(one => describe(one).padEnd(27)).join('')}`);
}

function diarized(
  evidence: SpeakerEvidence,
  folder: string,
  { voices, sameFrom }: { readonly voices: boolean; readonly sameFrom: number },
) {
  const { sound, ...silent } = evidence;
  const given = sound && (voices ? evidence : { ...silent, sound: { ...sound, voices: new Int8Array(0) } });
  const { parts } = readResult(folder);
  const speakers = toActiveSpeaker(decideSpeakers(given ?? evidence), {
    frameRateHz: parts.active_speaker!.video_fps,
    totalFrames: parts.active_speaker!.total_frames,
  });
  const heard = heardAndSeen(speakers, parts.face_tracking_yolov8, {
    speech: evidence.speech!,
    voices: given?.sound?.voices,
    originSec: evidence.originSec,
  });
  return diarize(heard, 'measured', { sameFrom });
}

const add = (sum: DiarizationError | undefined, one: DiarizationError): DiarizationError => ({
  spokenSec: (sum?.spokenSec ?? 0) + one.spokenSec,
  missedSec: (sum?.missedSec ?? 0) + one.missedSec,
  falseSec: (sum?.falseSec ?? 0) + one.falseSec,
  confusedSec: (sum?.confusedSec ?? 0) + one.confusedSec,
});

const rateOf = ({ spokenSec, missedSec, falseSec, confusedSec }: DiarizationError) =>
  ((missedSec + falseSec + confusedSec) / spokenSec).toFixed(3);

const describe = (error: DiarizationError) =>
  `${rateOf(error)} = ${[error.missedSec, error.falseSec, error.confusedSec]
    .map(sec => (sec / error.spokenSec).toFixed(2))
    .join(' + ')}`;
