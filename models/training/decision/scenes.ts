import { mulberry32 } from '../../../bench/harness/random.js';
import { embeddingSize } from '../../../src/inference/lr-asd.js';
import type { Footage, Material } from './material.js';

/** What a face does while another one has the voice. */
export type Rest = 'listens' | 'moves' | 'still';

/** A scene without pixels: embedded faces, the sound they share, and who is heard. */
export type Scene = {
  readonly kind: string;
  readonly faces: readonly {
    readonly facePx: number;
    readonly rest: Rest;
    /** Frames by which the lips follow the sound. */
    readonly offset: number;
    readonly embeddings: Float32Array;
  }[];
  readonly samples: Float32Array;
  /** Per frame: probability of speech. */
  readonly speech: Float32Array;
  /** Per frame and face: whether the face is heard; the last column is a voice of nobody on screen. */
  readonly heard: Uint8Array;
  readonly frames: number;
};

type Turn = { readonly who: number; readonly from: number; readonly to: number };
const frameSamples = 640;

/** Draws a scene; equal seeds give equal scenes. */
export function drawScene(material: Material, noises: readonly Float32Array[], seed: number): Scene {
  const random = mulberry32(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const frames = Math.round(between(250, 450));
  const count = pick([1, 2, 2, 2, 3, 3, 4]);
  const people: string[] = [];
  const all = [...material.talk.keys()];
  while (people.length < count + 1) {
    const person = pick(all);
    if (!people.includes(person)) people.push(person);
  }
  const kind = pick(['conversation', 'conversation', 'dub', 'mixed', 'offscreen']);
  const common = random() < 0.5 ? between(-8, 8) : normal();
  const offsetOf = () =>
    Math.max(-10, Math.min(10, Math.round(common + (random() < 0.3 ? between(-5, 5) : 0))));
  const restOf = (): Rest => {
    if (kind === 'dub') return 'moves';
    if (kind === 'mixed') return pick<Rest>(['moves', 'listens', 'still']);
    return random() < 0.1 ? 'still' : 'listens';
  };

  const turns: Turn[] = [];
  let last = -1;
  for (let at = Math.round(between(0, 20)); at < frames; ) {
    const off = kind === 'offscreen' ? 0.35 : 0.04;
    let who = random() < off ? count : Math.floor(random() * count);
    if (who === last && random() < 0.7) who = (who + 1) % (count + 1);
    const length = Math.round(25 * Math.min(8, Math.exp(0.6 + 0.7 * normal())));
    turns.push({ who, from: at, to: Math.min(frames, at + Math.max(8, length)) });
    if (random() < 0.15 && count > 1) {
      const start = at + Math.round(between(0.2, 0.8) * length);
      turns.push({
        who: (who + 1) % count,
        from: start,
        to: Math.min(frames, start + Math.round(between(7, 20))),
      });
    }
    last = who;
    at += Math.max(8, length) + Math.round(between(-8, 22));
  }

  const samples = new Float32Array(frames * frameSamples);
  const speech = new Float32Array(frames);
  const heard = new Uint8Array(frames * (count + 1));
  const offsets = people.map(offsetOf);
  const px = pick([80, 80, 36, 24]);
  const faces = Array.from({ length: count }, (_, who) => {
    const facePx = random() < 0.8 ? px : pick([80, 36, 24]);
    const rest = restOf();
    const embeddings = new Float32Array(frames * embeddingSize);
    fillRest(embeddings, { rest, facePx, person: people[who]!, material, pick, random });
    return { facePx, rest, offset: offsets[who]!, embeddings };
  });
  for (const { who, from, to } of turns) {
    const gain = between(0.5, 1.2);
    // Off screen speaks whoever is left; nobody sees that mouth.
    for (let at = from; at < to; ) {
      const piece = pick(material.talk.get(people[who]!)!);
      const length = Math.min(piece.frames, to - at);
      const start = piece.from + Math.floor(random() * (piece.frames - length + 1));
      for (let i = 0; i < length; i++) {
        const face = faces[who];
        if (face) face.embeddings.set(embeddingAt(piece, face.facePx, start + i), (at + i) * embeddingSize);
        // Lips follow the sound by the offset: the sound of this frame lies that much earlier.
        const sounding = at + i - (face ? face.offset : 0);
        if (sounding < 0 || sounding >= frames) continue;
        for (let s = 0; s < frameSamples; s++)
          samples[sounding * frameSamples + s]! +=
            gain * (piece.samples[(start + i) * frameSamples + s] ?? 0);
        speech[sounding] = Math.max(speech[sounding]!, piece.speech[start + i]!);
        if (piece.speech[start + i]! >= 0.5) heard[(at + i) * (count + 1) + who] = 1;
      }
      at += length;
    }
  }
  addNoise(samples, noises, { pick, between, random });
  return { kind, faces, samples, speech, heard, frames };
}

function fillRest(
  out: Float32Array,
  given: {
    rest: Rest;
    facePx: number;
    person: string;
    material: Material;
    pick: <Item>(items: readonly Item[]) => Item;
    random: () => number;
  },
): void {
  const { rest, facePx, person, material, pick, random } = given;
  const frames = out.length / embeddingSize;
  const photo = pick(material.quiet);
  const still = embeddingAt(photo, facePx, photo.from + (photo.frames >> 1));
  for (let at = 0; at < frames; ) {
    const piece = rest === 'moves' ? pick(material.talk.get(person)!) : pick(material.quiet);
    const length = Math.min(piece.frames, frames - at);
    const start = piece.from + Math.floor(random() * (piece.frames - length + 1));
    for (let i = 0; i < length; i++)
      out.set(rest === 'still' ? still : embeddingAt(piece, facePx, start + i), (at + i) * embeddingSize);
    at += length;
  }
}

const embeddingAt = ({ faces }: Footage, facePx: number, frame: number): Float32Array =>
  faces.get(facePx)!.subarray(frame * embeddingSize, (frame + 1) * embeddingSize);

function addNoise(
  samples: Float32Array,
  noises: readonly Float32Array[],
  {
    pick,
    between,
    random,
  }: { pick: <I>(items: readonly I[]) => I; between: (a: number, b: number) => number; random: () => number },
): void {
  const power = (values: Float32Array) =>
    values.reduce((sum, value) => sum + value * value, 1e-9) / values.length;
  const noise = pick(noises);
  const level = Math.sqrt(power(samples) / power(noise) / 10 ** (between(5, 35) / 10));
  const start = Math.floor(random() * noise.length);
  for (let i = 0; i < samples.length; i++)
    samples[i] = Math.max(-1, Math.min(1, samples[i]! + level * noise[(start + i) % noise.length]!));
}
