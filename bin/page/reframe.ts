import type { Advisor, AdvisorQuestion } from '../../src/advisor/index.js';
import { commonRanges, findFillers, removeFillers, removeSilences } from '../../src/captions/index.js';
import {
  type Advised,
  type AnalysisParts,
  type AnalysisResult,
  type Assessment,
  assess,
  type CaptionStyle,
  type Clip,
  createReframer,
  isReframeError,
  type ModelOptions,
  type Plan,
  type ReframeOptions,
  type ReframerOptions,
  type TimeRange,
} from '../../src/index.js';
import { encodeClip } from '../../test/fixtures/encode-clip.js';
import {
  drawTalkingHeads,
  talkingRateHz,
  talkingSound,
  talkingTruth,
} from '../../test/fixtures/talking-heads.js';
import type { PageAssets } from '../command-page.js';
import type { Keeping } from '../keep-options.js';
import type { CaptionMode } from '../write-transcript.js';
import { drawContactSheet } from './contact-sheet.js';

/** What the command line asks of the page; plain data. */
export type PageJob = Keeping & {
  readonly engine: Pick<ReframerOptions, 'device' | 'decoder'>;
  readonly models?: Pick<ModelOptions, 'faceDetector' | 'speaker' | 'shotDetector'>;
  readonly assets: PageAssets;
  /** Whether what is said is written down too. */
  readonly words: boolean;
  /** Whether faces of one person get one number. */
  readonly identities: boolean;
  readonly captions: CaptionMode;
  readonly captionStyle?: Partial<CaptionStyle>;
  /** Set where `askAdvisor` is to be asked about difficult scenes: with pictures or without. */
  readonly advisor?: { readonly pictures: boolean };
  readonly options: Pick<ReframeOptions, 'startSec' | 'endSec' | 'videoBitrate' | 'frameRate' | 'plan'>;
};

export type PageOutcome =
  | {
      readonly kind: 'done';
      readonly parts: AnalysisResult['parts'];
      readonly plan: Plan;
      readonly analysis: AnalysisResult['diagnostics'];
      readonly clip: Pick<Clip, 'kept'>;
      readonly render: Clip['diagnostics'];
      readonly assessment: Assessment;
      readonly contactSheet: string;
      readonly advised?: Advised;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly stack?: string };

declare global {
  var reframeFile: (job: PageJob) => Promise<PageOutcome>;
  var offerSample: () => Promise<void>;
  var reportProgress: (progress: unknown) => void;
  var ready: boolean;
  /** Given by the command: asks the server, which the page knows nothing of. */
  var askAdvisor: (question: AdvisorQuestion, picture?: string) => Promise<unknown>;
}

globalThis.reframeFile = async job => {
  const { ffmpeg, modelsUrl, manifest } = job.assets;
  const reframer = createReframer({
    ...job.engine,
    models: {
      ...job.models,
      ...(modelsUrl && { base: modelsUrl }),
      ...(manifest && { manifest }),
    },
    ffmpeg,
  });
  try {
    const file = document.querySelector<HTMLInputElement>('#file')!.files![0]!;
    const { result, plan, clip, advised } = await reframer.reframe(file, {
      ...job.options,
      ...(job.advisor && { advisor: advisorOf(job.advisor) }),
      also: job.words ? ['transcription', 'diarization'] : [],
      identities: job.identities,
      captionTrack: job.captions === 'track',
      burnCaptions: job.captions === 'burn' && (job.captionStyle ?? true),
      ...((job.keep || job.leaveOut.length > 0) && { keep: ({ parts }) => keptOf(parts, job) }),
      fileName: 'portrait.mp4',
      onProgress: progress => globalThis.reportProgress(progress),
    });
    const sheet = await drawContactSheet(reframer, { source: file, clip, plan });
    offer(clip.file!, 'portrait.mp4');
    return {
      kind: 'done',
      parts: result.parts,
      plan,
      analysis: result.diagnostics,
      clip: { kept: clip.kept },
      render: clip.diagnostics,
      assessment: assess(result.parts, plan),
      contactSheet: await toBase64(sheet),
      ...(advised && { advised }),
    };
  } catch (error) {
    const { message, stack } = error as Error;
    const code = isReframeError(error) ? error.code : (error as Error).name;
    return { kind: 'failed', code, message, ...(stack && { stack }) };
  } finally {
    reframer.close();
  }
};

globalThis.offerSample = async () => {
  const timesSec = talkingTruth().frames.map((_, i) => i / talkingRateHz);
  const clip = await encodeClip(
    { frames: drawTalkingHeads(), timesSec, sound: talkingSound() },
    { audioCodec: 'aac', videoBitrate: 4_000_000 },
  );
  offer(clip, 'sample.mp4');
};
globalThis.ready = true;

/** Hands questions to the command. A picture is made only where the command may send it on. */
const advisorOf =
  ({ pictures }: { readonly pictures: boolean }): Advisor =>
  async (question, { picture }) => {
    const shown = pictures ? await picture?.() : undefined;
    return globalThis.askAdvisor(question, shown && (await toBase64(shown)));
  };

/** What the clip shows, of what was asked for and of what is said. */
function keptOf(
  { transcription, scene_detection }: AnalysisParts,
  { keep, leaveOut }: Keeping,
): readonly TimeRange[] {
  const totalSec = scene_detection!.scenes.at(-1)!.end_time;
  const leave = {
    silences: () => removeSilences(transcription!, { totalSec }),
    fillers: () => removeFillers(transcription!, findFillers(transcription!), totalSec),
  };
  return leaveOut.reduce<readonly TimeRange[]>(
    (kept, what) => commonRanges(kept, leave[what]()),
    keep ?? [{ startSec: 0, endSec: totalSec }],
  );
}

/** Hands a file to the browser's downloads, which is how it leaves the page without being copied into memory. */
function offer(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).split(',')[1]!);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
