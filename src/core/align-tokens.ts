/** Frames over which the weights are smoothed: the width of openai/whisper (`timing.py`). */
const smoothedFrames = 7;

/** Steps of a path: how it came to a token and frame. */
const diagonal = 0;
const sameFrame = 1;
const sameToken = 2;

/** The frames that a token is heard in, both inclusive. */
export type AlignedToken = { readonly firstFrame: number; readonly lastFrame: number };

/**
 * Finds when each token is said, from what a decoder listened to as it wrote: the weights of each head are made
 * comparable (mean 0, deviation 1 over the frames), smoothed by a median, averaged over the heads, and the best path through
 * tokens and frames that never goes back (dynamic time warping) passes each token's frames. The way of openai/whisper's
 * word times, with all heads and normalised along the frames.
 *
 * @param attention - For each token the weights of all heads, `[heads, frames]`, row by row.
 */
export function alignTokens(attention: readonly Float32Array[], frames: number): AlignedToken[] {
  if (!attention.length || !frames) return [];
  return warp(
    attention.map(weights => meanOfHeads(weights, frames)),
    frames,
  );
}

function meanOfHeads(weights: Float32Array, frames: number): Float32Array {
  const heads = weights.length / frames;
  const mean = new Float32Array(frames);
  for (let head = 0; head < heads; head++) {
    const row = weights.subarray(head * frames, (head + 1) * frames);
    let sum = 0;
    let squares = 0;
    for (const value of row) sum += value;
    for (const value of row) squares += (value - sum / frames) ** 2;
    const deviation = Math.sqrt(squares / frames) || 1;
    const smooth = runningMedian(row);
    for (let i = 0; i < frames; i++) mean[i]! += (smooth[i]! - sum / frames) / deviation / heads;
  }
  return mean;
}

/** The median of each value and its neighbours, mirrored at the ends. */
function runningMedian(row: Float32Array): Float32Array {
  const last = row.length - 1;
  const reach = smoothedFrames >> 1;
  const window = new Float32Array(smoothedFrames);
  return row.map((_, at) => {
    for (let k = 0; k < smoothedFrames; k++) {
      const place = Math.abs(at + k - reach);
      const value = row[Math.max(0, place > last ? 2 * last - place : place)]!;
      // Insertion: seven values are sorted a million times for ten seconds of sound.
      let slot = k;
      while (slot > 0 && window[slot - 1]! > value) window[slot] = window[--slot]!;
      window[slot] = value;
    }
    return window[reach]!;
  });
}

/** The path of the greatest sum from the first token and frame to the last ones, by steps to the next token, frame or both. */
function warp(rows: readonly Float32Array[], frames: number): AlignedToken[] {
  const steps = rows.map(() => new Uint8Array(frames));
  let before = new Float64Array(frames + 1).fill(Number.NEGATIVE_INFINITY);
  before[0] = 0;
  rows.forEach((row, token) => {
    const now = new Float64Array(frames + 1).fill(Number.NEGATIVE_INFINITY);
    for (let frame = 0; frame < frames; frame++) {
      const [both, down, along] = [before[frame]!, before[frame + 1]!, now[frame]!];
      const best = Math.max(both, down, along);
      steps[token]![frame] = best === both ? diagonal : best === down ? sameFrame : sameToken;
      now[frame + 1] = best + row[frame]!;
    }
    before = now;
  });
  const aligned = rows.map(() => ({ firstFrame: frames, lastFrame: -1 }));
  let token = rows.length - 1;
  let frame = frames - 1;
  while (token >= 0 && frame >= 0) {
    const at = aligned[token]!;
    at.firstFrame = Math.min(at.firstFrame, frame);
    at.lastFrame = Math.max(at.lastFrame, frame);
    const step = steps[token]![frame];
    if (step !== sameToken) token--;
    if (step !== sameFrame) frame--;
  }
  return aligned;
}
