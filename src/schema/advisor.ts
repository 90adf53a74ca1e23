import type { AdvisorQuestion } from './advice.js';

/** What an advisor is given beside a question. */
export type AdvisorCall = {
  /** Aborts when the answer is not waited for any longer. */
  readonly signal: AbortSignal;
  /**
   * Makes the contact picture, a JPEG of 360 lines with the numbered boxes drawn in, at `timeSec` of the question; nothing
   * where no frame could be read. Absent where nobody said which source the result is of.
   */
  readonly picture?: () => Promise<Blob | undefined>;
};

/**
 * Answers one question with what is said of `Advice`: `{ layout, faces, reason, confidence }`. May reject, and should when
 * `signal` aborts: the plan stays then, as after any other answer that is not valid.
 */
export type Advisor = (question: AdvisorQuestion, call: AdvisorCall) => Promise<unknown>;
