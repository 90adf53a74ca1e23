import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exportFormats } from '../src/export/index.js';
import { packagedManifest } from '../src/inference/manifest.js';
import { shotDetectors, speakerFamilies } from '../src/pipeline/engine-options.js';
import { type CaptionStyle, completeCaptionStyle } from '../src/schema/caption-style.js';
import type { ModelTask } from '../src/schema/model.js';
import type { Progress } from '../src/schema/progress.js';
import {
  type AdvisorChoice,
  advisorChoiceOf,
  advisorOptions,
  advisorUsage,
  answerPage,
} from './advisor-options.js';
import { keepingOf, keepOptions, keepUsage, keptSentences } from './keep-options.js';
import { missingOf, openModelFolder } from './model-folder.js';
import { given, numberOf, UsageError, wordOf } from './option-values.js';
import type { PageJob, PageOutcome } from './page/reframe.js';
import { planOptions, planRequestOf, planUsage } from './plan-options.js';
import { createProgressBar } from './progress-bar.js';
import { writeSample } from './sample.js';
import { writeExports } from './write-exports.js';
import { captionModes, writeTranscript } from './write-transcript.js';

const usage = `npm run reframe -- [FILE] [options]

Turns a landscape video into a 9:16 clip that follows whoever speaks. Without FILE it uses a built-in sample.

  --out DIR            folder for the clip and the analysis        (out/<name of the file>)
  --models DIR         folder with further model files             ($EDGE_REFRAME_MODELS, else models/cache)
                       a manifest.json in it describes files that differ from the package's own, by model id
  --faces ID           face detector, by its id in the manifest   (the one that ships)
  --speaker FAMILY     edge-speaker | lr-asd | light-asd           (the one that ships)
  --shots KIND         edge-cuts | model-free                      (the network that ships)
${planUsage}
  --start S, --end S   only this part of the video, in seconds
${keepUsage}
${advisorUsage}
  --device KIND        webgpu | wasm                               (chosen by what the machine has)
  --decoder KIND       webcodecs | ffmpeg                          (chosen by the file)
  --bitrate N          bits per second of the picture
  --frame-rate N       constant frame rate of the clip             (the source's own timing)
  --words              also write down what is said: portrait.transcript.json, .srt and .vtt; needs
                       npm run models -- --add words, once
  --identities         also say which faces are one person, over cuts: person_id in face_tracking_yolov8.json,
                       which --subjects then goes by; needs npm run models -- --add identities, once
  --captions MODE      burn | track | srt | off: burn draws the captions into the picture, track puts them into the
                       clip as a text track; off writes the transcript alone            (srt with --words)
  --caption-style S    karaoke | pop | box | plain, or JSON of a style such as
                       {"look":"box","sizeRatio":0.07}, for --captions burn             (karaoke)
  --export FORMATS     also write the camera path for other programs, as portrait.*: a list with commas of
                       ${exportFormats.join(', ')}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a model is missing.`;

type Options = ReturnType<typeof readOptions>;

function readOptions(args: string[]) {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new UsageError(`One FILE at a time, not ${positionals.length}.`);
  return { ...values, file: positionals[0] };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      out: text,
      models: text,
      faces: text,
      speaker: text,
      shots: text,
      ...planOptions,
      start: text,
      end: text,
      ...keepOptions,
      ...advisorOptions,
      device: text,
      decoder: text,
      bitrate: text,
      'frame-rate': text,
      words: { type: 'boolean' },
      identities: { type: 'boolean' },
      captions: text,
      'caption-style': text,
      export: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
}

/** A look by its name, or a style as JSON. */
function styleOf(value: string | undefined): Partial<CaptionStyle> | undefined {
  if (value === undefined) return undefined;
  try {
    const style = value.startsWith('{') ? (JSON.parse(value) as Partial<CaptionStyle>) : { look: value };
    return completeCaptionStyle(style as Partial<CaptionStyle>);
  } catch (error) {
    throw new UsageError(`--caption-style: ${(error as Error).message}`);
  }
}

function jobOf(options: Options, advisor: AdvisorChoice | undefined): Omit<PageJob, 'assets'> {
  const startSec = numberOf('start', options.start, 0);
  const endSec = numberOf('end', options.end, 0);
  if (endSec !== undefined && endSec <= (startSec ?? 0))
    throw new UsageError(`--end must be greater than ${startSec === undefined ? 0 : '--start'}.`);
  const keeping = keepingOf(options);
  const words = options.words === true || keeping.leaveOut.length > 0 || advisor?.allowWords === true;
  const captions = wordOf('captions', options.captions, captionModes) ?? (words ? 'srt' : 'off');
  const captionStyle = styleOf(options['caption-style']);
  if (captionStyle && captions !== 'burn') throw new UsageError('--caption-style goes with --captions burn.');
  return {
    words: words || captions !== 'off',
    identities: options.identities === true,
    captions,
    ...(captionStyle && { captionStyle }),
    ...keeping,
    ...(advisor && { advisor: { pictures: advisor.allowPictures } }),
    models: given({
      faceDetector: wordOf('faces', options.faces, idsOf('face-detection')),
      speaker: wordOf('speaker', options.speaker, speakerFamilies),
      shotDetector: wordOf('shots', options.shots, shotDetectors),
    }),
    engine: given({
      device: wordOf('device', options.device, ['webgpu', 'wasm']),
      decoder: wordOf('decoder', options.decoder, ['webcodecs', 'ffmpeg']),
    }),
    options: given({
      startSec,
      endSec,
      videoBitrate: numberOf('bitrate', options.bitrate, 10_000),
      frameRate: numberOf('frame-rate', options['frame-rate'], 1),
      plan: planRequestOf(options),
    }),
  };
}

const idsOf = (task: ModelTask): string[] =>
  packagedManifest().models.flatMap(model => (model.task === task ? model.id : []));

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return 0;
  }
  const advisor = advisorChoiceOf(options, process.env);
  const job = jobOf(options, advisor);
  const formats = options.export?.split(',').map(word => wordOf('export', word.trim(), exportFormats)!) ?? [];
  const models = readModels(options.models);
  const missing =
    (job.words && missingOf('words', models)) || (job.identities && missingOf('identities', models));
  if (options.file && !(existsSync(options.file) && statSync(options.file).isFile())) {
    throw new UsageError(`There is no file ${options.file}.`);
  }
  if (missing) {
    console.error(missing);
    return 3;
  }
  const name =
    options.file
      ?.split(/[\\/]/)
      .pop()
      ?.replace(/\.[^.]*$/, '') ?? 'sample';
  const out = resolve(options.out ?? join('out', name));
  mkdirSync(out, { recursive: true });
  const bar = createProgressBar();
  let peakBytes = 0;

  // Loaded late: mistakes on the command line need no browser to be told.
  const { openCommandPage } = await import('./command-page.js');
  const library = await openCommandPage('reframe', { models });
  const watch = setInterval(async () => {
    peakBytes = Math.max(peakBytes, (await library.residentBytes().catch(() => 0)) ?? 0);
  }, 1000);
  try {
    const file = options.file ? resolve(options.file) : await writeSample(library, join(out, 'sample.mp4'));
    await library.page.exposeFunction('reportProgress', (progress: Progress) => bar.report(progress));
    if (advisor) await library.page.exposeFunction('askAdvisor', answerPage(advisor));
    await library.page.setInputFiles('#file', file);
    const downloading = library.page.waitForEvent('download', { timeout: 0 });
    // When the job fails there is no download, and the page's end rejects the wait.
    downloading.catch(() => {});
    const outcome = await library.page.evaluate<PageOutcome, PageJob>(
      asked => globalThis.reframeFile(asked),
      { ...job, assets: library.assets },
    );
    bar.end();
    if (outcome.kind === 'failed') return explain(outcome);
    await (await downloading).saveAs(join(out, 'portrait.mp4'));
    writeExports(out, outcome.plan, { file, formats, hasSound: outcome.render.output?.audio !== 'none' });
    writeTranscript(out, outcome.parts, { clip: outcome.clip, mode: job.captions });
    writeResults(out, outcome, {
      peakBytes,
      origins: [...originsOf(library.requests), ...(advisor ? [advisor.origin] : [])],
    });
    summarise(
      out,
      outcome,
      keptSentences(job, { kept: outcome.clip.kept, parts: outcome.parts, exports: formats.length > 0 }),
    );
    return 0;
  } finally {
    clearInterval(watch);
    await library.close();
  }
}

/** @throws UsageError naming what is wrong with the folder. */
function readModels(asked: string | undefined) {
  try {
    return openModelFolder(asked);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function explain({ code, message, stack }: Extract<PageOutcome, { kind: 'failed' }>): number {
  console.error(`${code}: ${message}`);
  if (code === 'model_unavailable') {
    console.error(
      '\nThis model does not ship with the package. Put it into models/cache with\n\n  npm run models -- --from DIR\n\nor name its folder: npm run reframe -- --models DIR',
    );
    return 3;
  }
  if (code === 'internal' && stack) console.error(stack);
  return 1;
}

/** Whom page and workers asked for anything: only this machine. An advisor is asked by this process. */
const originsOf = (requests: readonly string[]): string[] => [
  ...new Set(requests.filter(url => !/^(blob|data):/.test(url)).map(url => new URL(url).origin)),
];

function writeResults(
  out: string,
  outcome: Extract<PageOutcome, { kind: 'done' }>,
  { peakBytes, origins }: { readonly peakBytes: number; readonly origins: readonly string[] },
): void {
  const { parts, plan, analysis, render, assessment, contactSheet, advised } = outcome;
  const write = (file: string, value: unknown) =>
    writeFileSync(join(out, file), `${JSON.stringify(value)}\n`);
  const { transcription: _written, ...others } = parts;
  for (const [part, value] of Object.entries(others)) write(`${part}.json`, value);
  write('crop_path.json', plan);
  const seconds = analysis.seconds + render.seconds;
  const report = {
    media_seconds: analysis.mediaSec,
    seconds,
    media_seconds_per_second: analysis.mediaSec / seconds,
    peak_memory_mb: Math.round(peakBytes / 2 ** 20),
    requested_origins: origins,
    analysis,
    render,
    assess: assessment,
    ...(advised && { advice: advised }),
  };
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(out, 'contact-sheet.png'), Buffer.from(contactSheet, 'base64'));
}

function summarise(
  out: string,
  { parts, plan, analysis, render, advised }: Extract<PageOutcome, { kind: 'done' }>,
  kept: readonly string[],
): void {
  const seconds = analysis.seconds + render.seconds;
  console.log(
    [
      `${parts.scene_detection?.scene_count ?? 0} shots, ${parts.face_tracking_yolov8?.track_count ?? 0} face tracks, ${plan.segments.length} camera segments`,
      ...(parts.transcription
        ? [`${parts.transcription.words.length} words in ${parts.transcription.segments.length} sentences`]
        : []),
      `${analysis.mediaSec.toFixed(1)} s of video in ${seconds.toFixed(1)} s (${analysis.media?.backend}, ${analysis.device?.kind})`,
      ...kept,
      ...(advised?.notes ?? []),
      ...[...analysis.fallbacks, ...render.fallbacks].map(fallback => `note: ${fallback}`),
      `${join(out, 'portrait.mp4')} and its JSON beside it; contact-sheet.png shows source and clip.`,
    ].join('\n'),
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  const wrong = error instanceof UsageError;
  console.error(wrong ? `${error.message}\n\n${usage}` : error);
  process.exitCode = wrong ? 2 : 1;
}
