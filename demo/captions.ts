import {
  burnedCharacters,
  type CaptionPainter,
  captionParts,
  captionStretches,
  createCaptionPainter,
} from '../src/captions/index.js';
import type { BurnCaptions, Plan, TimeRange } from '../src/index.js';
import type { PreviewOverlay } from '../src/preview/index.js';
import { keptOf } from './pieces.js';
import type { State } from './state.js';
import { transcriptOf } from './transcript.js';

type Size = { readonly width: number; readonly height: number };

/** Captions that are drawn into a clip of this size; undefined where none are wanted, or nothing was written down. */
export function burnedCaptionsOf(
  state: State,
  output: Size,
  keep: readonly TimeRange[] | undefined = keptOf(state),
): BurnCaptions | undefined {
  const transcription = transcriptOf(state);
  const { captionsShown, captionStyle } = state.edit;
  if (!captionsShown || !transcription) return undefined;
  const parts = state.analysis.known!.parts;
  const captions = captionParts(
    { ...parts, transcription },
    { maxCharacters: burnedCharacters(output), ...(keep && { keep }) },
  );
  return { captions, language: transcription.language, parts, style: captionStyle };
}

let last: { readonly depends: readonly unknown[]; readonly painter: CaptionPainter } | undefined;

/** What lies over the preview at a time of the source: what the render paints, by the same painter. */
export function captionAt(state: State, timeSec: number): PreviewOverlay | undefined {
  const { plan, edit, analysis, selected } = state;
  const transcript = transcriptOf(state);
  if (!plan || !edit.captionsShown || !transcript) return undefined;
  const depends = [plan, transcript, edit.captionStyle, edit.leftOut, selected, analysis.known];
  if (!last || depends.some((value, i) => value !== last!.depends[i]))
    last = { depends, painter: painterOf(state, plan) };
  return last.painter.at(timeSec);
}

function painterOf(state: State, plan: Plan): CaptionPainter {
  const output = { width: plan.output_width, height: plan.output_height };
  const { captions, language, parts } = burnedCaptionsOf(state, output)!;
  return createCaptionPainter({
    captions,
    language,
    style: state.edit.captionStyle,
    stretches: captionStretches(captions, plan, parts),
    output,
  });
}
