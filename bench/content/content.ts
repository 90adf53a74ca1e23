import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../bin/browser.js';
import { findModel, packagedManifest } from '../../src/inference/manifest.js';
import { openSession } from '../../src/inference/session.js';
import { createYolov8Face } from '../../src/inference/yolov8-face.js';
import { defaultFaceDetector } from '../../src/pipeline/analysis/engine.js';
import { createStopwatch } from '../../src/pipeline/stopwatch.js';
import type { AnalysisParts } from '../../src/schema/result.js';
import { hasShared, sharedMedia } from '../harness/clips.js';
import { openSheet } from '../harness/sheet.js';
import { barRecipes } from './bar-clips.js';
import { contentOf, shotsAndFaces } from './clip-content.js';
import { drawSheet } from './contact-sheet.js';
import { draw, type Recipe } from './drawn-clips.js';
import { motionRecipes } from './motion-clips.js';
import { barError, motionErrors, scoreRead, turnedOverlaps } from './score-content.js';
import { textRecipes } from './text-clips.js';

const usage = `npm run bench:content -- [--only bars,text,motion,heads,clips]

Measures what an analysis finds beside faces, on clips that ffmpeg draws over the development media (so that the truth is
known), and draws contact sheets of what it finds in the media themselves. Clips, sheets, faces that were looked for once, and
figures are kept in out/content.`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
if (!hasShared()) {
  console.log('The development media are not here: nothing to measure.');
  process.exit(0);
}
const asked = values.only?.split(',') ?? ['bars', 'text', 'motion', 'heads', 'clips'];
const sheet = openSheet('content');
const clips = join(sheet.folder, 'clips');
const cache = join(sheet.folder, 'cache');
const stopwatch = createStopwatch();
const from = (id: string, file: string, startSec: number) => ({
  id,
  source: join(sharedMedia, file),
  startSec,
});
/** Without lettering of their own: a debate, a sitcom, a hall, a close-up, a documentary. */
const bases = {
  debate: from('debate', 'talking/debate_cuts_mexcaR_640x360.mp4', 3),
  panel: from('panel', 'talking/panel_4faces_cnn_1280x720.mp4', 0),
  friends: from('friends', 'talking/film_friends_cuts_640x360.mp4', 3),
  advert: from('mccown', 'talking/single_mccown_ad_640x360.mp4', 4),
  dark: from('dark', 'talking/noaudio_film_openshorts_source_640x364.mp4', 2),
  walk: from('walk', 'talking/people_walk_intel_768x432.mp4', 10),
  smile: from('smile', 'talking/silent_smile_lp_s32_1280x720.mp4', 0),
  docu: from('docu', 'cuts/docu_anamorphic_psd195_704x576.mp4', 2),
};
const quantile = (sorted: readonly number[], at: number) =>
  sorted[Math.floor(at * (sorted.length - 1))] ?? Number.NaN;
const sortedOf = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Clips of recipes, by kind, each with what is found in it. */
async function measure(recipes: readonly Recipe[]) {
  const byKind = new Map<
    string,
    { clip: ReturnType<typeof draw>; content: Awaited<ReturnType<typeof contentOf>> }[]
  >();
  for (const recipe of recipes) {
    const clip = draw(clips, recipe);
    const content = await contentOf(clip.file, {}, stopwatch);
    byKind.set(recipe.kind, [...(byKind.get(recipe.kind) ?? []), { clip, content }]);
  }
  return byKind;
}

async function measureBars() {
  const { debate, panel, friends, advert, dark } = bases;
  sheet.say(
    'bars: clips with the right kind in all shots, and how far the picture is off there, pixels of 1280',
  );
  for (const [kind, made] of await measure([debate, panel, friends, advert, dark].flatMap(barRecipes))) {
    const errors = made.map(({ clip, content }) => barError(content, clip));
    const right = errors.filter(error => error !== undefined);
    const worst = Math.max(...right);
    sheet.say(`  ${kind.padEnd(34)} ${right.length} of ${errors.length}   worst ${worst}`);
    sheet.keep({ what: `bars: ${kind}`, right: right.length, of: errors.length, worst });
  }
}

async function measureText() {
  const { friends, dark, walk, smile, docu } = bases;
  sheet.say('lettering and screens: covered by nine tenths, and rectangles that hold nothing drawn');
  for (const [kind, made] of await measure([friends, dark, walk, smile, docu].flatMap(textRecipes))) {
    const scores = made.map(({ clip, content }) => scoreRead(content, clip));
    const sum = (key: keyof (typeof scores)[number]) => scores.reduce((all, score) => all + score[key], 0);
    const row = {
      found: sum('found'),
      drawn: sum('drawn'),
      rectangles: sum('rectangles'),
      wrong: sum('wrong'),
    };
    sheet.say(`  ${kind.padEnd(34)} ${row.found} of ${row.drawn}   wrong ${row.wrong} of ${row.rectangles}`);
    sheet.keep({ what: `read: ${kind}`, ...row });
  }
}

async function measureMotion() {
  const { smile, docu, walk } = bases;
  sheet.say('motion: way from the middle of the box to the thing that moves, in widths of the picture');
  for (const [kind, made] of await measure([smile, docu, walk].flatMap(motionRecipes))) {
    const errors = sortedOf(made.flatMap(({ content }) => motionErrors(content)));
    const [middle, high] = [quantile(errors, 0.5), quantile(errors, 0.9)];
    sheet.say(
      `  ${kind.padEnd(34)} half under ${middle.toFixed(3)}, nine tenths under ${high.toFixed(3)} (${errors.length} points)`,
    );
    sheet.keep({ what: `motion: ${kind}`, middle, high, points: errors.length });
  }
}

const media = ['talking', 'cuts', 'composites'].flatMap(folder =>
  readdirSync(join(sharedMedia, folder))
    .filter(name => /\.(mp4|mpg)$/.test(name))
    .map(name => join(sharedMedia, folder, name)),
);
const entry = findModel(packagedManifest(), defaultFaceDetector);
const openFaces = async () => {
  const bytes = new Uint8Array(readFileSync(join(root, 'models', entry.file)));
  return createYolov8Face(await openSession(bytes, entry.id, { device: 'wasm', threads: 1 }), entry.id);
};

/** Takes the boxes of one face away for some seconds, and looks whether its head is followed meanwhile. */
async function measureHeads() {
  sheet.say(
    'heads: looks without their face in which the head is followed, overlap there of .5 and more, mean overlap',
  );
  for (const hiddenSec of [1, 3, 5]) {
    const overlaps: number[] = [];
    for (const file of media.filter(name =>
      /drama|friends|chaplin|mccown|single|debate_cuts_mexcaR|panel/.test(name),
    )) {
      const have = await shotsAndFaces(file, { cache, openFaces });
      const tracks = have.face_tracking_yolov8!.tracks;
      const longest = tracks.reduce((a, b) => (b.boxes.length > a.boxes.length ? b : a), tracks[0]!);
      const fps = have.face_tracking_yolov8!.video_fps;
      const first = Math.round(0.6 * fps);
      const hidden = longest.boxes.slice(first, first + Math.round(hiddenSec * fps));
      if (hidden.length < hiddenSec * fps) continue;
      const rest = longest.boxes.filter(box => !hidden.includes(box));
      const without = tracks.map(track => (track === longest ? { ...track, boxes: rest } : track));
      const changed: AnalysisParts = {
        ...have,
        face_tracking_yolov8: { ...have.face_tracking_yolov8!, tracks: without },
      };
      overlaps.push(...turnedOverlaps(await contentOf(file, changed, stopwatch), longest.face_id, hidden));
    }
    const share = (least: number) => overlaps.filter(overlap => overlap > least).length / overlaps.length;
    const followed = overlaps.filter(overlap => overlap > 0);
    const mean = followed.reduce((sum, overlap) => sum + overlap, 0) / followed.length;
    sheet.say(
      `  ${`${hiddenSec} s`.padEnd(34)} ${percent(share(0))}   ${percent(share(0.5))}   ${mean.toFixed(2)}  (${overlaps.length} looks)`,
    );
    sheet.keep({
      what: `heads: ${hiddenSec} s`,
      followed: share(0),
      well: share(0.5),
      mean,
      looks: overlaps.length,
    });
  }
}

async function drawClips() {
  const folder = join(sheet.folder, 'sheets');
  mkdirSync(folder, { recursive: true });
  sheet.say('the media themselves: bars by shot, rectangles, heads followed');
  for (const file of media) {
    const have = await shotsAndFaces(file, { cache, openFaces });
    const content = await contentOf(file, have, stopwatch);
    const count = (of: 'rectangles' | 'turned') =>
      content.shots.reduce((sum, shot) => sum + shot[of].length, 0);
    const bars = [...new Set(content.shots.map(shot => shot.bars))].join(' ');
    sheet.say(`  ${basename(file).padEnd(48)} ${bars.padEnd(14)} ${count('rectangles')}  ${count('turned')}`);
    sheet.keep({
      what: `clip: ${basename(file)}`,
      bars,
      rectangles: count('rectangles'),
      turned: count('turned'),
    });
    drawSheet(file, { content, have }, join(folder, `${basename(file)}.png`));
  }
}

const parts = {
  bars: measureBars,
  text: measureText,
  motion: measureMotion,
  heads: measureHeads,
  clips: drawClips,
};
try {
  for (const [name, run] of Object.entries(parts)) if (asked.includes(name)) await run();
  const own = ['bars', 'lettering', 'attention', 'heads'];
  const spent = own.map(name => `${name} ${(stopwatch.stages[name]?.seconds ?? 0).toFixed(1)} s`);
  sheet.say(`spent: ${spent.join(', ')}; sampling ${(stopwatch.stages.sample?.seconds ?? 0).toFixed(1)} s`);
} finally {
  sheet.save();
}
