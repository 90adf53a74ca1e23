import type { CaptionStyle } from '../../schema/caption-style.js';
import { ReframeError } from '../../schema/error.js';

/**
 * Loads the font file of a style, if it names one, for this thread's canvases.
 *
 * @returns The style with the loaded font's family before its own; `bytes` of the file, absent where none was named.
 * @throws ReframeError `invalid_request` where the file cannot be fetched or is no font.
 */
export async function loadFont(
  style: CaptionStyle,
): Promise<{ readonly style: CaptionStyle; readonly bytes?: Uint8Array<ArrayBuffer> }> {
  const { fontUrl } = style;
  if (fontUrl === undefined) return { style };
  try {
    const response = await fetch(fontUrl);
    if (!response.ok) throw new Error(`status ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A name of its own: another style may come with another file.
    const family = `captions-${crypto.randomUUID()}`;
    const font = await new FontFace(family, bytes, { weight: '100 900' }).load();
    fontsOfThread().add(font);
    return { style: { ...style, fontFamily: `${family}, ${style.fontFamily}` }, bytes };
  } catch (cause) {
    throw new ReframeError('invalid_request', `The font ${fontUrl} of the captions could not be loaded.`, {
      cause,
    });
  }
}

/** A worker's own fonts, or a page's. */
function fontsOfThread(): FontFaceSet {
  const { fonts, document } = globalThis as { fonts?: FontFaceSet; document?: { fonts: FontFaceSet } };
  return fonts ?? document!.fonts;
}
