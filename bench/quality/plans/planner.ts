import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { planCrop } from '../../../src/core/plan/plan.js';
import { defaultPlanRequest, type Plan, type PlanRequest } from '../../../src/schema/plan.js';
import type { AnalysisParts } from '../../../src/schema/result.js';

/** A planner under its name: ours, or that of another checkout of this repository. */
export type Planner = {
  readonly name: string;
  plan(parts: AnalysisParts, request?: Partial<PlanRequest>): Plan;
};

export const ourPlanner: Planner = {
  name: 'now',
  plan: (parts, request = {}) => planCrop(parts, { ...defaultPlanRequest, ...request }),
};

/** @param folder - Root of another checkout, whose planner takes what ours takes, or ignores what it does not know. */
export async function plannerOf(folder: string): Promise<Planner> {
  const files = ['src/core/plan/plan.ts', 'src/schema/plan.ts'].map(path => join(resolve(folder), path));
  const missing = files.find(file => !existsSync(file));
  if (missing) throw new Error(`--against takes a checkout of this repository: ${missing} is not there.`);
  const [core, schema] = await Promise.all(files.map(file => import(pathToFileURL(file).href)));
  return {
    name: 'before',
    plan: (parts, request = {}) => core.planCrop(parts, { ...schema.defaultPlanRequest, ...request }),
  };
}
