import { contactPicture } from '../advisor/contact-picture.js';
import { advisorQuestions } from '../core/plan/advisor-questions.js';
import { overrideOfAdvice } from '../core/plan/override-of-advice.js';
import type { SourceInput } from '../media/source.js';
import { scopeOf } from '../pipeline/plan-tasks.js';
import { type AdvisorQuestion, parseAdvice } from '../schema/advice.js';
import type { Advisor, AdvisorCall } from '../schema/advisor.js';
import type { CallOptions } from '../schema/call-options.js';
import type { Override, PlanRequest } from '../schema/plan.js';
import type { PlannableResult } from '../schema/result.js';

/** How an advisor is asked. */
export type AdviseOptions = Pick<CallOptions, 'signal'> & {
  /**
   * The source that the result is of, so that advisors that look at pictures can: a frame of it is read when one asks.
   * Default none: questions go without a picture.
   */
  readonly source?: SourceInput;
  /** At most so many questions per started minute of the planned frames, the hardest first. Default 2, at least 0. */
  readonly questionsPerMin?: number;
  /** An answer that takes longer, its picture included, is not waited for. Seconds, above 0, at most 600; default 20. */
  readonly timeoutSec?: number;
};

/** What came of asking an advisor. */
export type Advised = {
  /**
   * One for each valid answer, with `source: 'advisor'`, in the order of their scenes. As a part of a plan request's
   * `overrides` they count, without them the plan is what it was.
   */
  readonly overrides: Override[];
  /** What was asked and what became of each question, as sentences. */
  readonly notes: readonly string[];
};

/** After so many failures in a row the advisor is taken for gone. */
const maxFailuresInRow = 3;

/** A frame of the source that the call is about. */
export type TakeFrame = (timeSec: number, signal: AbortSignal) => Promise<ImageBitmap>;

export type AdviseTask = {
  readonly result: PlannableResult;
  /** Complete. */
  readonly request: PlanRequest;
  readonly advisor: Advisor;
  /** Absent where there is no source to take frames of. */
  readonly takeFrame?: TakeFrame | undefined;
};

/** Asks one question after the other: local models answer one at a time. */
export async function callAdvise(
  { result, request, advisor, takeFrame }: AdviseTask,
  { signal, questionsPerMin = 2, timeoutSec = 20 }: Omit<AdviseOptions, 'source'>,
): Promise<Advised> {
  if (!(questionsPerMin >= 0)) throw new RangeError('advise: questionsPerMin must be at least 0');
  if (!(timeoutSec > 0 && timeoutSec <= 600))
    throw new RangeError('advise: timeoutSec must be above 0 and at most 600');
  signal?.throwIfAborted();
  const questions = advisorQuestions(result.parts, request, { questionsPerMin, ...scopeOf(result) });
  const overrides: Override[] = [];
  const notes: string[] = [];
  let failuresInRow = 0;
  for (const [i, question] of questions.entries()) {
    if (failuresInRow === maxFailuresInRow) {
      notes.push(
        `The advisor failed ${maxFailuresInRow} times in a row; ${questions.length - i} further scenes stay as planned.`,
      );
      break;
    }
    const { startSec, endSec } = question;
    const where = `Scene ${question.sceneId}, ${startSec.toFixed(2)} to ${endSec.toFixed(2)} s`;
    const ask = (call: AdvisorCall) =>
      advisor(question, {
        ...call,
        ...(takeFrame && {
          picture: () =>
            takePicture(question, takeFrame, call.signal).catch(error => {
              call.signal.throwIfAborted();
              notes.push(`${where}: asked without a picture, because of this: ${messageOf(error)}`);
              return undefined;
            }),
        }),
      });
    try {
      const advice = parseAdvice(await inTime(ask, { signal, timeoutSec }), question);
      overrides.push(overrideOfAdvice(question, advice));
      const { layout, faces, confidence, reason } = advice;
      const shown = faces.length ? `${layout}, faces ${faces.join(', ')}` : layout;
      notes.push(`${where}: ${shown}, as the advisor says (confidence ${confidence}): ${reason}`);
      failuresInRow = 0;
    } catch (error) {
      signal?.throwIfAborted();
      failuresInRow++;
      notes.push(`${where}: the plan stays, because of this: ${messageOf(error)}`);
    }
  }
  const asked = `Difficult scenes: ${questions.length}; answers of the advisor that are used: ${overrides.length}.`;
  return {
    overrides: overrides.sort((a, b) => a.startSec - b.startSec),
    notes: [questions.length ? asked : 'No scene was difficult enough to ask the advisor about.', ...notes],
  };
}

/** An answer, if it comes in time; an advisor that does not listen to its signal is left behind. */
async function inTime(
  ask: (call: AdvisorCall) => Promise<unknown>,
  { signal, timeoutSec }: { signal: AbortSignal | undefined; timeoutSec: number },
): Promise<unknown> {
  const end = new AbortController();
  const stop = () => end.abort(signal!.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => end.abort(new Error(`no answer within ${timeoutSec} s`)), timeoutSec * 1000);
  const ended = new Promise<never>((_, reject) =>
    end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true }),
  );
  try {
    // An advisor may also throw before it gives a promise, which an async function turns into a rejection.
    return await Promise.race([(async () => ask({ signal: end.signal }))(), ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

async function takePicture(
  question: AdvisorQuestion,
  takeFrame: TakeFrame,
  signal: AbortSignal,
): Promise<Blob> {
  const frame = await takeFrame(question.timeSec, signal);
  try {
    return await contactPicture(frame, question);
  } finally {
    frame.close();
  }
}

/** Longest message of an advisor's error that is repeated, in UTF-16 units. */
const maxMessageLength = 300;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, maxMessageLength) : 'the advisor failed';
