/** What a network says about frames that follow one another, one number each, 0–1. */
export type CutCurves = {
  /** How surely a shot begins with the frame. */
  readonly cut: Float32Array;
  /** How surely the frame is of a gradual transition: a dissolve, a fade, a wipe. */
  readonly transition: Float32Array;
};
