import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LibraryPage, openLibraryPage, root } from '../../bin/browser.js';
import { describeLoad } from '../harness/load.js';
import { openSheet } from '../harness/sheet.js';
import type { StillReference } from './page/parity.js';
import type { Gap, Reference } from './page/score-file.js';

const usage = `npm run bench:parity -- [--no-webgpu]

Compares the library with the reference numbers in ../shared/golden: two clips from file to score through both
readers, stills, and WebGPU with WASM on the same input (software adapter: some minutes).`;

const { values } = parseArgs({
  allowNegative: true,
  options: { webgpu: { type: 'boolean', default: true }, help: { type: 'boolean', short: 'h' } },
});
const shared = join(root, '../shared');
const golden = (file: string) => join(shared, 'golden', file);
const stills = ['face_2.jpg', 'face_4.png', 'face_test.jpg'];
const clips = ['kh_h264', 'aoc_h264'];
const sheet = openSheet('parity');
const { say, keep } = sheet;
const show = ({ mean, max }: Gap) => `${mean.toFixed(3)} / ${max.toFixed(3)}`.padStart(15);

if (values.help) console.log(usage);
else if (!existsSync(golden('README.md')))
  console.log('The reference numbers (../shared/golden) are not here.');
else await main();

async function main(): Promise<void> {
  const library = await openLibraryPage('parity.html', 'bench/parity/page');
  try {
    await chooseFiles(library);
    say(describeLoad());
    await scores(library);
    await faces(library);
    if (values.webgpu) await devices(library);
  } finally {
    await library.close();
    sheet.save();
  }
}

async function chooseFiles({ page }: LibraryPage): Promise<void> {
  const videos = clips.map(clip => golden(`videos/${clip}.mp4`));
  await page.setInputFiles('#file', [...videos, ...stills.map(golden)]);
}

/** The first session of a page decides which build of the runtime it has, and with which device: a fresh page. */
async function startAfresh(library: LibraryPage): Promise<void> {
  await library.page.reload();
  await library.page.waitForFunction(() => 'ready' in globalThis);
  await chooseFiles(library);
}

async function scores({ page, urlOf }: LibraryPage): Promise<void> {
  say();
  say('LR-ASD scores from the file, |difference| mean / max. Aim: at most 0.1 (decoders differ)');
  say(
    'clip      reader      its rectangles   whole library   without ends   on its windows  same sign  boxes IoU mean / min',
  );
  for (const clip of clips) {
    const reference = JSON.parse(readFileSync(golden(`${clip}.json`), 'utf8')) as Reference;
    for (const decoder of ['webcodecs', 'ffmpeg'] as const) {
      const request = { name: `${clip}.mp4`, decoder, reference };
      const given = [request, urlOf(join(shared, 'models'))] as const;
      const found = await page.evaluate(asked => globalThis.scoreChosen(...asked), given);
      keep({ what: 'scores from the file', clip, decoder, ...found });
      say(
        [
          clip.padEnd(9),
          decoder.padEnd(9),
          show(found.atReferenceRects),
          show(found.wholeLibrary),
          show(found.wholeLibraryInside),
          show(found.originalProtocol),
          `${(100 * found.sameSign).toFixed(1)} %`.padStart(9),
          `${found.meanIou.toFixed(3)} / ${found.minIou.toFixed(3)}`.padStart(18),
        ].join(' '),
      );
    }
  }
}

async function faces({ page, urlOf }: LibraryPage): Promise<void> {
  const all = JSON.parse(readFileSync(golden('face_stills.json'), 'utf8')) as Record<
    string,
    { readonly models: Record<string, { readonly faces: StillReference }> }
  >;
  say();
  say('yolov8n-face on stills at 640×640, WASM, against the reference (which scales without averaging)');
  for (const still of stills) {
    const reference = all[still]!.models['yolov8n-face.w8']!.faces;
    const given = [still, reference, urlOf(join(shared, 'models'))] as const;
    const found = await page.evaluate(asked => globalThis.stillParity(...asked), given);
    keep({ what: 'faces of a still', still, expected: reference.length, ...found });
    say(
      `  ${still.padEnd(14)} ${found.matched} of ${reference.length} faces met, ${found.found} found; least IoU of those met ${found.minIou.toFixed(3)}`,
    );
  }
}

async function devices(library: LibraryPage): Promise<void> {
  const { page, urlOf } = library;
  const modelsUrl = urlOf(join(shared, 'models'));
  say();
  say('WebGPU (software adapter) against WASM. Aims: least IoU at least 0.98, logits at most 0.05 apart');
  for (const still of stills) {
    for (const input of [
      { width: 320, height: 192 },
      { width: 640, height: 384 },
    ]) {
      await startAfresh(library);
      const given = [still, input, modelsUrl] as const;
      const found = await page.evaluate(asked => globalThis.stillOnBoth(...asked), given);
      keep({ what: 'faces on WebGPU', still, input, ...found });
      say(
        `  ${still.padEnd(14)} ${input.width}×${input.height}: ${found.wasm} faces, ${found.webgpu} on WebGPU, least IoU ${found.minIou.toFixed(4)}`,
      );
    }
  }
  for (const frames of [5, 25]) {
    await startAfresh(library);
    const given = [frames, modelsUrl] as const;
    const { embeddings, logits } = await page.evaluate(asked => globalThis.speakerOnBoth(...asked), given);
    keep({ what: 'speaker model on WebGPU', frames, embeddings, logits });
    say(
      `  LR-ASD, ${frames} frames: embeddings ${embeddings.toExponential(1)} apart, logits ${logits.toExponential(1)}`,
    );
  }
}
