import type { Display, MediaFrame } from '../../media/media.js';
import type { GreyPicture, Picture, Sampler } from '../../sampling/sampler.js';
import type { FrameTime } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';
import type { AnalysisPass, Given } from './analysis-pass.js';
import { isNearTick } from './near-tick.js';

/** What looks at the frames of a source, and how. */
export type PassRun = {
  readonly sampler: Sampler;
  readonly display: Display;
  readonly stopwatch: Stopwatch;
  /** In the order in which they take a frame. */
  readonly passes: readonly AnalysisPass[];
  /** Whether a shot begins with this frame; undefined while later frames have to be seen first. */
  readonly isCut: (frameNumber: number) => boolean | undefined;
  /** What another run saved: the new run goes on from there. */
  readonly saved?: RunState;
  /** Time of the last frame that the run before had taken. */
  readonly beforeSec?: number | undefined;
  /** Told of each frame before the passes take it. */
  readonly onFrame: (at: FrameTime) => void;
  /**
   * Told of each frame when all passes have taken it; the next one waits.
   *
   * @param save - What another run goes on from, behind this frame.
   */
  readonly onTaken: (at: FrameTime, nextSec: number | undefined, save: () => RunState) => Promise<void>;
};

/** A run behind one frame. Frames after it may have been read already, and their cuts be known. */
export type RunState = {
  readonly lastFrame: number;
  /** When each pass that looks looked last, seconds, by its name. */
  readonly lookedSec: Readonly<Record<string, number>>;
  /** Thumbnails up to this frame were handed on. */
  readonly seenFrame: number;
  /** Cuts are known up to this frame; those behind `lastFrame` are these. */
  readonly knownFrame: number;
  readonly cuts: readonly number[];
};

/** Looks on their way at a time: while one runs in its worker, the next ones' pictures are read. */
const looksInFlight = 2;

type Waiting = {
  readonly at: FrameTime;
  readonly picture: Picture;
  /** Where somebody wants it in turn. */
  readonly thumbnail?: Float32Array;
};
/** A frame whose shot is known, and the looks at it that may still be under way. */
type Ready = Waiting & {
  readonly cut: boolean;
  readonly nextSec?: number;
  readonly looks: readonly { readonly pass: AnalysisPass; readonly found: Promise<unknown> }[];
};

/** Whether a frame is one of those that a pass with this step looks at: first and last ones of shots are, whenever they come. */
const isDue = (
  {
    at,
    cut,
    nextSec,
  }: { readonly at: FrameTime; readonly cut: boolean; readonly nextSec: number | undefined },
  { stepSec }: { readonly stepSec: number },
  lastSec = Number.NEGATIVE_INFINITY,
): boolean => cut || nextSec === undefined || at.timeSec - lastSec >= stepSec - 1e-3;

/** Reads each frame once; decoded frames are closed before the next one is asked for. */
export async function runPasses(frames: AsyncIterable<MediaFrame>, run: PassRun): Promise<void> {
  const { sampler, display, stopwatch, passes, saved } = run;
  const early = passes.filter(({ wants }) => wants.thumbnail === 'ahead');
  const others = passes.filter(({ wants }) => wants.thumbnail !== 'ahead');
  const keepsThumbnails = others.some(({ wants }) => wants.thumbnail);
  // A frame waits here until it is known whether a shot begins with it (two frames at most), then until it has been
  // looked at and those before it are done.
  const waiting: Waiting[] = [];
  const ready: Ready[] = [];
  /** When each pass looked (or was given brightness) last, in frames that were read, and in frames that were handed out. */
  const lookedSec = { ...saved?.lookedSec };
  const handedSec = { ...saved?.lookedSec };
  let beforeSec = run.beforeSec;
  const isCut = (frameNumber: number) =>
    saved && frameNumber <= saved.knownFrame ? saved.cuts.includes(frameNumber) : run.isCut(frameNumber);
  const copyGrey = (picture: Picture): Promise<GreyPicture> => stopwatch.time('sample', () => picture.grey());

  const look = async (pass: AnalysisPass, picture: Picture) => {
    const sample = await stopwatch.time('sample', () => picture.letterbox(pass.wants.letterbox!.spec));
    try {
      return await pass.look!(sample);
    } finally {
      if (sample.kind === 'gpu') sample.release();
    }
  };
  const enqueue = ({ at, picture, thumbnail }: Waiting, nextSec?: number) => {
    const cut = isCut(at.frameNumber) === true;
    const due = others.filter(
      ({ name, wants: { letterbox } }) =>
        letterbox && isDue({ at, cut, nextSec }, letterbox, lookedSec[name]),
    );
    const looks = due.map(pass => ({ pass, found: look(pass, picture) }));
    for (const { pass, found } of looks) {
      lookedSec[pass.name] = at.timeSec;
      // Whoever takes the frame hears of a failure; until then it must not count as unhandled.
      found.catch(() => {});
    }
    ready.push({
      ...{ at, picture, cut, looks },
      ...(thumbnail && { thumbnail }),
      ...(nextSec !== undefined && { nextSec }),
    });
  };
  const handOut = async () => {
    const { at, picture, thumbnail, cut, nextSec, looks } = ready[0]!;
    const found = new Map<AnalysisPass, unknown>();
    for (const { pass, found: looked } of looks) {
      found.set(pass, await looked);
      handedSec[pass.name] = at.timeSec;
    }
    run.onFrame(at);
    const seen = { ...at, cut, ...(nextSec !== undefined && { nextSec }) };
    for (const pass of others) {
      const { grey, luma } = pass.wants;
      const isLumaDue = luma && isDue({ at, cut, nextSec }, luma, handedSec[pass.name]);
      if (isLumaDue) handedSec[pass.name] = at.timeSec;
      const given: Given<unknown> = {
        ...(found.has(pass) && { looked: found.get(pass) }),
        ...(pass.wants.thumbnail && thumbnail && { thumbnail }),
        ...(isLumaDue && { luma: await stopwatch.time('sample', () => picture.luma(luma.size)) }),
        ...(grey &&
          isNearTick(at.timeSec, { beforeSec, nextSec }, grey) && { grey: await copyGrey(picture) }),
        ...(pass.wants.parts && { picture }),
      };
      await pass.take(seen, given);
    }
    beforeSec = at.timeSec;
    await run.onTaken(at, nextSec, save);
    ready.shift();
    picture.close();
  };
  const save = (): RunState => ({
    lastFrame: ready[0]!.at.frameNumber,
    lookedSec: { ...handedSec },
    seenFrame: (waiting.at(-1) ?? ready.at(-1))!.at.frameNumber,
    knownFrame: ready.at(-1)!.at.frameNumber,
    cuts: ready.slice(1).flatMap(({ at, cut }) => (cut ? [at.frameNumber] : [])),
  });
  const looksUnderWay = () => ready.filter(({ looks }) => looks.length > 0).length;

  try {
    for await (const { frame, frameNumber, timeSec } of frames) {
      const at = { frameNumber, timeSec };
      const isAgain = saved !== undefined && frameNumber <= saved.lastFrame;
      const needing = isAgain ? passes.filter(({ again }) => again?.has(frameNumber)) : [];
      if (isAgain && !needing.length) {
        frame.close();
        continue;
      }
      const picture = await stopwatch
        .time('sample', () => sampler.open(frame, display))
        .finally(() => frame.close());
      if (isAgain) {
        await giveAgain(at, needing, { picture, copyGrey }).finally(() => picture.close());
        continue;
      }
      const isAhead = early.length > 0 && !(saved && frameNumber <= saved.seenFrame);
      const thumbnail =
        isAhead || keepsThumbnails ? await stopwatch.time('sample', () => picture.thumbnail()) : undefined;
      waiting.push({ at, picture, ...(keepsThumbnails && thumbnail && { thumbnail }) });
      if (isAhead)
        for (const pass of early) await pass.take({ ...at, cut: false }, { thumbnail: thumbnail! });
      while (waiting.length > 1 && isCut(waiting[0]!.at.frameNumber) !== undefined) {
        enqueue(waiting.shift()!, waiting[0]!.at.timeSec);
      }
      while (ready.length && (!ready[0]!.looks.length || looksUnderWay() > looksInFlight)) await handOut();
    }
    while (waiting.length) enqueue(waiting.shift()!, waiting[0]?.at.timeSec);
    while (ready.length) await handOut();
  } finally {
    await Promise.allSettled(ready.flatMap(({ looks }) => looks.map(({ found }) => found)));
    for (const { picture } of [...waiting, ...ready]) picture.close();
  }
}

/** A frame that the run before had taken gives the pixels that passes need again, and nothing else. */
async function giveAgain(
  at: FrameTime,
  needing: readonly AnalysisPass[],
  {
    picture,
    copyGrey,
  }: { readonly picture: Picture; readonly copyGrey: (picture: Picture) => Promise<GreyPicture> },
): Promise<void> {
  for (const { wants, takeAgain } of needing)
    await takeAgain!(at, {
      ...(wants.grey && { grey: await copyGrey(picture) }),
      ...(wants.parts && { picture }),
    });
}
