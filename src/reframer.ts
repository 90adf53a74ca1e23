import { planCrop } from './core/plan/plan.js';
import type { SourceInput } from './media/source.js';
import type { AnalysisTasks, ProbeResult } from './pipeline/analysis/analysis-tasks.js';
import { absoluteEngine, type EngineOptions } from './pipeline/engine-options.js';
import type { RenderReport, RenderSettings, RenderTasks } from './pipeline/rendering/render-tasks.js';
import { createProgressMeter, partOf } from './pipeline/stages.js';
import { toWorkerSource } from './pipeline/worker-source.js';
import type { Connection } from './rpc/connect.js';
import type { AnalysisState } from './schema/analysis-state.js';
import { isReframeError } from './schema/error.js';
import { completePlanRequest, type Plan, type PlanRequest } from './schema/plan.js';
import type { OnProgress } from './schema/progress.js';
import type { AnalysisParts, AnalysisResult, PartialResult, PartName } from './schema/result.js';
import { spawnWorker, type WorkerUrls } from './spawn.js';

/** How a reframer works; every field has a default, and nothing is fetched from another origin unless named here. */
export type ReframerOptions = Partial<EngineOptions> & {
  /** Folder that holds `workers/` of the package's `dist/standalone`, for pages without a bundler. */
  readonly assetBaseUrl?: string | URL;
  /** Single worker scripts, where a bundler or a policy puts them elsewhere. */
  readonly workerUrls?: WorkerUrls;
};

/** What every long call takes. */
export type CallOptions = {
  /** Stops the work; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
};

export type RangeOptions = {
  /** Start of the range in seconds; default the start of the source. */
  readonly startSec?: number;
  /** End of the range in seconds; default the end of the source. */
  readonly endSec?: number;
};

export type AnalyseOptions = CallOptions &
  RangeOptions & {
    /** Parts to compute; default all three. */
    readonly want?: readonly PartName[];
    /** Parts of the same source that exist already; they are reused and not computed again. */
    readonly have?: AnalysisParts;
    /**
     * Told about once a second what is known so far, which `plan` takes: a preview can begin long before the result.
     * The analysis goes on when the answer settles, so a promise that waits is a pause.
     */
    readonly onPartial?: (partial: PartialResult) => void | Promise<void>;
    /**
     * Told about every ten seconds of media with all that is needed to go on from there; the analysis waits until the
     * answer settles. When it rejects, so does the analysis.
     */
    readonly onSave?: (state: AnalysisState) => void | Promise<void>;
    /**
     * Goes on from a state that `onSave` was told. One that does not fit (another version, range, source, list of
     * parts or model) is not used, and `diagnostics.fallbacks` says why.
     */
    readonly resume?: AnalysisState;
  };

export type RenderOptions = CallOptions &
  Partial<RenderSettings> & {
    /**
     * Where the clip goes: a file of the browser's private storage (default; the answer's `file`), a stream that the
     * caller opened (chunks `{ type: 'write', data, position }`, as `createWritable()` of a file takes them), or memory.
     */
    readonly target?: 'storage' | 'memory' | WritableStream;
    /** Name of the file in the browser's private storage. */
    readonly fileName?: string;
    /**
     * Keeps what is encoded in closed stretches beside the clip until that is complete, so that the same render (the
     * same source, plan and settings under the same `fileName`) goes on where an earlier one was aborted or killed.
     * Needs the target `storage` and a `fileName`, and up to twice the clip's bytes. `discardChunks` gives up what
     * an aborted render left. `keep` leaves the stretches beside the finished clip too, for whoever has to write down
     * somewhere else first that it is finished. Default false.
     */
    readonly resumable?: boolean | 'keep';
  };

/** A finished clip. `file` is absent when it went to the caller's stream. */
export type Clip = RenderReport & { readonly file?: Blob };

export type ReframeOptions = Omit<AnalyseOptions, 'want' | 'have' | 'onSave' | 'resume'> &
  RenderOptions & { readonly plan?: Partial<PlanRequest> };

/** What a plan needs of an analysis; the envelope around the parts may be left out when they tell enough. */
export type PlannableResult = Pick<AnalysisResult, 'parts'> &
  Partial<Pick<AnalysisResult, 'range' | 'size' | 'speech'>>;

/** Turns landscape video into speaker-following portrait video, in workers of this page. */
export interface Reframer {
  /** Opens a source and tells what is in it, without decoding it. */
  probe(source: SourceInput, options?: Pick<CallOptions, 'signal'>): Promise<ProbeResult>;
  /** Finds shots, faces and who speaks. */
  analyse(source: SourceInput, options?: AnalyseOptions): Promise<AnalysisResult>;
  /** Decides what the output shows. Pure arithmetic on JSON: milliseconds, no pixels. */
  plan(result: PlannableResult, request?: Partial<PlanRequest>): Plan;
  /** Draws and encodes what a plan says. */
  render(source: SourceInput, plan: Plan, options?: RenderOptions): Promise<Clip>;
  /** All of it. */
  reframe(
    source: SourceInput,
    options?: ReframeOptions,
  ): Promise<{ readonly result: AnalysisResult; readonly plan: Plan; readonly clip: Clip }>;
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

const allParts: readonly PartName[] = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'];

/**
 * Makes a reframer. Workers start with the first call and stay for the next ones; several reframers on one page
 * do not share anything.
 */
export function createReframer(options: ReframerOptions = {}): Reframer {
  const engine = completeEngine(options);
  const workers: { analysis?: Connection<AnalysisTasks>; render?: Connection<RenderTasks> } = {};
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

  const reframer: Reframer = {
    async probe(source, { signal } = {}) {
      const { plain, callbacks } = toWorkerSource(source);
      return analysis().call('probe', { source: plain, engine }, { signal, callbacks });
    },

    async analyse(source, options = {}) {
      const { signal, onProgress, onPartial, onSave, resume, want = allParts, have = {}, ...range } = options;
      checkRange(range);
      let saved = resume;
      const attempt = (device: EngineOptions['device']) => {
        const { plain, callbacks } = toWorkerSource(source);
        const task = {
          source: plain,
          engine: { ...engine, device },
          want,
          have,
          partial: onPartial !== undefined,
          save: onSave !== undefined,
          ...range,
          ...(saved && { resume: saved }),
        };
        const partial = async (found: PartialResult) => {
          await onPartial?.(found);
          return {};
        };
        const save = async (state: AnalysisState) => {
          saved = state;
          await onSave?.(state);
          return {};
        };
        return analysis().call('analyse', task, {
          signal,
          onProgress,
          callbacks: { ...callbacks, partial, save },
        });
      };
      try {
        return await attempt(engine.device);
      } catch (error) {
        // The worker owns the lost device; a new worker without a GPU goes on from what was saved, else from the start.
        if (!isReframeError(error) || error.code !== 'device_lost' || engine.device === 'wasm') throw error;
        workers.analysis?.close();
        const result = await attempt('wasm');
        const fallbacks = [
          ...result.diagnostics.fallbacks,
          `The analysis began again on WASM: ${error.message}`,
        ];
        return { ...result, diagnostics: { ...result.diagnostics, fallbacks } };
      }
    },

    plan: ({ parts, range, size, speech }, request = {}) =>
      planCrop(parts, completePlanRequest(request), {
        ...range,
        ...(size && { size }),
        ...(speech && { speech }),
      }),

    async render(source, plan, options = {}) {
      const { signal, onProgress, target = 'storage', fileName, resumable = false, ...settings } = options;
      if (resumable && (target !== 'storage' || fileName === undefined))
        throw new TypeError('resumable needs the target storage and a fileName, by which it is found again');
      const { plain, callbacks } = toWorkerSource(source);
      const writer = target instanceof WritableStream ? target.getWriter() : undefined;
      const write = async (chunk: unknown) => {
        await writer?.ready;
        await writer?.write(chunk);
        return {};
      };
      const input = {
        source: plain,
        engine,
        plan,
        settings,
        target: writer ? ('stream' as const) : (target as 'storage' | 'memory'),
        fileName: fileName ?? `reframed-${crypto.randomUUID()}.mp4`,
        resumable,
      };
      try {
        const clip = await rendering().call('render', input, {
          signal,
          onProgress,
          callbacks: { ...callbacks, write },
        });
        await writer?.close();
        return clip;
      } catch (error) {
        await writer?.abort(error).catch(() => {});
        throw error;
      }
    },

    async reframe(
      source,
      { signal, onProgress, onPartial, startSec, endSec, plan: request, ...output } = {},
    ) {
      const meter = createProgressMeter(
        ['models', 'probe', 'analyse', 'plan', 'render', 'audio'],
        onProgress,
      );
      const range = {
        ...(startSec !== undefined && { startSec }),
        ...(endSec !== undefined && { endSec }),
      };
      const call = signal ? { signal } : {};
      const result = await reframer.analyse(source, {
        ...range,
        ...call,
        ...(onPartial && { onPartial }),
        onProgress: partOf(['models', 'probe', 'analyse'], meter),
      });
      const plan = reframer.plan(result, request);
      const clip = await reframer.render(source, plan, {
        ...output,
        ...call,
        onProgress: partOf(['render', 'audio'], meter),
      });
      meter.done(result.diagnostics.mediaSec);
      return { result, plan, clip };
    },

    async snapshots(source, { signal, timesSec, heightPx }) {
      const { plain, callbacks } = toWorkerSource(source);
      const input = { source: plain, engine, timesSec, heightPx };
      return analysis().call('snapshots', input, { signal, callbacks });
    },

    close() {
      workers.analysis?.close();
      workers.render?.close();
    },
  };
  return reframer;
}

function completeEngine(options: ReframerOptions): EngineOptions {
  const { assetBaseUrl: _base, workerUrls: _urls, ...given } = options;
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

function checkRange({ startSec, endSec }: RangeOptions): void {
  if (startSec !== undefined && !(startSec >= 0)) throw new RangeError('startSec must be a number ≥ 0');
  if (endSec !== undefined && !(endSec > (startSec ?? 0)))
    throw new RangeError('endSec must be greater than startSec');
}
