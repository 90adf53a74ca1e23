import { contactHeightPx } from '../advisor/contact-picture.js';
import { burnedCharacters } from '../captions/burn/safe-area.js';
import { captionParts } from '../captions/caption-parts.js';
import type { SourceInput } from '../media/source.js';
import type { AnalysisTasks, ProbeResult } from '../pipeline/analysis/analysis-tasks.js';
import { absoluteEngine, type EngineOptions } from '../pipeline/engine-options.js';
import { type PlanTasks, planResult } from '../pipeline/plan-tasks.js';
import type { RenderTasks } from '../pipeline/rendering/render-tasks.js';
import { createProgressMeter, partOf } from '../pipeline/stages.js';
import { toWorkerSource } from '../pipeline/worker-source.js';
import type { Connection } from '../rpc/connect.js';
import type { Advisor } from '../schema/advisor.js';
import type { CallOptions } from '../schema/call-options.js';
import { completeCaptionStyle } from '../schema/caption-style.js';
import { ReframeError } from '../schema/error.js';
import { completePlanRequest, type Plan, type PlanRequest } from '../schema/plan.js';
import type { AnalysisResult, PlannableResult } from '../schema/result.js';
import { spawnWorker } from '../spawn.js';
import { type Advised, type AdviseOptions, callAdvise, type TakeFrame } from './call-advise.js';
import { callAnalyse, plannedParts } from './call-analyse.js';
import { createPlanCall } from './call-plan.js';
import { callRender } from './call-render.js';
import type { AnalyseOptions, Clip, ReframeOptions, ReframerOptions, RenderOptions } from './options.js';

/**
 * Turns landscape video into speaker-following portrait video, in workers of this page. A call rejects with a
 * `ReframeError`, for a wrong option with a `TypeError` or `RangeError`, or with the reason of its signal.
 */
export interface Reframer {
  /** Opens a source and tells what is in it, without decoding it. */
  probe(source: SourceInput, options?: Pick<CallOptions, 'signal'>): Promise<ProbeResult>;
  /** Finds shots, faces and who speaks. */
  analyse(source: SourceInput, options?: AnalyseOptions): Promise<AnalysisResult>;
  /**
   * Decides what the output shows. Pure arithmetic on JSON, without pixels, on this thread: half a second for two hours
   * with four faces. Throws a `TypeError` that names the wrong field of a request.
   */
  plan(result: PlannableResult, request?: Partial<PlanRequest>): Plan;
  /**
   * Gives the plan that `plan` gives, without holding this thread up: a worker of its own makes it, also while an analysis
   * runs. A result is sent to it once, in pieces, and known by its identity, so it must not be changed; each further
   * plan of it sends the request only. A result of at most 10 000 boxes and scores (about three minutes of one face) is
   * planned on this thread, which is faster than to send it. Calls are answered in their order; one that was aborted
   * before its turn costs nothing.
   */
  planInWorker(
    result: PlannableResult,
    request?: Partial<PlanRequest>,
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<Plan>;
  /**
   * Asks an advisor about the difficult scenes of the plan that `plan` makes of the same request: several faces with unsure
   * evidence, a screen, a crowd. Valid answers become overrides, which a plan request takes; scenes without one stay as
   * planned, and the notes say why. Difficult scenes are found on this thread, in the time that `plan` takes.
   */
  advise(
    result: PlannableResult,
    request: Partial<PlanRequest>,
    advisor: Advisor,
    options?: AdviseOptions,
  ): Promise<Advised>;
  /** Draws and encodes what a plan says. */
  render(source: SourceInput, plan: Plan, options?: RenderOptions): Promise<Clip>;
  /**
   * Analyses, plans and renders in one call, and gives what each of them gave; `advised` where an advisor was asked, whose
   * overrides the plan has then.
   */
  reframe(
    source: SourceInput,
    options?: ReframeOptions,
  ): Promise<{
    readonly result: AnalysisResult;
    readonly plan: Plan;
    readonly clip: Clip;
    readonly advised?: Advised;
  }>;
  /** Pictures of the source at the given times (seconds, rising), `heightPx` high. */
  snapshots(
    source: SourceInput,
    options: Pick<CallOptions, 'signal'> & {
      readonly timesSec: readonly number[];
      readonly heightPx: number;
    },
  ): Promise<readonly ImageBitmap[]>;
  /** Ends the workers; what still runs rejects with `worker_lost`. */
  close(): void;
}

/**
 * Makes a reframer. Workers start with the first call and stay for the next ones; several reframers on one page
 * do not share anything.
 */
export function createReframer(options: ReframerOptions = {}): Reframer {
  const engine = completeEngine(options);
  const workers: {
    analysis?: Connection<AnalysisTasks>;
    plan?: Connection<PlanTasks>;
    render?: Connection<RenderTasks>;
  } = {};
  const analysis = () => {
    if (!workers.analysis || workers.analysis.closed)
      workers.analysis = spawnWorker<AnalysisTasks>('analysis', options);
    return workers.analysis;
  };
  const rendering = () => {
    if (!workers.render || workers.render.closed)
      workers.render = spawnWorker<RenderTasks>('render', options);
    return workers.render;
  };
  const planning = () => {
    if (!workers.plan || workers.plan.closed) workers.plan = spawnWorker<PlanTasks>('plan', options);
    return workers.plan;
  };

  const reframer: Reframer = {
    async probe(source, { signal } = {}) {
      const { plain, callbacks } = toWorkerSource(source);
      return analysis().call('probe', { source: plain, engine }, { signal, callbacks });
    },
    analyse: (source, asked = {}) =>
      callAnalyse({ source, engine, transcriber: options.transcriber, worker: analysis }, asked),
    plan: (result, request = {}) => planResult(result, completePlanRequest(request)),
    planInWorker: createPlanCall(planning),
    async advise(result, asked, advisor, { source, ...options } = {}) {
      const takeFrame: TakeFrame = async (timeSec, signal) => {
        const call = { timesSec: [timeSec], heightPx: contactHeightPx, signal };
        const [frame] = await reframer.snapshots(source!, call);
        if (!frame) throw new ReframeError('decode_failed', `There is no frame at ${timeSec} s.`);
        return frame;
      };
      const request = completePlanRequest(asked);
      return callAdvise(
        { result, request, advisor, takeFrame: source === undefined ? undefined : takeFrame },
        options,
      );
    },
    render: (source, plan, options = {}) => callRender({ source, plan, engine, worker: rendering }, options),
    async reframe(source, asked = {}) {
      const { signal, onProgress, onPartial, startSec, endSec, language, plan: request, ...rest } = asked;
      const {
        also = [],
        advisor,
        captionTrack = false,
        burnCaptions = false,
        keep: asKept,
        identities = false,
        ...output
      } = rest;
      const meter = createProgressMeter(
        ['models', 'probe', 'analyse', 'plan', 'render', 'audio'],
        onProgress,
      );
      const range = { ...(startSec !== undefined && { startSec }), ...(endSec !== undefined && { endSec }) };
      const call = signal ? { signal } : {};
      // A wrong style is told before minutes of analysis.
      if (burnCaptions && burnCaptions !== true) completeCaptionStyle(burnCaptions);
      const further = captionTrack || burnCaptions ? (['transcription'] as const) : [];
      const result = await reframer.analyse(source, {
        want: [...new Set([...plannedParts, ...also, ...further])],
        ...(language !== undefined && { language }),
        identities,
        ...range,
        ...call,
        ...(onPartial && { onPartial }),
        onProgress: partOf(['models', 'probe', 'analyse'], meter),
      });
      const advised = advisor && (await reframer.advise(result, request ?? {}, advisor, { source, ...call }));
      const plan = reframer.plan(result, {
        ...request,
        ...(advised && { overrides: [...advised.overrides, ...(request?.overrides ?? [])] }),
      });
      const ranges = typeof asKept === 'function' ? asKept(result) : asKept;
      const keep = ranges && { keep: ranges };
      const clip = await reframer.render(source, plan, {
        ...output,
        ...call,
        ...keep,
        ...(captionTrack && {
          captionTrack: {
            captions: captionParts(result.parts, keep),
            language: result.parts.transcription!.language,
          },
        }),
        ...(burnCaptions && {
          burnCaptions: {
            captions: captionParts(result.parts, {
              ...keep,
              maxCharacters: burnedCharacters({ width: plan.output_width, height: plan.output_height }),
            }),
            language: result.parts.transcription!.language,
            parts: result.parts,
            ...(burnCaptions !== true && { style: burnCaptions }),
          },
        }),
        onProgress: partOf(['render', 'audio'], meter),
      });
      meter.done(result.diagnostics.mediaSec);
      return { result, plan, clip, ...(advised && { advised }) };
    },
    async snapshots(source, { signal, timesSec, heightPx }) {
      const { plain, callbacks } = toWorkerSource(source);
      const input = { source: plain, engine, timesSec, heightPx };
      return analysis().call('snapshots', input, { signal, callbacks });
    },
    close() {
      workers.analysis?.close();
      workers.plan?.close();
      workers.render?.close();
    },
  };
  return reframer;
}

function completeEngine(options: ReframerOptions): EngineOptions {
  const { assetBaseUrl: _base, workerUrls: _urls, transcriber: _own, ...given } = options;
  const isolated = globalThis.crossOriginIsolated === true;
  return absoluteEngine({
    device: 'auto',
    decoder: 'auto',
    // More than four threads gain nothing on networks this small.
    threads: isolated ? Math.min(4, navigator.hardwareConcurrency) : 1,
    models: {},
    ...given,
  });
}
