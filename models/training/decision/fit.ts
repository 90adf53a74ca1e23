// tsx models/training/decision/fit.ts OUT [--family ID]: fits log-odds of who is heard on scenes of people that no network
// was trained on (`val`), and judges them on scenes of others (`test`).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { featureCount, featureNames } from '../../../src/core/speaker-features.js';
import { type Example, examplesOf, readMixes } from './read-mixes.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'edge-speaker' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const [out] = positionals as [string];
const known = examplesOf(readMixes(join(out, `${values.family}-val`)));
const others = examplesOf(readMixes(join(out, `${values.family}-test`)));
console.log(`${known.length} frames to fit to, ${others.length} to judge`);

/** Weights of the features, then nobody's logit alone and among several. */
const size = featureCount + 2;
const used = (f: number) =>
  f >= featureCount || !values.without.some(name => featureNames[f]!.includes(name));

function logits({ features, faces }: Example, w: Float64Array): Float64Array {
  const z = new Float64Array(faces + 1);
  for (let k = 0; k < faces; k++)
    for (let f = 0; f < featureCount; f++) z[k]! += w[f]! * features[k * featureCount + f]!;
  z[faces] = w[featureCount + (faces > 1 ? 1 : 0)]!;
  return z;
}
function softmax(z: Float64Array): Float64Array {
  const top = Math.max(...z);
  const e = z.map(value => Math.exp(value - top));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map(value => value / sum);
}
function fitWeights(examples: readonly Example[], rounds = 300): Float64Array {
  const w = new Float64Array(size);
  const m = new Float64Array(size);
  const v = new Float64Array(size);
  for (let round = 1; round <= rounds; round++) {
    const gradient = new Float64Array(size);
    for (const example of examples) {
      const p = softmax(logits(example, w));
      p[example.owner]! -= 1;
      for (let k = 0; k < example.faces; k++)
        for (let f = 0; f < featureCount; f++)
          gradient[f]! += p[k]! * example.features[k * featureCount + f]!;
      gradient[featureCount + (example.faces > 1 ? 1 : 0)]! += p[example.faces]!;
    }
    for (let f = 0; f < size; f++) {
      if (!used(f)) continue;
      const g = gradient[f]! / examples.length + 1e-3 * w[f]!;
      m[f] = 0.9 * m[f]! + 0.1 * g;
      v[f] = 0.99 * v[f]! + 0.01 * g * g;
      w[f]! -= (0.1 * (m[f]! / (1 - 0.9 ** round))) / (Math.sqrt(v[f]! / (1 - 0.99 ** round)) + 1e-8);
      // More of any evidence never speaks against a face: a sign that the scenes alone suggest would be their accident.
      if (f < featureCount) w[f] = Math.max(0, w[f]!);
    }
  }
  return w;
}
function judge(examples: readonly Example[], w: Float64Array) {
  let right = 0;
  let loss = 0;
  const bins = Array.from({ length: 10 }, () => ({ p: 0, hit: 0 }));
  for (const example of examples) {
    const p = softmax(logits(example, w));
    const best = p.indexOf(Math.max(...p));
    const hit = best === example.owner ? 1 : 0;
    right += hit;
    loss -= Math.log(Math.max(1e-9, p[example.owner]!));
    const bin = bins[Math.min(9, Math.floor(p[best]! * 10))]!;
    bin.p += p[best]!;
    bin.hit += hit;
  }
  const ece = bins.reduce((sum, { p, hit }) => sum + Math.abs(p - hit), 0) / examples.length;
  return { accuracy: right / examples.length, loss: loss / examples.length, ece };
}
const show = ({ accuracy, loss, ece }: ReturnType<typeof judge>) =>
  `accuracy ${accuracy.toFixed(3)} loss ${loss.toFixed(3)} ECE ${ece.toFixed(3)}`;

const w = fitWeights(known);
console.log('val', show(judge(known, w)), '| test', show(judge(others, w)));
for (const [f, name] of featureNames.entries()) console.log(name.padEnd(36), w[f]!.toFixed(3));
console.log('nobody alone, among'.padEnd(36), w[featureCount]!.toFixed(3), w[featureCount + 1]!.toFixed(3));
const weights = {
  features: [...w.subarray(0, featureCount)].map(value => Number(value.toFixed(4))),
  nobodyAlone: Number(w[featureCount]!.toFixed(4)),
  nobodyAmong: Number(w[featureCount + 1]!.toFixed(4)),
};
writeFileSync(join(out, `${values.family}-weights.json`), JSON.stringify(weights));
