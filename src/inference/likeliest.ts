/** The greatest of some logits, and the natural logarithm of the probability that it has among them. */
export function likeliest(logits: Float32Array): { readonly id: number; readonly logProbability: number } {
  let id = 0;
  for (let k = 1; k < logits.length; k++) if (logits[k]! > logits[id]!) id = k;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - logits[id]!);
  return { id, logProbability: -Math.log(sum) };
}
