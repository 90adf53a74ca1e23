import * as v from 'valibot';

const ratio = (least: number, most: number) => v.pipe(v.number(), v.minValue(least), v.maxValue(most));
const hexColour = v.pipe(v.string(), v.hexColor(), v.length(7));

/** What captions look like that are drawn into the picture. Every field has a default ({@link defaultCaptionStyle}). */
export const captionStyleSchema = v.strictObject({
  /**
   * `plain`: the lines as they are; `karaoke`: the word that is heard in `highlightColour`; `pop`: words appear as they are
   * heard, each a little larger at first and in `highlightColour` while it is heard; `box`: the lines on a box of
   * `boxColour` instead of an outline.
   */
  look: v.picklist(['plain', 'karaoke', 'pop', 'box']),
  /** Family as CSS names it, or several with commas: fonts of the system, or of `fontUrl` under a name of its own. */
  fontFamily: v.pipe(v.string(), v.nonEmpty()),
  /** Font file (WOFF2, WOFF, TTF, OTF; also a `blob:` address) that comes before `fontFamily`; absent: none is loaded. */
  fontUrl: v.exactOptional(v.pipe(v.string(), v.nonEmpty())),
  /** Weight as CSS numbers it, 100–900. */
  fontWeight: v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(900)),
  /** Font size in shorter sides of the output: in widths, where it is portrait. Lines that are too long are made smaller. */
  sizeRatio: ratio(0.02, 0.2),
  /** Colour of the letters, `#rrggbb`, as all colours here. */
  colour: hexColour,
  /** Colour of the word that is heard, for `karaoke` and `pop`. */
  highlightColour: hexColour,
  outlineColour: hexColour,
  /** Width of the outline around letters, in font sizes; 0: none. Not drawn on a box. */
  outlineRatio: ratio(0, 0.3),
  boxColour: hexColour,
  /** How much the box hides of the picture, 0–1. */
  boxOpacityRatio: ratio(0, 1),
  /** Capital letters, by the rules of the captions' language. */
  uppercase: v.boolean(),
  /**
   * Where captions stand if no face is there: `top`, `middle` or `bottom` of the safe area; `auto`: in the lower third,
   * above what platforms show below. Faces are never covered where there is room for captions beside them.
   */
  position: v.picklist(['auto', 'top', 'middle', 'bottom']),
});
/** What captions look like that are drawn into the picture; `captionStyleSchema` says what each field means. */
export type CaptionStyle = v.InferOutput<typeof captionStyleSchema>;

/** Readable on phones: bold letters of a fifteenth of the width with a dark outline. */
export const defaultCaptionStyle: CaptionStyle = {
  look: 'karaoke',
  fontFamily: 'system-ui, sans-serif',
  fontWeight: 800,
  sizeRatio: 0.066,
  colour: '#ffffff',
  highlightColour: '#ffd60a',
  outlineColour: '#000000',
  outlineRatio: 0.12,
  boxColour: '#000000',
  boxOpacityRatio: 0.65,
  uppercase: false,
  position: 'auto',
};

/**
 * Fills a style's gaps and checks it.
 *
 * @throws TypeError naming the field that is wrong.
 */
export function completeCaptionStyle(style: Partial<CaptionStyle> = {}): CaptionStyle {
  const parsed = v.safeParse(captionStyleSchema, { ...defaultCaptionStyle, ...style });
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  throw new TypeError(`style.${v.getDotPath(issue) ?? '?'}: ${issue.message}`);
}
