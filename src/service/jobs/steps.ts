import type { Advised } from '../../reframer/call-advise.js';
import type { Reframer } from '../../reframer/reframer.js';
import type { Advisor } from '../../schema/advisor.js';
import { ReframeError } from '../../schema/error.js';
import { downloadPath, type ModelType, type StepName, type TransformType } from '../../schema/job.js';
import {
  type AnalysisParts,
  type AnalysisResult,
  analysisPartsSchema,
  type PartName,
} from '../../schema/result.js';
import type { Sources } from '../sources/sources.js';
import type { Attempt, Saves } from '../storage/saves.js';
import type { Change, Store } from '../storage/store.js';
import { clipName, isModelType, type Video } from './state.js';

/** What does the work: a reframer, or as much of one as the service calls. */
export type Pipeline = Pick<Reframer, 'probe' | 'analyse' | 'plan' | 'advise' | 'render'>;

export type StepTools = {
  readonly pipeline: () => Promise<Pipeline>;
  readonly store: Store;
  readonly sources: Sources;
  readonly saves: Saves;
  readonly advisor?: Advisor;
};

export type StepCall = { readonly signal: AbortSignal; readonly onProgress: (doneRatio: number) => void };

/** Rows of a video beside its analyses: what the analyses cover, and the plan of each transform. */
type Envelope = Pick<AnalysisResult, 'range' | 'size' | 'speech'>;
const envelopeName = 'envelope';

export const partKey = (video: Pick<Video, 'id'>, part: string): string => `${video.id}/${part}`;
/** Keys of everything that is stored for a video beside its record. */
export const partKeys = (video: Video): string[] =>
  [...new Set([...Object.keys(video.steps), ...Object.keys(analysisPartsSchema.entries), envelopeName])].map(
    part => partKey(video, part),
  );

/** The analyses of a video that exist. */
export async function loadParts(store: Store, video: Video): Promise<AnalysisParts> {
  const names = Object.keys(analysisPartsSchema.entries);
  const found = await Promise.all(names.map(name => store.get('parts', partKey(video, name))));
  return Object.fromEntries(
    names.map((name, i) => [name, found[i]]).filter(([, part]) => part),
  ) as AnalysisParts;
}

export const loadEnvelope = (store: Store, video: Video) =>
  store.get('parts', partKey(video, envelopeName)) as Promise<Envelope | undefined>;

/** Opens the source for the first time and checks the asked range against its length. */
export async function ingest(
  video: Video,
  { pipeline, sources }: StepTools,
  { signal }: StepCall,
): Promise<Video> {
  const source = await sources.bring(video.source, signal);
  const { facts } = await (await pipeline()).probe(await sources.open(source, signal), { signal });
  const { durationSec: lastSec, frameRateHz } = facts;
  const { startSec = 0, endSec = lastSec } = video;
  // People write the rounded length; a frame more is not a mistake.
  const isBeyond = startSec >= lastSec || endSec > lastSec + 1 / (frameRateHz || 1);
  if (isBeyond || endSec <= facts.startSec) {
    throw new ReframeError(
      'invalid_request',
      `The range ${startSec} to ${endSec} s does not lie in the video, which goes from ${facts.startSec} to ${lastSec} s.`,
    );
  }
  return { ...video, source, durationSec: lastSec - facts.startSec };
}

/** What a step came to: the video as it is known now, and rows to keep with it. */
type Outcome = { readonly video: Video; readonly changes: Change[] };

/** Computes analyses in one pass over the source, reusing those that exist, from where an earlier attempt was cut off. */
export async function analyse(
  video: Video,
  steps: readonly ModelType[],
  { pipeline, store, sources, saves }: StepTools,
  { signal, onProgress }: StepCall,
): Promise<Outcome> {
  const [have, before] = await Promise.all([loadParts(store, video), loadEnvelope(store, video)]);
  // No step asks for the content of pictures: plans are made with it, and it comes with the last thing they need.
  const want: PartName[] = [...steps];
  if (want.includes('active_speaker')) want.push('content');
  const resume = await saves.stateOf(video.id);
  const attempt = await saves.begin(video.id, 'analyse');
  const { parts, range, size, speech } = await (await pipeline()).analyse(
    await sources.open(video.source, signal),
    {
      want,
      have,
      ...(video.startSec !== undefined && { startSec: video.startSec }),
      ...(video.endSec !== undefined && { endSec: video.endSec }),
      ...(resume && { resume }),
      onSave: state => saves.keep(video.id, state),
      signal,
      onProgress({ stage, doneRatio, processedSec }) {
        if (stage === 'analyse') attempt.reach(processedSec);
        onProgress(doneRatio);
      },
    },
  );
  const heard = speech ?? before?.speech;
  const envelope: Envelope = { range, size, ...(heard && { speech: heard }) };
  const results = want.map(part => {
    const value = parts[part];
    if (!value) throw new ReframeError('internal', `The analysis left out ${part}.`);
    return { table: 'parts' as const, key: partKey(video, part), value };
  });
  const about = { table: 'parts' as const, key: partKey(video, envelopeName), value: envelope };
  return { video: counted(video, attempt), changes: [...results, about, ...saves.drop(video.id)] };
}

const counted = (video: Video, { repeatedSec }: Attempt): Video =>
  repeatedSec > 0 ? { ...video, repeatedSec: (video.repeatedSec ?? 0) + repeatedSec } : video;

const noAdvice: Advised = { overrides: [], notes: [] };

/** What the advisor says, or said to an earlier attempt. */
async function advised(video: Video, saves: Saves, ask: () => Promise<Advised>): Promise<Advised> {
  const kept = await saves.adviceOf(video.id);
  if (kept) return kept;
  const fresh = await ask();
  await saves.keepAdvice(video.id, fresh);
  return fresh;
}

/** What came of asking the advisor; a second transform of the same analyses says the same again. */
const noted = (video: Video, notes: readonly string[]): Video => ({
  ...video,
  notes: [...new Set([...video.notes, ...notes.map(note => `llm: ${note}`)])],
});

/**
 * Plans and renders the clip of a transform, from the last closed chunk of an earlier attempt. The file has its name
 * only when it is complete.
 */
export async function transform(
  video: Video,
  step: TransformType,
  { pipeline, store, sources, saves, advisor }: StepTools,
  { signal, onProgress }: StepCall,
): Promise<Outcome> {
  const usesLlm = step === 'reframe_llm' || (video.job?.llm ?? false);
  if (step === 'reframe_llm' && !advisor)
    throw new ReframeError('model_unavailable', 'No advisor is installed.');
  const [parts, envelope] = await Promise.all([loadParts(store, video), loadEnvelope(store, video)]);
  if (!envelope)
    throw new ReframeError('internal', 'The analyses are gone from the storage. Ask for them again.');
  const result = { parts, ...envelope };
  const works = await pipeline();
  const ask = async () => {
    const source = await sources.open(video.source, signal);
    return works.advise(result, {}, advisor!, { source, signal });
  };
  const { overrides, notes } = usesLlm && advisor ? await advised(video, saves, ask) : noAdvice;
  const plan = works.plan(result, { overrides });
  const { files } = store;
  const fileName = clipName(video, step);
  const attempt = await saves.begin(video.id, 'transform');
  const clip = await works.render(await sources.open(video.source, signal), plan, {
    target: files.clipTarget,
    fileName,
    // Until the record says so the clip is not finished: a page that is killed in between must not draw all of it again.
    resumable: files.clipTarget === 'storage' && 'keep',
    signal,
    onProgress({ stage, doneRatio, processedSec }) {
      if (stage === 'render') attempt.reach(processedSec);
      onProgress(doneRatio);
    },
  });
  if (files.clipTarget === 'memory') {
    const draft = await files.create(fileName);
    try {
      await (clip.file!.stream() as ReadableStream<Uint8Array<ArrayBuffer>>).pipeTo(draft.writable, {
        preventClose: true,
        signal,
      });
      await draft.commit();
    } catch (error) {
      await draft.discard();
      throw error;
    }
  }
  const value = { ...plan, download_url: downloadPath(video.id, step) };
  return {
    video: counted(noted(video, notes), attempt),
    changes: [{ table: 'parts', key: partKey(video, step), value }, ...saves.drop(video.id)],
  };
}

/** Runs steps that go together: one alone, or several analyses in one pass. */
export async function runSteps(
  video: Video,
  steps: readonly StepName[],
  tools: StepTools,
  call: StepCall,
): Promise<Outcome> {
  const [first] = steps;
  if (first === 'ingest') return { video: await ingest(video, tools, call), changes: [] };
  if (first === 'reframe' || first === 'reframe_llm') return transform(video, first, tools, call);
  return analyse(video, steps.filter(isModelType), tools, call);
}
