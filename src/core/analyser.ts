/**
 * Folds samples, given in presentation order, into one part of the result. Pure and synchronous:
 * no clock, no pixels beyond what `push` is given, no side effects.
 *
 * @typeParam Sample - What one `push` takes.
 * @typeParam Part - What `finish` gives.
 * @typeParam State - Plain JSON that `save` gives and `load` takes, so that work can go on elsewhere.
 */
export interface Analyser<Sample, Part, State = unknown> {
  push(sample: Sample): void;
  /** Ends the analysis; may be called once. */
  finish(): Part;
  /** Everything needed to go on from here; plain JSON. */
  save(): State;
  /** Goes on from a saved state, which replaces the present one. */
  load(state: State): void;
}
