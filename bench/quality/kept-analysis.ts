import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decideSpeakers } from '../../src/core/active-speaker.js';
import { toActiveSpeaker } from '../../src/core/active-speaker-result.js';
import type { SpeakerEvidence } from '../../src/core/speaker-evidence.js';
import type { AnalysisResult, Plan } from '../../src/index.js';
import { readEvidence } from '../harness/evidence-text.js';

const evidenceFile = 'evidence.json';

export const keepEvidence = (folder: string, text: string): void =>
  writeFileSync(join(folder, evidenceFile), text);

/** Undefined where none was kept. */
export function keptEvidence(folder: string): SpeakerEvidence | undefined {
  const file = join(folder, evidenceFile);
  return existsSync(file) ? readEvidence(readFileSync(file, 'utf8')) : undefined;
}

/** Writes an analysis and its plan in the files that the command line writes. */
export function keepAnalysis(folder: string, result: AnalysisResult, plan: Plan): void {
  mkdirSync(folder, { recursive: true });
  for (const [part, value] of Object.entries(result.parts))
    writeFileSync(join(folder, `${part}.json`), JSON.stringify(value));
  writeFileSync(join(folder, 'crop_path.json'), JSON.stringify(plan));
  const { parts: _parts, ...envelope } = result;
  writeFileSync(join(folder, 'envelope.json'), JSON.stringify(envelope));
}

/** What {@link keepAnalysis} wrote. */
export function readResult(folder: string): AnalysisResult {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const parts: Record<string, unknown> = {};
  for (const part of ['scene_detection', 'face_tracking_yolov8', 'active_speaker']) {
    if (existsSync(join(folder, `${part}.json`))) parts[part] = read(`${part}.json`);
  }
  return { ...read('envelope.json'), parts };
}

/** A kept analysis whose speakers are decided anew; as it is where no evidence was kept. */
export function replay(folder: string): AnalysisResult {
  const result = readResult(folder);
  const evidence = keptEvidence(folder);
  const before = result.parts.active_speaker;
  if (!evidence || !before) return result;
  const decisions = decideSpeakers(evidence);
  const clock = { frameRateHz: before.video_fps, totalFrames: before.total_frames };
  return { ...result, parts: { ...result.parts, active_speaker: toActiveSpeaker(decisions, clock) } };
}
