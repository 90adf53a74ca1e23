import type { AdvisorQuestion } from './advice.js';

/**
 * Answers one question with what is said of `Advice`: `{ layout, faces, reason, confidence }`. May reject, and should when
 * `signal` aborts: the plan stays then, as after any other answer that is not valid.
 */
export type Advisor = (question: AdvisorQuestion, call: { readonly signal: AbortSignal }) => Promise<unknown>;
