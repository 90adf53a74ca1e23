import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultAssociationOptions } from '../../../src/core/association.js';
import { openSession } from '../../../src/inference/session.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import { createYunet } from '../../../src/inference/yunet.js';
import { pictureFromPlanes } from '../../../src/sampling/cpu.js';
import { bootstrap } from '../../harness/bootstrap.js';
import type { Row } from '../../harness/report.js';
import type { EvaluatedModel } from '../evaluated-models.js';
import {
  averagePrecision,
  type JudgedSet,
  judgeDetections,
  type LabelledPicture,
  precisionAt,
  recallAt,
  type ScoredBox,
} from './detection-score.js';
import { decodePicture, readValidationPictures } from './face-pack.js';

export type FaceOptions = {
  /** Folder with `labels.jsonl` and `images/`. */
  readonly pack: string;
  /** Folder where detections are kept by the hash of the model, so that the next run is quick. */
  readonly cache: string;
  /** Every n-th picture only; 1 = all. */
  readonly every: number;
  readonly onProgress?: (line: string) => void;
};

/** Longer sides of the detector's input that are measured: the product's default, and half of it. */
const longSides = [640, 320] as const;
/** The reference lines of the data pack were measured from this confidence on. */
const floor = 0.02;
/** Pictures after which the detections so far are kept. */
const keepEvery = 20;
/** From this size on a face must be found. */
const largeFacePx = 48;

/** Measures one face detector on the validation pictures, through the product's sampler and decoder. */
export async function evaluateFaces(model: EvaluatedModel, options: FaceOptions): Promise<Row[]> {
  const pictures = readValidationPictures(options.pack).filter((_, i) => i % options.every === 0);
  const rows: Row[] = [];
  for (const longSide of longSides) {
    const found = await detectAll(model, pictures, longSide, options);
    const judged = (keep: (picture: LabelledPicture) => boolean) =>
      judgeDetections(pictures.filter(keep), found);
    const add = (measure: string, set: JudgedSet, figure: (weights: Uint16Array) => number) =>
      rows.push({
        measure: `${measure} @${longSide}`,
        ...bootstrap(set.pictures.length, figure),
        n: set.pictures.length,
      });
    const sets = {
      gold: judged(({ isGold }) => isGold),
      val: judged(() => true),
      'val video': judged(({ source }) => source === 'video'),
    };
    for (const [name, set] of Object.entries(sets))
      add(`AP50 ${name}`, set, weights => averagePrecision(set, weights));
    // A track begins at the first threshold and is continued from the second on.
    const { minStartConfidence, minContinueConfidence } = defaultAssociationOptions;
    for (const threshold of [minStartConfidence, minContinueConfidence]) {
      const at = { threshold, minPx: largeFacePx };
      add(`recall ≥ ${largeFacePx} px at ${threshold}, val`, sets.val, weights =>
        recallAt(sets.val, weights, at),
      );
      add(`precision at ${threshold}, val`, sets.val, weights => precisionAt(sets.val, weights, threshold));
    }
  }
  return rows;
}

/** Detections by picture, from the last run where it had the same model. */
async function detectAll(
  model: EvaluatedModel,
  pictures: readonly LabelledPicture[],
  longSide: number,
  { pack, cache, onProgress }: FaceOptions,
): Promise<Map<string, readonly ScoredBox[]>> {
  const path = join(cache, `faces-${model.sha256.slice(0, 12)}-${longSide}.json`);
  const kept = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, readonly ScoredBox[]>)
    : {};
  const found = new Map(Object.entries(kept));
  const missing = pictures.filter(({ file }) => !found.has(file));
  if (!missing.length) return found;
  mkdirSync(cache, { recursive: true });
  const session = await openSession(model.bytes, model.id, { device: 'wasm', threads: 1 });
  const detector =
    model.entry.id === 'yunet'
      ? createYunet(session, model.id, floor)
      : createYolov8Face(session, model.id, floor);
  try {
    for (const [i, picture] of missing.entries()) {
      const read = pictureFromPlanes(
        decodePicture(join(pack, picture.file), picture, join(cache, 'pictures')),
      );
      const sample = await read.letterbox(detector.inputSpec(picture, longSide));
      read.close();
      const faces = await detector.detect(sample, picture);
      found.set(
        picture.file,
        faces.map(({ x, y, width, height, confidence }) => ({ x, y, width, height, confidence })),
      );
      // Now and then, so that a run that is cut short goes on where it was.
      if (i % keepEvery === keepEvery - 1) writeFileSync(path, JSON.stringify(Object.fromEntries(found)));
      onProgress?.(`${model.id} @${longSide}: ${i + 1} of ${missing.length} pictures`);
    }
  } finally {
    await detector.close();
  }
  writeFileSync(path, JSON.stringify(Object.fromEntries(found)));
  return found;
}
