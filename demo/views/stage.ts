import { html, nothing } from 'lit-html';
import { createRef, ref } from 'lit-html/directives/ref.js';
import { sidesOf } from '../aspect.js';
import { knownUntilSec, type Page, scenesOf } from '../page.js';
import { clockWords, durationWords, percentWords, stageWords } from '../words.js';
import { icon } from './icons.js';

const video = createRef<HTMLVideoElement>();
const canvas = createRef<HTMLCanvasElement>();

/** The overlay is drawn with each frame, apart from the page: see `overlay.ts`. */
export const overlayRoot = createRef<HTMLElement>();

/** Source on the left, result on the right, one transport bar for both. */
export function stageView(page: Page) {
  const { store, player } = page;
  const { source, plan, edit, analysis, playing, waiting, playable } = store.state;
  if (!source) return nothing;
  const { display, durationSec } = source.facts;
  const out = sidesOf(edit.aspect);
  const waitFor = ['running', 'paused'].includes(analysis.status);
  return html`
    <section
      class="stage"
      aria-label="Source and result"
      style="--source-aspect: ${display.width / display.height}; --out-aspect: ${out.width / out.height}"
    >
      <figure class="pane source-pane">
        <div class="picture">
          <!-- The person's own video: there is no transcript to show. -->
          <video
            ${ref(video)}
            id="source"
            playsinline
            loop
            crossorigin="anonymous"
            tabindex="-1"
            aria-label="Source video"
            .src=${source.playUrl}
            @loadeddata=${() => {
              player.mount(video.value!, canvas.value!);
              player.show(store.state.plan);
            }}
            @play=${() => store.set({ playing: true })}
            @pause=${() => store.set({ playing: false })}
            @error=${() => store.set({ playable: false })}
          ></video>
          <div
            class="overlay"
            ${ref(overlayRoot)}
            @click=${(event: Event) => {
              if (event.target === event.currentTarget) store.set({ picked: undefined });
            }}
          ></div>
          ${
            playable
              ? nothing
              : html`<p class="cover" role="note">
                  This browser cannot play this file, so there is no live preview. Analysis and export work all the same.
                </p>`
          }
        </div>
        <figcaption>
          Source${plan && playable ? html`<span class="how">: click a face to follow it, drag the frame to move it</span>` : nothing}
        </figcaption>
      </figure>
      <figure class="pane result-pane">
        <div class="picture">
          <canvas ${ref(canvas)} id="preview" role="img" aria-label=${`Result, ${edit.aspect}`}></canvas>
          ${
            !plan && playable
              ? html`<p class="cover">
                  ${waitFor ? 'The first reframed picture comes in a moment.' : 'Here comes the result, once the video is analysed.'}
                </p>`
              : !playable
                ? html`<p class="cover">Export it to see the result.</p>`
                : waiting
                  ? html`<p class="badge" role="status">Waiting for the analysis</p>`
                  : nothing
          }
        </div>
        <figcaption>Result ${edit.aspect}</figcaption>
      </figure>
    </section>
    ${transport(page, { durationSec, playing })}
    ${progressView(page)}
  `;
}

function transport(
  { store, player }: Page,
  { durationSec, playing }: { durationSec: number; playing: boolean },
) {
  const { state } = store;
  const jump = (step: 1 | -1) => {
    const next = scenesOf(state)[state.scene + step];
    if (next) player.seek(next.start_time);
  };
  return html`
    <div class="transport" role="group" aria-label="Playback">
      <button type="button" class="icon" aria-label="Scene before" @click=${() => jump(-1)}>${icon('before')}</button>
      <button
        id="play"
        type="button"
        class="icon primary"
        aria-label=${playing ? 'Pause' : 'Play'}
        @click=${() => player.toggle()}
      >
        ${icon(playing ? 'pause' : 'play')}
      </button>
      <button type="button" class="icon" aria-label="Next scene" @click=${() => jump(1)}>${icon('next')}</button>
      <input
        id="seek"
        type="range"
        min="0"
        max=${durationSec}
        step="0.04"
        aria-label="Position"
        style="--known: ${knownUntilSec(state) / durationSec}"
        @input=${(event: Event) => player.seek(Number((event.target as HTMLInputElement).value))}
      />
      <output id="clock" for="seek"></output>
      <span class="quiet-text">/ ${clockWords(durationSec)}</span>
    </div>
  `;
}

/** How far the analysis is, with what can be done about it. */
function progressView({ store, session }: Page) {
  const { status, progress, firstPictureSec, known, diagnostics } = store.state.analysis;
  const percent = percentWords(progress?.doneRatio ?? 0);
  if (status === 'running' || status === 'paused') {
    // Before the first pictures are looked at, nothing says how long it will take.
    const isKnown =
      progress?.stage === 'analyse' && progress.etaSec !== undefined && progress.doneRatio > 0.05;
    const eta = isKnown ? `, ${durationWords(progress.etaSec!)} left` : '';
    return html`<div class="progress">
      <label for="progress">
        ${status === 'paused' ? 'Paused' : stageWords[progress?.stage ?? 'probe']}
        <span class="quiet-text">${percent}${status === 'paused' ? '' : eta}</span>
      </label>
      <progress id="progress" max="1" value=${progress?.doneRatio ?? 0}></progress>
      ${
        status === 'paused'
          ? html`<button type="button" id="resume" @click=${session.resume}>Go on</button>`
          : html`<button type="button" id="pause" ?disabled=${firstPictureSec === undefined} @click=${session.pause}>
              Pause
            </button>`
      }
      <button type="button" id="cancel" @click=${session.cancel}>Cancel</button>
    </div>`;
  }
  if (status === 'stopped' || status === 'failed' || status === 'none')
    return html`<div class="progress is-still">
      <span>${status === 'failed' ? 'The analysis failed.' : 'The analysis was stopped.'}</span>
      <button type="button" id="again" @click=${session.analyse}>Analyse again</button>
    </div>`;
  // In the place of the bar, so that nothing moves when it is done.
  const faces = known?.parts.face_tracking_yolov8?.track_count ?? 0;
  return html`<div class="progress is-still">
    <span class="quiet-text"
      >Analysed${diagnostics ? ` in ${durationWords(diagnostics.seconds)}` : ''}:
      ${faces ? `${faces === 1 ? '1 face' : `${faces} faces`}, counted anew in each scene` : 'no face was found'}</span
    >
  </div>`;
}
