import { html, nothing } from 'lit-html';
import { hasOwnModel } from '../advising.js';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import type { AdvisorSettings } from '../state.js';
import { clockWords, layoutWords } from '../words.js';
import { choices, onOff } from './controls.js';

/** Who is asked about difficult scenes, what may be sent there, and what came of it. */
export function advisorView({ store, player, advising }: Page) {
  const { state } = store;
  const { advisor, edit, analysis } = state;
  const set = (patch: Partial<AdvisorSettings>, news?: string) =>
    store.set({ advisor: { ...advisor, ...patch }, ...(news && { news }) });
  const ready = analysis.status === 'done' && advisor.kind !== 'none';
  const field = (
    name: 'baseUrl' | 'model' | 'apiKey',
    { label, type, hint }: { label: string; type: 'url' | 'text' | 'password'; hint: string },
  ) => html`<label class="field"
    >${label}
    <input
      name=${`advisor-${name}`}
      type=${type}
      autocomplete="off"
      spellcheck="false"
      placeholder=${hint}
      .value=${advisor[name]}
      @keydown=${(event: Event) => event.stopPropagation()}
      @change=${(event: Event) => set({ [name]: (event.target as HTMLInputElement).value.trim() })}
  /></label>`;
  return html`<details class="card advisor">
    <summary><h2>Advisor</h2></summary>
    <p class="quiet-text">
      A language model can be asked about scenes that are hard to plan: which layout, and which of the numbered faces
      matter. It is never asked who speaks.
    </p>
    ${choices<AdvisorSettings['kind']>({
      name: 'advisor-kind',
      label: 'Whom to ask',
      value: advisor.kind,
      values: [
        ['none', 'Nobody'],
        ['server', 'A server'],
        ...(hasOwnModel() ? [['browser', 'This browser’s own model'] as const] : []),
      ],
      change: (kind, news) => set({ kind }, news),
    })}
    ${
      advisor.kind === 'server'
        ? html`<div class="row fields">
              ${field('baseUrl', { label: 'Address', type: 'url', hint: 'http://localhost:11434/v1' })}
              ${field('model', { label: 'Model', type: 'text', hint: 'as the server knows it' })}
              ${field('apiKey', { label: 'Key, if it wants one', type: 'password', hint: 'forgotten with this tab' })}
            </div>
            ${onOff({
              name: 'advisor-allowWords',
              label: 'May be sent what is said',
              value: advisor.allowWords,
              off: 'Words stay here.',
              change: (allowWords, news) => set({ allowWords }, news),
            })}
            ${onOff({
              name: 'advisor-allowPictures',
              label: 'May be sent small pictures of such scenes',
              value: advisor.allowPictures,
              off: 'Pictures stay here.',
              change: (allowPictures, news) => set({ allowPictures }, news),
            })}
            <p class="note">
              Places of faces, as numbers, and possible layouts are sent to this address, and nothing else unless it is
              ticked.
            </p>`
        : nothing
    }
    ${
      advisor.kind === 'none'
        ? nothing
        : html`<div class="row">
            ${
              state.advising
                ? html`<button type="button" id="advise-cancel" @click=${advising.cancel}>Stop asking</button>`
                : html`<button type="button" id="advise" ?disabled=${!ready} @click=${advising.ask}>
                    Ask about difficult scenes
                  </button>`
            }
          </div>`
    }
    ${state.adviceNotes.map(note => html`<p class="quiet-text advice-note">${note}</p>`)}
    ${
      edit.advice.length
        ? html`<ul class="advice" aria-label="Advice">
            ${edit.advice.map(
              advice => html`<li>
                <button type="button" class="quiet" @click=${() => player.seek(advice.startSec)}>
                  ${clockWords(advice.startSec, true)}
                </button>
                <span>${layoutWords[advice.layout!]}: ${advice.reason}</span>
                <button
                  type="button"
                  aria-label=${`Leave out the advice of ${clockWords(advice.startSec, true)}`}
                  @click=${() =>
                    changeEdit(
                      store,
                      { advice: edit.advice.filter(other => other !== advice) },
                      'Planned without this advice.',
                    )}
                >
                  Leave out
                </button>
              </li>`,
            )}
          </ul>`
        : nothing
    }
  </details>`;
}
