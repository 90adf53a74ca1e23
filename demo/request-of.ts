import type { PlanRequest } from '../src/index.js';
import { toOverrides } from '../src/preview/index.js';
import { sidesOf } from './aspect.js';
import { subjectsOf } from './edits.js';
import type { Aspect, Edit, State } from './state.js';

/** A plan request for an aspect of the corrected video. */
export function requestOf(edit: Edit, state: State, aspect: Aspect = edit.aspect): Partial<PlanRequest> {
  const sides = sidesOf(aspect);
  const { corrections, aspect: _shown, castings: _cast, words: _said, speakers: _named, ...others } = edit;
  const { leftOut: _out, advice, captionsShown: _burn, captionStyle: _style, ...look } = others;
  const all = state.draft ? [...corrections, state.draft] : corrections;
  return {
    aspect: sides,
    outputHeight: 2 * Math.round((1080 * Math.max(1, sides.height / sides.width)) / 2),
    ...look,
    subjects: subjectsOf(state),
    // Where a person corrected something too, that counts.
    overrides: state.analysis.known ? [...advice, ...toOverrides(all, state.analysis.known.parts)] : [],
  };
}
