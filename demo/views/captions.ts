import { html, nothing } from 'lit-html';
import { createRef, ref } from 'lit-html/directives/ref.js';
import { type CaptionStyle, defaultCaptionStyle } from '../../src/index.js';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import { transcriptOf } from '../transcript.js';
import { percentWords } from '../words.js';
import { choices, colour, onOff, slider } from './controls.js';

const sample = createRef<HTMLCanvasElement>();

/** Repeats the preview beside the choices, where those are out of its sight. */
export function drawSample(): void {
  const preview = document.querySelector<HTMLCanvasElement>('#preview');
  const canvas = sample.value;
  if (!preview?.width || !canvas?.offsetParent) return;
  canvas.width = preview.width;
  canvas.height = preview.height;
  canvas.getContext('2d')!.drawImage(preview, 0, 0);
}

/** What captions look like that are drawn into the picture; the preview shows them as the clip will. */
export function captionsView({ store }: Page) {
  const { state } = store;
  const { captionsShown, captionStyle: style } = state.edit;
  const hasWords = (transcriptOf(state)?.words.length ?? 0) > 0;
  const field = <Field extends keyof CaptionStyle>(name: Field, label: string) => ({
    name: `caption-${name}`,
    label,
    value: style[name],
    change: (value: CaptionStyle[Field], news: string) =>
      changeEdit(store, { captionStyle: { ...style, [name]: value } }, news),
  });
  const isBox = style.look === 'box';
  const isLit = style.look === 'karaoke' || style.look === 'pop';
  return html`<section class="card" aria-labelledby="captions-title">
    <h2 id="captions-title">Captions</h2>
    ${choices<CaptionStyle['look'] | 'none'>({
      name: 'caption-look',
      label: 'In the picture',
      value: captionsShown ? style.look : 'none',
      values: [
        ['none', 'None'],
        ['plain', 'Plain'],
        ['karaoke', 'Word by word'],
        ['pop', 'Words pop up'],
        ['box', 'On a box'],
      ],
      change: (look, news) =>
        changeEdit(
          store,
          look === 'none'
            ? { captionsShown: false }
            : { captionsShown: true, captionStyle: { ...style, look } },
          news,
        ),
    })}
    ${
      captionsShown && !hasWords
        ? html`<p id="captions-note" class="quiet-text">
            Nothing is written down yet: tick “Write down what is said” at the transcript.
          </p>`
        : nothing
    }
    ${
      captionsShown
        ? html`<canvas class="caption-sample" ${ref(sample)} aria-hidden="true"></canvas>
            ${choices({
              ...field('position', 'Place, where no face is'),
              values: [
                ['auto', 'Automatic'],
                ['top', 'Top'],
                ['middle', 'Middle'],
                ['bottom', 'Bottom'],
              ],
            })}
            <div class="sliders">
              ${slider({ ...field('sizeRatio', 'Size of the letters'), least: 0.02, most: 0.2, step: 0.002, say: partWords })}
              <div class="colours">
                ${colour(field('colour', 'Letters'))}
                ${isLit ? colour(field('highlightColour', 'Word that is heard')) : nothing}
                ${isBox ? colour(field('boxColour', 'Box')) : colour(field('outlineColour', 'Outline'))}
              </div>
              ${
                isBox
                  ? slider({
                      ...field('boxOpacityRatio', 'How much the box hides'),
                      least: 0,
                      most: 1,
                      step: 0.05,
                      say: percentWords,
                    })
                  : slider({
                      ...field('outlineRatio', 'Width of the outline'),
                      least: 0,
                      most: 0.3,
                      step: 0.02,
                      say: outlineWords,
                    })
              }
            </div>
            <details id="captions-more">
              <summary>Letters</summary>
              <div class="sliders">
                ${choices({
                  ...field('fontFamily', 'Kind'),
                  values: [
                    ['system-ui, sans-serif', 'Plain'],
                    ['serif', 'With serifs'],
                    ['monospace', 'Typewriter'],
                  ],
                })}
                ${slider({ ...field('fontWeight', 'Weight'), least: 100, most: 900, step: 100, say: String })}
                ${onOff({ ...field('uppercase', 'Capital letters'), off: 'Letters as they are written.' })}
                <button
                  type="button"
                  id="captions-default"
                  @click=${() =>
                    changeEdit(
                      store,
                      { captionStyle: { ...defaultCaptionStyle, look: style.look } },
                      'Captions look as at first.',
                    )}
                >
                  As at first
                </button>
              </div>
            </details>`
        : nothing
    }
  </section>`;
}

const partWords = (ratio: number) => `${(100 * ratio).toFixed(1)} % of the width`;
/** In sizes of the letters. */
const outlineWords = (ratio: number) => (ratio ? `${Math.round(100 * ratio)} % of the size` : 'none');
