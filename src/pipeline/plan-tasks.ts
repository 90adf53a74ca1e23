import { planCrop } from '../core/plan/plan.js';
import type { PlanScope } from '../core/plan/timeline.js';
import { createAssembly, type Piece } from '../rpc/pieces.js';
import type { Task } from '../rpc/protocol.js';
import type { Plan, PlanRequest } from '../schema/plan.js';
import type { PlannableResult } from '../schema/result.js';

/** What the plan worker offers: it keeps one result, so that each further plan of it sends a request only. */
export type PlanTasks = {
  /** Takes a piece of a result; the first one forgets the result before. */
  readonly take: Task<{ readonly piece: Piece; readonly isFirst: boolean }, void>;
  /** Plans the result that was taken. */
  readonly plan: Task<PlanRequest, Plan>;
};

export function createPlanTasks(): PlanTasks {
  let assembly = createAssembly();
  return {
    async take({ piece, isFirst }) {
      if (isFirst) assembly = createAssembly();
      assembly.add(piece);
    },
    plan: async request => planResult(assembly.value as PlannableResult, request),
  };
}

/** Plans what an analysis found, within the range that it looked at. @param request - Complete. */
export const planResult = (result: PlannableResult, request: PlanRequest): Plan =>
  planCrop(result.parts, request, scopeOf(result));

/** The frames that an analysis looked at, and what it knows beside its parts. */
export const scopeOf = ({ range, size, speech }: PlannableResult): PlanScope => ({
  ...range,
  ...(size && { size }),
  ...(speech && { speech }),
});
