import { type PlanTasks, planResult } from '../pipeline/plan-tasks.js';
import { whileWanted } from '../pipeline/while-wanted.js';
import type { Connection } from '../rpc/connect.js';
import { piecesOf } from '../rpc/pieces.js';
import type { CallOptions } from '../schema/call-options.js';
import { completePlanRequest, type Plan, type PlanRequest } from '../schema/plan.js';
import type { PlannableResult } from '../schema/result.js';

/** Results with no more boxes and scores are planned at once: 4 ms on a laptop, a frame of a screen on a slow phone. */
const maxHere = 10_000;
/** A piece of this many values is cloned in a few milliseconds. */
const pieceValues = 40_000;

/** Plans in a worker, which keeps the last result that it was sent. Calls are answered one by one, in their order. */
export function createPlanCall(worker: () => Connection<PlanTasks>) {
  let kept: { readonly result: PlannableResult; readonly by: Connection<PlanTasks> } | undefined;
  let before: Promise<unknown> = Promise.resolve();

  // Goes on when its call is aborted: the next call is most likely about the same result.
  const send = async (result: PlannableResult, to: Connection<PlanTasks>) => {
    kept = undefined;
    let isFirst = true;
    const { parts, range, size, speech } = result;
    const needed = { parts, ...(range && { range }), ...(size && { size }), ...(speech && { speech }) };
    for (const piece of piecesOf(needed, pieceValues)) {
      // Each answer is waited for: between two pieces this thread draws, and nothing queues.
      await to.call('take', { piece, isFirst });
      isFirst = false;
    }
    kept = { result, by: to };
  };

  return async (
    result: PlannableResult,
    asked: Partial<PlanRequest> = {},
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<Plan> => {
    const request = completePlanRequest(asked);
    signal?.throwIfAborted();
    if (countEntries(result) <= maxHere) return planResult(result, request);
    const turn = before.then(async () => {
      signal?.throwIfAborted();
      const to = worker();
      if (kept?.result !== result || kept.by !== to) await send(result, to);
      signal?.throwIfAborted();
      return to.call('plan', request);
    });
    before = turn.catch(() => {});
    // A plan is not interrupted; whoever gives it up need not wait for it.
    return whileWanted(turn, signal);
  };
}

function countEntries({ parts }: PlannableResult): number {
  const tracks = parts.face_tracking_yolov8?.tracks ?? [];
  const boxes = tracks.reduce((sum, track) => sum + track.boxes.length, 0);
  return (parts.active_speaker?.tracks ?? []).reduce((sum, track) => sum + track.scores.length, boxes);
}
