import { ReframeError } from '../../schema/error.js';

/**
 * Share of the frames in a range that may be missing before the file counts as cut short: the last group of pictures
 * of a clean stream cut loses a few, a file that lost its tail loses many.
 */
export const missingFramesRatio = 0.02;

/**
 * A decoder that runs out of bytes just ends: only counting shows it.
 *
 * @throws ReframeError `decode_failed` when more frames are missing than {@link missingFramesRatio} and
 *   `toleranceFrames` (default 2) allow.
 */
export function refuseMissing(count: {
  readonly missing: number;
  readonly expected: number;
  readonly name: string;
  readonly toleranceFrames?: number;
}): void {
  const { missing, expected, name, toleranceFrames = 2 } = count;
  if (missing > Math.max(toleranceFrames, expected * missingFramesRatio))
    throw new ReframeError(
      'decode_failed',
      `${name} is cut short or damaged: ${expected - missing} of ${expected} frames could be decoded.`,
    );
}
