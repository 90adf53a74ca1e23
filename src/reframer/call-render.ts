import { captionStretches } from '../captions/burn/caption-stretches.js';
import type { SourceInput } from '../media/source.js';
import type { EngineOptions } from '../pipeline/engine-options.js';
import type { BurnTask } from '../pipeline/rendering/burn-captions.js';
import type { RenderTasks } from '../pipeline/rendering/render-tasks.js';
import { toWorkerSource } from '../pipeline/worker-source.js';
import type { Connection } from '../rpc/connect.js';
import { completeCaptionStyle } from '../schema/caption-style.js';
import type { Plan } from '../schema/plan.js';
import type { TimeRange } from '../schema/time.js';
import type { BurnCaptions, Clip, RenderOptions } from './options.js';

export type RenderCall = {
  readonly source: SourceInput;
  readonly plan: Plan;
  readonly engine: EngineOptions;
  /** The render worker; another one after the last was closed. */
  readonly worker: () => Connection<RenderTasks>;
};

/**
 * Renders in the worker, and hands what a stream of the caller's gets through this thread.
 *
 * @throws TypeError when a resumable render has no file to be found by again, or a style of captions is wrong.
 * @throws RangeError where `keep` is not in order or has nothing of the plan.
 */
export async function callRender(
  { source, plan, engine, worker }: RenderCall,
  {
    signal,
    onProgress,
    target = 'storage',
    fileName,
    resumable = false,
    keep,
    captionTrack,
    burnCaptions,
    ...settings
  }: RenderOptions,
): Promise<Clip> {
  if (resumable && (target !== 'storage' || fileName === undefined))
    throw new TypeError('resumable needs the target storage and a fileName, by which it is found again');
  if (keep) checkRanges(keep);
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
    ...(keep && { keep }),
    settings,
    ...(captionTrack && { captionTrack }),
    ...(burnCaptions && { burn: toBurn(burnCaptions, plan) }),
    target: writer ? ('stream' as const) : (target as 'storage' | 'memory'),
    fileName: fileName ?? `reframed-${crypto.randomUUID()}.mp4`,
    resumable,
  };
  try {
    const clip = await worker().call('render', input, {
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
}

function checkRanges(keep: readonly TimeRange[]): void {
  let fromSec = Number.NEGATIVE_INFINITY;
  for (const [i, { startSec, endSec }] of keep.entries()) {
    if (!(startSec >= fromSec && endSec > startSec && endSec < Number.POSITIVE_INFINITY))
      throw new RangeError(
        `keep[${i}] is ${startSec}–${endSec}: ranges end after they start, and come in order without overlaps.`,
      );
    fromSec = endSec;
  }
}

/** Faces are looked up here, so that a long source's tracks need not cross to the worker. */
function toBurn({ captions, language, parts, style }: BurnCaptions, plan: Plan): BurnTask {
  const complete = completeCaptionStyle(style);
  const { fontUrl } = complete;
  return {
    captions,
    language,
    // A worker's own address may be a blob's, against which nothing can be resolved.
    style: fontUrl === undefined ? complete : { ...complete, fontUrl: new URL(fontUrl, location.href).href },
    stretches: captionStretches(captions, plan, parts),
  };
}
