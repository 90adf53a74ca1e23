import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../../src/schema/plan.js';
import type { AnalysisParts } from '../../../src/schema/result.js';
import { annotatedClips, hasShared } from '../../harness/clips.js';
import { type GroundTruth, readGroundTruth } from '../../harness/ground-truth.js';
import type { Sheet } from '../../harness/sheet.js';
import { measure } from '../measures.js';
import { alwaysStack, oracleParts, pingPong } from '../straw-plans.js';
import { inventConversations } from './conversations.js';
import { flipEvidence } from './flip-evidence.js';
import type { Planner } from './planner.js';

/** Shares of wrong evidence, and how often each is drawn. */
const shares = [0, 0.1, 0.2, 0.3];
const draws = 3;

type Case = { readonly name: string; readonly truth: GroundTruth; readonly parts: AnalysisParts };

/**
 * What plans are worth when the evidence is wrong for a part of the time: true faces and cuts, and speakers of whom 0, 10,
 * 20 and 30 % are given to somebody else for stretches of 0.5 to 3 s. `told` planners get the confidence that such
 * evidence deserves, the others take it for sure.
 */
export function tellNoise(sheet: Sheet, planners: readonly Planner[], folder: string): void {
  const sets: Readonly<Record<string, Case[]>> = {
    'invented conversations': inventConversations().map(({ name, truth }) => caseOf(name, truth)),
    'true plans of clips': trueClips(folder),
  };
  for (const [set, cases] of Object.entries(sets)) {
    if (!cases.length) continue;
    sheet.say();
    sheet.say(
      `${`${set} (${cases.length})`.padEnd(34)}${'wrong'.padStart(6)}${'framed'.padStart(8)}${'large'.padStart(8)}${'panels'.padStart(8)}${'if sure'.padStart(8)}${'views/min'.padStart(11)}`,
    );
    for (const share of shares) {
      for (const planner of planners) {
        tell(`${planner.name}, told nothing`, share, cases, { planner, calibrated: false });
        if (planner.name === 'now') tell('now, told how sure', share, cases, { planner, calibrated: true });
      }
    }
    const straws: Readonly<Record<string, (parts: AnalysisParts) => Plan>> = {
      'straw: always stack': parts => alwaysStack(parts).plan!,
      'straw: ping-pong': parts => pingPong(parts).plan!,
    };
    for (const [name, plan] of Object.entries(straws))
      tell(name, 0, cases, { planner: { name, plan }, calibrated: false });
  }

  function tell(
    name: string,
    share: number,
    cases: readonly Case[],
    { planner, calibrated }: { planner: Planner; calibrated: boolean },
  ): void {
    const rows = cases.flatMap(({ truth, parts }) =>
      Array.from({ length: share ? draws : 1 }, (_, seed) => {
        const flipped = flipEvidence(parts, { share, calibrated, seed });
        const plan = planner.plan(flipped);
        const figures = measure({ parts: flipped, plan }, truth);
        return {
          framed: figures.speaker_framed as number | null,
          large: figures.speaker_large as number | null,
          ...panelsOf(plan, truth),
          viewsPerMin: (plan.segments.length * 60 * plan.video_fps) / plan.frame_count,
        };
      }),
    );
    const mean = (key: keyof (typeof rows)[number]) => {
      const values = rows.flatMap(row => (row[key] === null ? [] : [row[key]]));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const sum = (key: 'frames' | 'shared' | 'alone' | 'sharedAlone') =>
      rows.reduce((all, row) => all + row[key], 0);
    const figures = {
      framed: mean('framed'),
      large: mean('large'),
      panels: sum('shared') / sum('frames'),
      panelsIfSure: sum('sharedAlone') / sum('alone'),
      viewsPerMin: mean('viewsPerMin'),
    };
    const cells = [figures.framed, figures.large, figures.panels, figures.panelsIfSure];
    sheet.say(
      `${name.padEnd(34)}${`${Math.round(100 * share)} %`.padStart(6)}${cells.map(value => value.toFixed(3).padStart(8)).join('')}${figures.viewsPerMin.toFixed(1).padStart(11)}`,
    );
    sheet.keep({ what: name, share, cases: cases.length, ...figures });
  }
}

function caseOf(name: string, truth: GroundTruth): Case {
  const totalFrames = Math.trunc(truth.durationSec! * truth.frameRateHz + 1e-6);
  return {
    name,
    truth,
    parts: oracleParts(truth, { width: truth.width!, height: truth.height!, totalFrames }),
  };
}

/** Annotated clips and mixes that are there, of two or more faces with known speech; nothing is made for this. */
function trueClips(folder: string): Case[] {
  const mixes = join(folder, 'mixes');
  const files = existsSync(mixes) ? readdirSync(mixes).filter(file => file.endsWith('.json')) : [];
  const truths = [
    ...(hasShared() ? annotatedClips(join(folder, 'hard')) : []).map(
      ({ name, truth, key }) => [name, readGroundTruth(truth, key)] as const,
    ),
    ...files.map(file => [file, readGroundTruth(join(mixes, file))] as const),
  ];
  return truths
    .filter(([, truth]) => truth.width && truth.height && truth.durationSec && truth.speech.length > 1)
    .filter(([, { faces }]) => new Set(faces.map(face => face.id)).size > 1)
    .map(([name, truth]) => caseOf(name, truth));
}

/** Frames of a plan and those with several panels: of all, and of those in which one face truly speaks alone. */
function panelsOf({ segments, frame_count: frames, video_fps }: Plan, { speech }: GroundTruth) {
  let [shared, alone, sharedAlone] = [0, 0, 0];
  for (const { start_frame, end_frame, panels } of segments)
    for (let frame = start_frame; frame < end_frame; frame++) {
      const sec = frame / video_fps;
      const talking = speech.filter(turn => turn.onScreen && turn.startSec <= sec && sec < turn.endSec);
      const isShared = panels.length > 1;
      if (isShared) shared++;
      if (talking.length !== 1) continue;
      alone++;
      if (isShared) sharedAlone++;
    }
  return { frames, shared, alone, sharedAlone };
}
