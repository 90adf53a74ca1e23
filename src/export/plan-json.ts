import { ReframeError } from '../schema/error.js';
import { parseWire } from '../schema/job.js';
import { type Plan, planSchema } from '../schema/plan.js';

/** The plan as it is, on the wire: everything that it says, for programs that know this library. */
export const toPlanJson = (plan: Plan): string => `${JSON.stringify(plan)}\n`;

/**
 * Reads what {@link toPlanJson} wrote.
 *
 * @throws ReframeError `invalid_request` for text that is no plan, naming the field that is wrong.
 */
export function fromPlanJson(text: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ReframeError('invalid_request', 'This is no JSON.', { cause });
  }
  return parseWire(planSchema, value);
}
