// tsx models/training/decision/judge.ts OUT [--family ID] [--split val|test] [--most N]: how often the decision that ships is right
// on scenes, by their kind, and how far off the offsets are that it finds.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decideSpeakers } from '../../../src/core/active-speaker.js';
import { isSteady, type Mix, measure, ownersOf, readMixes } from './read-mixes.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'edge-speaker' },
    split: { type: 'string', default: 'test' },
    most: { type: 'string', default: '1000' },
  },
});
const [out] = positionals as [string];
const mixes = readMixes(join(out, `${values.family}-${values.split}`), Number(values.most));

/** Hits and frames: one face of several is heard; only it is on screen; nobody on screen is heard. */
type Sums = Record<'owner' | 'alone' | 'nobody', [hits: number, frames: number]>;

function judge(among: readonly Mix[]): Sums {
  const sums: Sums = { owner: [0, 0], alone: [0, 0], nobody: [0, 0] };
  for (const { truth, evidence } of among) {
    const decisions = decideSpeakers(evidence);
    const owners = ownersOf(truth);
    const faces = truth.faces.length;
    for (let i = 0; i < owners.length; i += 2) {
      const owner = owners[i]!;
      if (owner < 0 || !isSteady(owners, i)) continue;
      const marked = decisions.filter(({ speaking }) => speaking[i]).map(({ faceId }) => faceId);
      const isOff = owner === faces;
      const sum = isOff ? sums.nobody : faces > 1 ? sums.owner : sums.alone;
      sum[0] += (isOff ? !marked.length : marked.length === 1 && marked[0] === owner) ? 1 : 0;
      sum[1]++;
    }
  }
  return sums;
}

function show(name: string, among: readonly Mix[]): void {
  const cells = Object.entries(judge(among)).map(
    ([what, [hits, frames]]) => `${what} ${frames ? (hits / frames).toFixed(3) : '–'} of ${frames}`,
  );
  console.log(`${name.padEnd(14)} ${String(among.length).padStart(4)} scenes  ${cells.join('  ')}`);
}

show('all', mixes);
for (const kind of new Set(mixes.map(({ truth }) => truth.kind)))
  show(
    kind,
    mixes.filter(({ truth }) => truth.kind === kind),
  );
/** How much the probabilities are worth: bits are natural; the gap is that of ten bins of confidence and hits. */
function calibration(): string {
  const bins = Array.from({ length: 10 }, () => ({ said: 0, hits: 0 }));
  let [loss, frames, said] = [0, 0, 0];
  for (const { truth, evidence } of mixes) {
    const decisions = decideSpeakers(evidence);
    const owners = ownersOf(truth);
    for (let i = 0; i < owners.length; i += 2) {
      const owner = owners[i]!;
      if (owner < 0 || !isSteady(owners, i)) continue;
      const all = decisions.map(({ confidence }) => confidence[i]!);
      const right = owner < all.length ? all[owner]! : 1 - all.reduce((sum, value) => sum + value, 0);
      loss -= Math.log(Math.max(1e-6, right));
      frames++;
      all.forEach((value, k) => {
        const bin = bins[Math.min(9, Math.floor(10 * value))]!;
        bin.said += value;
        bin.hits += k === owner ? 1 : 0;
        said++;
      });
    }
  }
  const gap = bins.reduce((sum, bin) => sum + Math.abs(bin.said - bin.hits), 0) / said;
  return `probabilities: loss ${(loss / frames).toFixed(3)}, ECE ${gap.toFixed(3)}`;
}
console.log(calibration());
const usual = 1;
const errors = mixes.flatMap(({ truth, evidence }) =>
  measure(evidence).offsets.map((offset, k) => Math.abs(offset - usual - truth.faces[k]!.offset)),
);
const within = (frames: number) =>
  (errors.filter(error => error <= frames).length / errors.length).toFixed(3);
console.log(
  `offsets of ${errors.length} faces: within 1 frame ${within(1)}, within 2 ${within(2)}, within 4 ${within(4)}`,
);
