import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { createFaceEmbedder } from '../../src/inference/face-embedder.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { createSceneCutModel } from '../../src/inference/scene-cuts.js';
import { openSession } from '../../src/inference/session.js';
import { createYolov8Face } from '../../src/inference/yolov8-face.js';
import { defaultFaceDetector, defaultShotDetector, peopleModel } from '../../src/pipeline/analysis/engine.js';
import { createStopwatch } from '../../src/pipeline/stopwatch.js';
import { analyseFile } from '../content/clip-content.js';
import { clipsWithCuts, hasShared, sharedMedia, sharedSpeakerPack } from '../harness/clips.js';
import { readGroundTruth } from '../harness/ground-truth.js';
import { openSheet } from '../harness/sheet.js';
import { editOfAnchors, editsOfMedia } from './edited-clips.js';
import { countPairs, type JudgedFace, judgeBoxes, judgeShots, type Pairs } from './judge-people.js';
import { drawPeople } from './people-sheet.js';

const usage = `npm run bench:identities -- [--anchors DIR] [--only WORD]

Whether faces of one person get one number, and faces of two never the same: precision and recall over pairs of faces in a
clip, on clips of many shots of ../shared/media, and on clips cut together of single people; what that costs; and a sheet
with a row for each person. Needs npm run models -- --add identities. Clips, sheets and figures are kept in out/identities.

  --anchors DIR  the whole pictures of the speech pack's news anchors, NAME.mp4 as in its source.path; without them the
                 anchors are left out. On the training people thresholds are chosen, the others judge.
  --only WORD    only clips with this word in their name`;

const { values } = parseArgs({
  options: { anchors: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const cache = join(root, 'models/cache', findModel(packagedManifest(), peopleModel).file);

/** Clips with several shots whose faces are annotated. */
const annotatedNames = /^(c2_multicam|debate|film_friends|rap_hamilton)/;

if (values.help) console.log(usage);
else if (!hasShared()) console.log('The development material (../shared/media) is not here.');
else if (!existsSync(cache))
  console.log('The network that tells people apart is not here: npm run models -- --add identities.');
else await main();

type Judged = { readonly name: string; readonly file: string; readonly judge: Judge };
type Judge = (faces: Parameters<typeof judgeShots>[0]) => JudgedFace[];

function clips(folder: string): Judged[] {
  const { anchors } = values;
  const of = (split: 'train' | 'val') =>
    anchors ? [editOfAnchors(sharedSpeakerPack, { anchors, split, folder })] : [];
  const edited = [...of('train'), ...of('val'), ...editsOfMedia(folder)];
  const annotated = clipsWithCuts().filter(({ name }) => annotatedNames.test(name));
  const looked = ['ad_criminal_justice_video2', 'ad_immigration_video3', 'docu_anamorphic_psd195_704x576'];
  return [
    ...edited.map(({ name, file, shots }) => ({
      ...{ name, file },
      judge: (faces: Parameters<Judge>[0]) => judgeShots(faces, shots),
    })),
    ...annotated.map(({ name, file, truth, key }) => ({
      ...{ name, file },
      judge: (faces: Parameters<Judge>[0]) => judgeBoxes(faces, readGroundTruth(truth, key).faces),
    })),
    // Nobody has written down who is in these: their sheets are for whoever looks.
    ...looked.map(name => ({ name, file: join(sharedMedia, 'cuts', `${name}.mp4`), judge: () => [] })),
  ];
}

async function main(): Promise<void> {
  const sheet = openSheet('identities');
  const open = async (path: string, name: string) =>
    openSession(readFileSync(path), name, { device: 'wasm', threads: 1 });
  const shipped = (id: string) => open(join(root, 'models', findModel(packagedManifest(), id).file), id);
  const faces = createYolov8Face(await shipped(defaultFaceDetector), defaultFaceDetector);
  const cuts = createSceneCutModel(await shipped(defaultShotDetector), defaultShotDetector);
  const people = createFaceEmbedder(await open(cache, peopleModel), peopleModel);
  const total = { same: 0, joined: 0, right: 0 };
  sheet.say(`${'clip'.padEnd(34)} faces people pairs  precision  recall  share of time`);
  try {
    for (const { name, file, judge } of clips(join(sheet.folder, 'clips'))) {
      if (values.only && !name.includes(values.only)) continue;
      const stopwatch = createStopwatch();
      const parts = await analyseFile(file, {
        openFaces: async () => faces,
        openCuts: async () => cuts,
        openPeople: async () => people,
        stopwatch,
      });
      const found = parts.face_tracking_yolov8!;
      drawPeople(file, found, join(sheet.folder, `${name}.png`));
      const judged = judge(found);
      const pairs = countPairs(judged);
      if (!name.includes('train')) {
        total.same += pairs.same;
        total.joined += pairs.joined;
        total.right += pairs.right;
      }
      const { identities, decode: _, ...others } = stopwatch.stages;
      const seconds = Object.values(others).reduce((sum, stage) => sum + stage.seconds, 0);
      const share = identities!.seconds / (seconds + identities!.seconds);
      const numbers = new Set(found.tracks.map(({ person_id, face_id }) => person_id ?? `face ${face_id}`))
        .size;
      sheet.say(
        `${name.padEnd(34)} ${String(found.track_count).padStart(5)} ${String(numbers).padStart(6)} ${figures(pairs)}  ${share.toFixed(3)}`,
      );
      const tracks = found.tracks.map(({ boxes: _boxes, ...track }) => track);
      const who = judged.map(({ track, person }) => ({ face: track.face_id, person }));
      sheet.keep({ what: name, ...pairs, share, stages: stopwatch.stages, tracks, who });
    }
    sheet.say(`${'all but training people'.padEnd(47)} ${figures(total)}`);
    sheet.keep({ what: 'all', ...total });
  } finally {
    sheet.save();
  }
}

function figures({ same, joined, right }: Pairs): string {
  const ratio = (part: number, whole: number) => (whole ? part / whole : 1).toFixed(4);
  return `${String(same).padStart(5)}  ${ratio(right, joined).padStart(9)}  ${ratio(right, same)}`;
}
