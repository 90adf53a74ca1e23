import { html, nothing } from 'lit-html';
import type { Page } from '../page.js';
import { forgetWork, listWork } from '../saved.js';
import { sizeWords } from '../words.js';
import { drawing } from './drawing.js';
import { icon } from './icons.js';

declare const __FIRST_USE_BYTES__: { readonly models: number; readonly runtime: number };

/** Before a video is chosen: how to choose one, what will be downloaded, and what was worked on before. */
export function emptyView({ store, session }: Page) {
  const { opening, saved } = store.state;
  const choose = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    input.value = '';
    if (file) void session.open(file, file.name);
  };
  const openLink = (event: SubmitEvent) => {
    event.preventDefault();
    const url = String(new FormData(event.target as HTMLFormElement).get('link')).trim();
    if (url) void session.open(url, decodeURIComponent(new URL(url).pathname.split('/').at(-1) || url));
  };
  const openSample = async () => {
    const answer = await fetch('./sample.mp4');
    void session.open(await answer.blob(), 'Sample: two people talk.mp4');
  };
  const forget = async (key: string) => {
    await forgetWork(key);
    store.set({ saved: await listWork() });
  };
  return html`
    <section class="empty" aria-labelledby="empty-title">
      ${drawing()}
      <h1 id="empty-title">Portrait video that follows the speaker</h1>
      <p class="lead">
        Drop a landscape video. The portrait version plays while it is still being analysed; you correct it on the
        picture and export at the end.
      </p>
      <div class="choose ${opening ? 'is-busy' : ''}">
        <label class="button primary">
          <input
            id="file"
            type="file"
            accept="video/*,.mkv,.avi,.flv,.ts,.mpg"
            class="visually-hidden"
            ?disabled=${opening}
            @change=${choose}
          />
          ${opening ? 'Opening…' : 'Choose a video'}
        </label>
        <p class="hint">or drop it anywhere on this page</p>
        <form class="link" @submit=${openLink}>
          <label for="link">Link to a video file</label>
          <div class="row">
            <input id="link" name="link" type="url" required placeholder="https://…/talk.mp4" ?disabled=${opening} />
            <button type="submit" ?disabled=${opening}>Open</button>
          </div>
        </form>
        <button id="sample" type="button" ?disabled=${opening} @click=${openSample}>Try the sample</button>
      </div>
      ${
        saved.length
          ? html`<section class="saved" aria-labelledby="saved-title">
              <h2 id="saved-title">Go on where you were</h2>
              <ul>
                ${saved.map(
                  ({ key, name, corrections }) => html`<li>
                    <button type="button" class="saved-open" @click=${() => session.reopen(key)}>
                      <strong>${name}</strong>
                      <span>${corrections === 1 ? '1 correction' : `${corrections} corrections`}</span>
                    </button>
                    <button type="button" class="quiet" aria-label=${`Forget ${name}`} @click=${() => forget(key)}>
                      ${icon('close')}
                    </button>
                  </li>`,
                )}
              </ul>
            </section>`
          : nothing
      }
      <p class="promise">
        <strong>Nothing leaves this device.</strong> The first use downloads the program that runs the models
        (${sizeWords(__FIRST_USE_BYTES__.runtime)}) and the models (${sizeWords(__FIRST_USE_BYTES__.models)}) from this
        site; after that the page works without a network.
      </p>
    </section>
  `;
}
