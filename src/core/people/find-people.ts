import type { PixelBox } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';
import { agglomerate } from '../agglomerate.js';
import { iou } from '../box.js';
import { type Voice, voiceOf, voiceRatio } from '../diarization/cluster-voices.js';
import { clamp } from '../series.js';
import type { FaceTrack } from '../tracks.js';

/** A face in one frame as a network describes it. */
export type DescribedLook = FrameTime &
  PixelBox & {
    /** Above 0, 1 for a large frontal face. */
    readonly quality: number;
    /** Pictures of one person have descriptors near each other. */
    readonly descriptor: Float32Array;
  };

/** All that tells faces from each other. */
export type SeenAndHeard = {
  /** Each belongs to the face whose box in its frame overlaps it most, by half at least. */
  readonly looks: readonly DescribedLook[];
  /** How faces sound that are seen speaking, by face id. */
  readonly voices: ReadonlyMap<number, Voice>;
};

/** Who a face is: a number among the people of one analysis, and the probability that it is right, 0–1. */
export type Person = { readonly personId: number; readonly confidence: number };

/** What tells whether two faces are one person. */
export type PeopleOptions = {
  /** Log-likelihood ratio of one person to two at a distance of 0, and how much of it is lost with each unit of distance. */
  readonly offset: number;
  readonly slope: number;
  /** What the log-likelihood ratio of voices may add or take at most: 3 is what 0.05 of distance is worth. */
  readonly mostVoice: number;
  /** Faces are one person from a greater ratio on. */
  readonly sameFrom: number;
  /** Sum of the qualities of a face's looks under which nothing is said of the face. */
  readonly leastQuality: number;
};

/**
 * Logistic regression on training people only, both kinds of pairs of the same weight: faces of nine men of the speech
 * pack in recordings of different days, 138, 53 and 35 pixels wide (2,268 pairs), against faces in one picture of the
 * face pack, which are strangers, sisters and people in masks (1,038 pairs). One is as likely as two at a distance of
 * 0.458. Nearer are 99 % of the one and 1.4 % of the other, 7 of 20,736 pairs of two of the men, and of people in
 * different pictures 0.08 %. From a ratio of 1.5 on (0.433) these are 97 %, 0.7 %, 1 and 0.03 %.
 *
 * Voices are taken at less than their word, because whose they are may be wrong. Of the 20 pairs in a debate they bring 12
 * instead of 7; in a sitcom, a stage show and a scene on three cameras they change nothing. Place in the picture was tried
 * and says nothing: of 25 pairs at one place in two shots 16 were one person, and in the debate 4 of 9.
 */
export const defaultPeopleOptions: PeopleOptions = {
  offset: 27.98,
  slope: 61.11,
  mostVoice: 3,
  sameFrom: 0,
  leastQuality: 0.1,
};

/** How a face, or several, look: sums over faces of their mean descriptor and of its square, times quality, and of qualities; and how they sound. */
type Appearance = {
  readonly sum: Float64Array;
  readonly squares: number;
  readonly quality: number;
  readonly voice: Voice;
};

/**
 * Finds which faces are one person. Faces that are seen in one frame are never one. The number of a person is the id of the
 * person's first face, so that no person has the number of a face of which nothing is known.
 *
 * @param faces - With ids that differ, their boxes in time order.
 * @returns People by face id; faces without good looks are absent.
 */
export function findPeople(
  faces: readonly FaceTrack[],
  { looks, voices }: SeenAndHeard,
  options: PeopleOptions = defaultPeopleOptions,
): ReadonlyMap<number, Person> {
  const known = appearancesOf(faces, looks, voices).filter(({ quality }) => quality >= options.leastQuality);
  const ratio = (a: Appearance, b: Appearance) =>
    options.offset -
    options.slope * distanceOf(a, b) +
    clamp(voiceRatio(a.voice, b.voice), -options.mostVoice, options.mostVoice);
  const join = (a: Appearance, b: Appearance) => added(a, b, 1);
  const apart = facesApart(known.map(({ face }) => face));
  const { sameFrom } = options;
  const cluster = agglomerate<Appearance>(known, apart, { ratio, join, sameFrom, isKnown: () => true });
  const people = new Map<number, Appearance & { readonly faces: number }>();
  for (const [i, face] of known.entries()) {
    const before = people.get(cluster[i]!);
    people.set(
      cluster[i]!,
      before ? { ...join(before, face), faces: before.faces + 1 } : { ...face, faces: 1 },
    );
  }
  return new Map(
    known.map((own, i) => {
      const person = people.get(cluster[i]!)!;
      const strangers = new Set([...apart[i]!].map(other => cluster[other]!));
      // Whose face it is: nobody's that is known, this person's, or one of the others' who are not seen beside it.
      let [all, chosen] = [1, 1];
      for (const [first, other] of people) {
        if (first === cluster[i] ? person.faces === 1 : strangers.has(first)) continue;
        const odds = Math.exp(ratio(own, first === cluster[i] ? added(person, own, -1) : other));
        all += odds;
        if (first === cluster[i]) chosen = odds;
      }
      const { faceId: personId } = known[cluster[i]!]!.face;
      return [own.face.faceId, { personId, confidence: chosen / all }];
    }),
  );
}

/** Several faces with others, or without them. */
const added = (a: Appearance, b: Appearance, times: 1 | -1): Appearance => ({
  sum: a.sum.map((value, i) => value + times * b.sum[i]!),
  squares: a.squares + times * b.squares,
  quality: a.quality + times * b.quality,
  voice: voiceOf(
    a.voice.sum.map((value, i) => value + times * b.voice.sum[i]!),
    a.voice.sec + times * b.voice.sec,
  ),
});

/**
 * The distance of a face of the one from a face of the other, as root mean square over all pairs. That of the means would
 * shrink the more faces there are: brothers would become one in a long video.
 */
function distanceOf(a: Appearance, b: Appearance): number {
  let dot = 0;
  for (let i = 0; i < a.sum.length; i++) dot += a.sum[i]! * b.sum[i]!;
  const square = a.squares / a.quality + b.squares / b.quality - (2 * dot) / a.quality / b.quality;
  return Math.sqrt(Math.max(0, square));
}

/** How each face looks; faces that nobody looked at are absent. */
function appearancesOf(
  faces: readonly FaceTrack[],
  looks: readonly DescribedLook[],
  voices: ReadonlyMap<number, Voice>,
) {
  // As long as the others' voices, whichever network described them: voices of one person are summed.
  const size = voices.values().next().value?.sum.length ?? 0;
  const unheard = voiceOf(new Float64Array(size), 0);
  const byFrame = new Map<number, DescribedLook[]>();
  for (const look of looks) byFrame.set(look.frameNumber, [...(byFrame.get(look.frameNumber) ?? []), look]);
  const owners = new Map<DescribedLook, { readonly face: FaceTrack; readonly overlap: number }>();
  for (const face of faces)
    for (const box of face.boxes)
      for (const look of byFrame.get(box.frameNumber) ?? []) {
        const overlap = iou(box, look);
        if (overlap >= (owners.get(look)?.overlap ?? leastOverlap)) owners.set(look, { face, overlap });
      }
  const seen = new Map<FaceTrack, { readonly sum: Float64Array; quality: number }>();
  for (const look of looks) {
    const face = owners.get(look)?.face;
    if (!face) continue;
    const own = seen.get(face) ?? { sum: new Float64Array(look.descriptor.length), quality: 0 };
    seen.set(face, own);
    for (const [i, value] of look.descriptor.entries()) own.sum[i]! += look.quality * value;
    own.quality += look.quality;
  }
  return faces.flatMap(face => {
    const own = seen.get(face);
    if (!own) return [];
    const squares = own.sum.reduce((total, value) => total + value * value, 0) / own.quality;
    return [{ face, ...own, squares, voice: voices.get(face.faceId) ?? unheard }];
  });
}

/** A look at a face overlaps the face's box by this much. */
const leastOverlap = 0.5;

/** For each face those that are seen with it in one frame: they are somebody else. */
function facesApart(faces: readonly FaceTrack[]): Set<number>[] {
  const apart = faces.map(() => new Set<number>());
  const seen = new Map<number, number[]>();
  for (const [i, { boxes }] of faces.entries())
    for (const { frameNumber } of boxes) {
      const here = seen.get(frameNumber);
      if (!here) {
        seen.set(frameNumber, [i]);
        continue;
      }
      for (const other of here) {
        apart[other]!.add(i);
        apart[i]!.add(other);
      }
      here.push(i);
    }
  return apart;
}
