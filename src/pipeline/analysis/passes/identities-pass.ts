import { partOfChip, turnChip } from '../../../core/people/face-chip.js';
import { createFaceLooks, type FaceLook, type LooksState } from '../../../core/people/face-looks.js';
import type { DescribedLook } from '../../../core/people/find-people.js';
import type { FaceEmbedder } from '../../../inference/face-embedder.js';
import type { Picture } from '../../../sampling/sampler.js';
import type { FrameTime } from '../../../schema/time.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';
import type { FacesPass } from './faces-pass.js';

/** A pass between two frames: where faces were looked at, and nothing of what they look like. */
type IdentitiesState = { readonly looks: LooksState; readonly described: readonly FaceLook[] };

export type IdentitiesPassOptions = {
  /** Stays the caller's. */
  readonly embedder: FaceEmbedder;
  /** Taken before this pass. */
  readonly faces: Pick<FacesPass, 'detections'>;
  readonly stopwatch: Stopwatch;
};

/**
 * Has a few good looks at each face described, so that faces of one person can be known by it. Descriptors and pictures of
 * faces stay in memory: a pass that goes on from a saved state asks for the frames of its looks again.
 *
 * @param state - Of another pass; the new pass goes on from there.
 */
export function createIdentitiesPass(
  { embedder, faces, stopwatch }: IdentitiesPassOptions,
  state?: unknown,
): AnalysisPass {
  const saved = state as IdentitiesState | undefined;
  const looks = createFaceLooks(saved?.looks);
  const chips = new Map<FaceLook, Uint8Array>();
  const described = new Map<FaceLook, Float32Array>();
  /** Looks of the saved state by their frames, and which of them are described as soon as their frames come again. */
  const awaited = new Map<number, FaceLook[]>();
  const describedBefore = new Set(saved?.described);
  for (const look of [...looks.kept, ...(saved?.looks.done ?? []), ...describedBefore])
    awaited.set(look.frameNumber, [...(awaited.get(look.frameNumber) ?? []), look]);

  const cut = async (look: FaceLook, picture: Pick<Picture, 'part'>) => {
    const { box, size } = partOfChip(look.place);
    const part = await stopwatch.time('sample', () => picture.part(box, size));
    return stopwatch.time('identities', () => turnChip(part, look.place));
  };
  const describe = async (done: readonly FaceLook[]) => {
    const pictures = done.map(look => chips.get(look)!);
    const descriptors = await stopwatch.time('identities', () => embedder.embed(pictures));
    for (const [i, look] of done.entries()) described.set(look, descriptors[i]!);
  };
  /** Has described what stays, and forgets the pictures of what does not. */
  const settle = async () => {
    await describe(looks.takeDone());
    const kept = new Set(looks.kept);
    for (const look of chips.keys()) if (!kept.has(look)) chips.delete(look);
  };

  return {
    name: 'identities',
    wants: { parts: true },
    again: new Set(awaited.keys()),
    async takeAgain({ frameNumber }, { picture }) {
      const here = awaited.get(frameNumber) ?? [];
      for (const look of here) chips.set(look, await cut(look, picture!));
      const settled = here.filter(look => describedBefore.has(look));
      await describe(settled);
      for (const look of settled) chips.delete(look);
    },
    async take(frame, { picture }) {
      const { detections } = faces;
      if (!detections && !frame.cut) return;
      for (const look of looks.push(frame, detections ?? [])) chips.set(look, await cut(look, picture!));
      await settle();
    },
    get kept() {
      return [...looks.kept, ...described.keys()].map(
        ({ frameNumber, timeSec }): FrameTime => ({ frameNumber, timeSec }),
      );
    },
    // People are told apart by all that is seen of them: a preview names none.
    partial: async () => ({}),
    async finish() {
      looks.finish();
      await settle();
      const found = [...described].map(
        ([{ place: _, ...look }, descriptor]): DescribedLook => ({ ...look, descriptor }),
      );
      return { looks: found.sort((a, b) => a.frameNumber - b.frameNumber || a.x - b.x) };
    },
    save: (): IdentitiesState => ({ looks: looks.save(), described: [...described.keys()] }),
    close: async () => chips.clear(),
  };
}
