import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gridRateHz } from '../../src/core/face-crops.js';
import type { SpeakerCandidate } from '../../src/core/speaker-evidence.js';
import type { FaceTracking } from '../../src/index.js';
import { windowedScore } from '../../src/inference/score-windows.js';
import { type Pair, rankCorrelation, signArea } from '../harness/agreement.js';
import { readEvidence } from '../harness/evidence-text.js';
import { type Box, iou } from '../harness/measure-geometry.js';
import type { Sheet } from '../harness/sheet.js';
import { findModels, openSpeakerFamily } from '../models/evaluated-models.js';
import { embedTracks } from '../models/speakers/speaker-embeddings.js';

export type ImitationOptions = {
  readonly sheet: Sheet;
  /** Folder of the pack, and where its embeddings are kept. */
  readonly pack: string;
  readonly cache: string;
  /** Folders with the files of our family. */
  readonly modelFolders: readonly string[];
  /** Folder with the analyses of both sets, and which clips of them. */
  readonly analyses: string;
  readonly clips: readonly string[];
};

/** Overlap from which two boxes are one face. */
const sameFaceIou = 0.5;

/**
 * How much our speaker model agrees with LR-ASD, whose scores it was trained to give: on the faces of the pack's
 * validation split, by the scores that are kept there, and on clips of which evidence of both sets is kept. Frames
 * count, labelled or not; per face as well, where a whole face that is judged too high does not help.
 */
export async function measureImitation(options: ImitationOptions): Promise<void> {
  const { sheet, analyses, clips } = options;
  sheet.say(`${'LR-ASD imitated on'.padEnd(36)} ${columns.map(([, title]) => title.padStart(9)).join('')}`);
  const all: Face[] = [];
  tell(sheet, 'validation faces of the pack', await packedFaces(options));
  for (const clip of clips) {
    const faces = facesOfClip(analyses, clip);
    if (!faces) continue;
    tell(sheet, clip, faces);
    all.push(...faces);
  }
  if (all.length) tell(sheet, 'all clips', all);
}

/** The frames of one face. */
type Face = readonly Pair[];

const columns = [
  ['faces', 'faces'],
  ['frames', 'frames'],
  ['rank_correlation', 'rank'],
  ['rank_correlation_per_face', 'per face'],
  ['sign_area', 'AUC'],
  ['same_sign', 'sign'],
] as const;

function tell(sheet: Sheet, what: string, faces: readonly Face[]): void {
  const pairs = faces.flat();
  const perFace = faces.map(rankCorrelation).filter(Number.isFinite);
  const figures: Record<(typeof columns)[number][0], number> = {
    faces: faces.length,
    frames: pairs.length,
    rank_correlation: rankCorrelation(pairs),
    rank_correlation_per_face: perFace.reduce((sum, value) => sum + value, 0) / perFace.length,
    sign_area: signArea(pairs),
    same_sign: pairs.filter(({ ours, theirs }) => ours > 0 === theirs > 0).length / pairs.length,
  };
  const cells = columns.map(([key]) => {
    const value = figures[key];
    return (
      Number.isInteger(value) ? String(value) : Number.isFinite(value) ? value.toFixed(3) : '–'
    ).padStart(9);
  });
  sheet.say(`${what.slice(0, 36).padEnd(36)} ${cells.join('')}`);
  sheet.keep({ what, ...figures });
}

async function packedFaces({ pack, cache, modelFolders }: ImitationOptions): Promise<Face[]> {
  const model = await openSpeakerFamily(findModels(modelFolders), 'edge-speaker');
  try {
    const faces: Face[] = [];
    for (const { faces: lips, sound, lr } of await embedTracks(model, { pack, cache, split: 'val' })) {
      const scores = await windowedScore(model, lips, sound);
      faces.push(lr.map((theirs, i) => ({ ours: scores[i]!, theirs })));
    }
    return faces;
  } finally {
    await model.close();
  }
}

/** Faces of a clip that both sets found; nothing where evidence of one is missing. */
function facesOfClip(folder: string, clip: string): Face[] | undefined {
  const [ours, theirs] = ['shipped', 'public'].map(set => readFaces(join(folder, set, clip)));
  if (!ours || !theirs) return undefined;
  return ours
    .map(own =>
      [...own.frames].flatMap(([frame, { box, score }]): Pair[] => {
        const others = theirs.flatMap(({ frames }) => frames.get(frame) ?? []);
        const nearest = others.reduce<ScoredBox | undefined>(
          (best, other) => (iou(box, other.box) > (best ? iou(box, best.box) : sameFaceIou) ? other : best),
          undefined,
        );
        return nearest ? [{ ours: score, theirs: nearest.score }] : [];
      }),
    )
    .filter(({ length }) => length);
}

type ScoredBox = { readonly box: Box; readonly score: number };
/** Scores and boxes of a face by the frame of the 25 Hz grid. */
type ScoredFace = { readonly frames: ReadonlyMap<number, ScoredBox> };

function readFaces(folder: string): ScoredFace[] | undefined {
  const [evidenceFile, trackingFile] = ['evidence.json', 'face_tracking_yolov8.json'].map(file =>
    join(folder, file),
  ) as [string, string];
  if (!existsSync(evidenceFile) || !existsSync(trackingFile)) return undefined;
  const { candidates, originSec } = readEvidence(readFileSync(evidenceFile, 'utf8'));
  const { tracks } = JSON.parse(readFileSync(trackingFile, 'utf8')) as FaceTracking;
  return candidates.map(candidate => {
    const boxes = tracks.find(({ face_id }) => face_id === candidate.faceId)?.boxes ?? [];
    const byFrame = new Map(
      boxes.map(({ frame_number, x, y, width, height }) => [frame_number, [x, y, width, height] as const]),
    );
    return { frames: scoredBoxes(candidate, byFrame, originSec) };
  });
}

function scoredBoxes(
  { frames, evidence }: SpeakerCandidate,
  boxes: ReadonlyMap<number | undefined, Box>,
  originSec: number,
): Map<number, ScoredBox> {
  const found = new Map<number, ScoredBox>();
  for (const { frameNumber, timeSec } of frames) {
    const gridFrame = Math.round((timeSec - originSec) * gridRateHz);
    const score = evidence.score[gridFrame - evidence.firstGridFrame];
    const box = boxes.get(frameNumber);
    if (score !== undefined && box) found.set(gridFrame, { box, score });
  }
  return found;
}
