import { html, nothing } from 'lit-html';
import type { Page } from '../page.js';
import type { State } from '../state.js';
import { advisorView } from './advisor.js';
import { captionsView } from './captions.js';
import { emptyView } from './empty.js';
import { engineView } from './engine.js';
import { exportView } from './export.js';
import { icon } from './icons.js';
import { lookView } from './look.js';
import { sceneView } from './scene.js';
import { stageView } from './stage.js';
import { timelineView } from './timeline.js';
import { transcriptView } from './transcript.js';

/** The whole page, from the state. */
export function appView(page: Page) {
  const { store, session } = page;
  const { source, failure, news, offline } = store.state;
  return html`
    <a class="skip" href="#main" @click=${toContent}>To the content</a>
    <header class="top">
      <span class="brand"><span class="mark" aria-hidden="true"></span><span class="word">edge-reframe</span></span>
      ${source ? html`<h1 class="name" title=${source.name}>${source.name}</h1>` : nothing}
      <div class="row">
        ${
          source
            ? html`<button id="new" type="button" @click=${session.close}>Another video</button>`
            : nothing
        }
        ${themeSwitch(page)}
      </div>
    </header>
    <main id="main" tabindex="-1">
      ${
        failure
          ? html`<div class="failure" role="alert">
              <p>${failure}</p>
              <button type="button" class="quiet" aria-label="Close the message" @click=${() => store.set({ failure: undefined })}>
                ${icon('close')}
              </button>
            </div>`
          : nothing
      }
      ${
        source
          ? html`<div class="studio">
              <div class="watch">${stageView(page)} ${timelineView(page)} ${transcriptView(page)}</div>
              <div class="cards">
                ${sceneView(page)} ${lookView(page)} ${captionsView(page)} ${exportView(page)} ${advisorView(page)} ${engineView(page)}
              </div>
            </div>`
          : emptyView(page)
      }
    </main>
    ${
      source
        ? html`<footer class="bottom">
            <p>
              ${
                store.state.advisor.kind === 'server'
                  ? 'Nothing leaves this device but what the advisor is asked.'
                  : 'Nothing leaves this device.'
              }
              ${offline ? html`<span id="works-offline">This page now works without a network.</span>` : nothing}
            </p>
            <p class="keys">
              <kbd>Space</kbd> plays · <kbd>←</kbd> <kbd>→</kbd> step a frame · <kbd>Shift</kbd>+<kbd>←</kbd>
              <kbd>→</kbd> scenes · <kbd>Ctrl</kbd>+<kbd>Z</kbd> undo
            </p>
          </footer>`
        : nothing
    }
    <p class="visually-hidden" role="status">${news}</p>
  `;
}

/** The address already says which video is open. */
function toContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#main')?.focus();
}

const themes: readonly (readonly [State['theme'], string])[] = [
  ['system', 'Auto'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function themeSwitch({ store }: Page) {
  return html`<label class="theme">
    <span>Theme</span>
    <select
      id="theme"
      aria-label="Theme"
      @change=${(event: Event) =>
        store.set({ theme: (event.target as HTMLSelectElement).value as State['theme'] })}
    >
      ${themes.map(
        ([value, label]) =>
          html`<option value=${value} ?selected=${value === store.state.theme}>${label}</option>`,
      )}
    </select>
  </label>`;
}
