import { speechIntervals } from '../../core/speech.js';
import type { Media } from '../../media/media.js';
import type { AnalysisState } from '../../schema/analysis-state.js';
import type { FrameTime } from '../../schema/time.js';
import type { AnalysisPass, Found } from './analysis-pass.js';
import type { Analysis, AnalysisRequest, AnalysisTools } from './analysis-request.js';
import { saveStepSec, toState } from './analysis-work.js';
import { openPasses } from './open-passes.js';
import { createPartialPacer } from './partial-pace.js';
import { type RunState, runPasses } from './run-passes.js';
import { evidenceOf, writeParts } from './write-parts.js';

/** How an analysis that was given a state went on from it, or why it did not. */
export type Resumption = {
  /** Time of the first frame that was read. */
  readonly resumedFromSec?: number;
  readonly refusal?: string;
};

/** Computes all wanted parts in one reading of the source, or of what is left of it. */
export async function analyse(
  media: Media,
  tools: AnalysisTools,
  request: AnalysisRequest,
): Promise<Analysis & Resumption> {
  const { stopwatch, sampler } = tools;
  const { have, want, signal, onSave } = request;
  const { facts } = media;
  const opened = await openPasses(media, tools, request);
  const { passes, shots, faces, shotName, faceName, voiceName, words, identity, work, refusal } = opened;
  let { firstFrame, frameCount, lastSec } = work ?? { frameCount: 0 };
  let savedSec = lastSec;

  const { startSec } = identity;
  const writer = { facts, have, want, shotName, faceName, voiceName, words, startSec, stopwatch };
  const write = (found: Found, endFrame: number): Analysis => {
    const first = firstFrame ?? 0;
    return {
      parts: writeParts(found, writer),
      range: { firstFrame: first, frameCount: endFrame - first },
      ...(found.speech && { speech: speechIntervals(found.speech) }),
    };
  };
  const tellPartial = createPartialPacer({
    async make() {
      const endFrame = faces?.settledUntilFrame ?? firstFrame! + frameCount;
      return write(await gather(passes, pass => pass.partial(endFrame)), endFrame);
    },
    give: async partial => request.onPartial?.(partial),
  });
  const save = (run: RunState, nextSec: number): AnalysisState => {
    const kept = passes.flatMap(pass => pass.kept ?? []);
    const next = { frameNumber: run.lastFrame + 1, timeSec: nextSec };
    const from = [...kept, next].reduce((a, b) => (b.frameNumber < a.frameNumber ? b : a));
    const states = Object.fromEntries(passes.map(pass => [pass.name, pass.save()]));
    const progress = { firstFrame: firstFrame!, frameCount, lastSec: lastSec! };
    return toState({ identity, from, ...progress, run, passes: states }, nextSec);
  };
  const onTaken = async (at: FrameTime, nextSec: number | undefined, saveRun: () => RunState) => {
    request.onTime?.(at.timeSec);
    if (request.onPartial && (faces?.settledUntilFrame ?? at.frameNumber) > firstFrame!) await tellPartial();
    savedSec ??= at.timeSec;
    // Behind the last frame there is nothing to go on with.
    if (!onSave || nextSec === undefined || at.timeSec - savedSec < saveStepSec) return;
    savedSec = at.timeSec;
    await onSave(stopwatch.time('save', () => save(saveRun(), nextSec)));
  };

  try {
    const rest = work ? { ...request, startSec: work.from.timeSec } : request;
    await runPasses(stopwatch.timeEach('decode', media.frames(rest)), {
      ...{ sampler, display: facts.display, stopwatch, passes, onTaken },
      isCut: frameNumber => shots.hardCut(frameNumber),
      ...(work && { saved: work.run, beforeSec: work.lastSec }),
      onFrame(at) {
        signal?.throwIfAborted();
        firstFrame ??= at.frameNumber;
        frameCount++;
        lastSec = at.timeSec;
      },
    });
    const found = await gather(passes, pass => pass.finish());
    const evidence = request.onEvidence && evidenceOf(found, writer);
    if (evidence) await request.onEvidence?.(evidence);
    return {
      ...write(found, (firstFrame ?? 0) + frameCount),
      ...(work && { resumedFromSec: work.from.timeSec }),
      ...(refusal && { refusal }),
    };
  } finally {
    for (const pass of passes) await pass.close?.();
  }
}

/** What all passes know, asked one after the other. */
async function gather(
  passes: readonly AnalysisPass[],
  ask: (pass: AnalysisPass) => Promise<Found>,
): Promise<Found> {
  let found: Found = {};
  for (const pass of passes) found = { ...found, ...(await ask(pass)) };
  return found;
}
