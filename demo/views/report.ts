import { html, nothing } from 'lit-html';
import { type Assessment, assess, type Plan } from '../../src/index.js';
import { type Page, scenesOf } from '../page.js';
import { clockWords, reasonWords } from '../words.js';

/** The quality report in pictures: bars for what can be counted, scenes for what should be looked at. */
export function reportView(page: Page) {
  const { store } = page;
  const toggle = (event: Event) => store.set({ reportOpen: (event.target as HTMLDetailsElement).open });
  return html`<details class="report" @toggle=${toggle}>
    <summary>Quality report</summary>
    ${store.state.reportOpen ? body(page) : nothing}
  </details>`;
}

let judged: { readonly plan: Plan; readonly found: Assessment } | undefined;

/** Walks through the whole video, so it is done once for a plan, and only for somebody who looks. */
function judge({ plan, analysis }: Page['store']['state']): Assessment | undefined {
  if (!plan || !analysis.known) return undefined;
  if (judged?.plan !== plan) judged = { plan, found: assess(analysis.known.parts, plan) };
  return judged.found;
}

function body({ store, player }: Page) {
  const found = judge(store.state);
  if (!found) return nothing;
  const bars: readonly (readonly [string, number])[] = [
    ['Speaker in the picture', found.speakerFramedRatio],
    ['Faces not cut off', 1 - found.faceCutRatio],
    ['Not empty', 1 - found.emptyRatio],
    ['Cropped, not the whole picture', 1 - found.fitRatio],
  ];
  const scenes = scenesOf(store.state);
  return html`<dl class="bars">
      ${bars.map(
        ([label, ratio]) => html`<dt>${label}</dt>
          <dd style="--ratio: ${ratio}"><span>${Math.round(100 * ratio)} %</span></dd>`,
      )}
    </dl>
    ${
      found.lowConfidenceScenes.length
        ? html`<ul class="doubts">
            ${found.lowConfidenceScenes.map(({ sceneId, startSec, reason }) => {
              const rank = scenes.findIndex(scene => scene.scene_id === sceneId);
              const picture = store.state.thumbnails.get(scenes[rank]?.start_frame ?? -1);
              return html`<li>
                <button type="button" @click=${() => player.seek(startSec + 0.001)}>
                  <span class="thumb" style=${picture ? `background-image: url(${picture})` : ''}></span>
                  Scene ${rank + 1} at ${clockWords(startSec)}. ${reasonWords[reason]}
                </button>
              </li>`;
            })}
          </ul>`
        : html`<p class="quiet-text">No scene is in doubt.</p>`
    }`;
}
