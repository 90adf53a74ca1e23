import { html, nothing } from 'lit-html';
import { type Assessment, assess } from '../../src/index.js';
import { estimateExport, outputOf, saveJson } from '../exporting.js';
import { type Page, scenesOf } from '../page.js';
import { aspects, type ExportJob, type ExportSettings } from '../state.js';
import {
  aspectWords,
  clockWords,
  durationWords,
  percentWords,
  reasonWords,
  sizeWords,
  stageWords,
} from '../words.js';

/** Shapes, size and quality with what they will cost, the clips that are done, and the data behind them. */
export function exportView(page: Page) {
  const { store, exporter } = page;
  const { source, analysis, exportSettings: settings, exporting, plan } = store.state;
  if (!source) return nothing;
  const ready = analysis.status === 'done' && plan !== undefined;
  const busy = exporting?.status === 'running';
  const estimate = estimateExport(source, settings);
  const set = (patch: Partial<ExportSettings>) => store.set({ exportSettings: { ...settings, ...patch } });
  const stem = source.name.replace(/\.[^.]*$/, '');
  return html`<section class="card" aria-labelledby="export-title">
    <h2 id="export-title">Export</h2>
    <fieldset class="choices" ?disabled=${busy}>
      <legend>Shapes, all from this one analysis</legend>
      ${aspects.map(
        aspect => html`<label
          ><input
            type="checkbox"
            name="export-aspect"
            value=${aspect}
            .checked=${settings.aspects.includes(aspect)}
            @change=${(event: Event) => {
              const ticked = (event.target as HTMLInputElement).checked;
              set({ aspects: aspects.filter(a => (a === aspect ? ticked : settings.aspects.includes(a))) });
            }}
          />${aspect} ${aspectWords[aspect]}</label
        >`,
      )}
    </fieldset>
    <div class="row fields">
      ${select(
        'Size',
        ([540, 720, 1080] as const).map(side => {
          const { width, height } = outputOf(settings.aspects[0] ?? '9:16', side);
          return [String(side), `${width} × ${height}`] as const;
        }),
        String(settings.shortSide),
        value => set({ shortSide: Number(value) as ExportSettings['shortSide'] }),
        busy,
      )}
      ${select(
        'Quality',
        [
          ['small', 'Small file'],
          ['good', 'Good'],
          ['best', 'Best'],
        ],
        settings.quality,
        value => set({ quality: value as ExportSettings['quality'] }),
        busy,
      )}
      ${
        'showSaveFilePicker' in window
          ? select(
              'Save to',
              [
                ['file', 'A file I choose'],
                ['browser', 'Browser storage'],
              ],
              settings.target,
              value => set({ target: value as ExportSettings['target'] }),
              busy,
            )
          : nothing
      }
    </div>
    <p id="estimate" class="quiet-text">
      ${
        settings.aspects.length
          ? `Will take ${durationWords(estimate.seconds)} and ${sizeWords(estimate.sizeBytes)}.`
          : 'Tick at least one shape.'
      }
    </p>
    ${
      busy
        ? running(exporting, exporter.cancel)
        : html`<button
            id="export"
            type="button"
            class="primary"
            ?disabled=${!ready || !settings.aspects.length}
            @click=${exporter.run}
          >
            ${ready ? 'Export' : 'Export when the analysis is done'}
          </button>`
    }
    ${done(exporting)} ${ready ? report(page, assess(analysis.known!.parts, plan)) : nothing}
    <div class="row">
      <button
        id="save-analysis"
        type="button"
        ?disabled=${!ready}
        @click=${() => saveJson(analysis.known?.parts, `${stem} analysis.json`)}
      >
        Analysis (JSON)
      </button>
      <button id="save-plan" type="button" ?disabled=${!plan} @click=${() => saveJson(plan, `${stem} plan.json`)}>
        Plan (JSON)
      </button>
    </div>
  </section>`;
}

function select(
  label: string,
  values: readonly (readonly [string, string])[],
  chosen: string,
  choose: (value: string) => void,
  disabled: boolean,
) {
  return html`<label class="field"
    >${label}
    <select ?disabled=${disabled} @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
      ${values.map(
        ([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`,
      )}
    </select></label
  >`;
}

function running({ progress, at, of }: ExportJob, cancel: () => void) {
  const eta = progress?.etaSec === undefined ? '' : `, ${durationWords(progress.etaSec)} left`;
  return html`<div class="progress">
    <label for="export-progress"
      >${stageWords[progress?.stage ?? 'render']}${of > 1 ? ` ${at} of ${of}` : ''}
      <span class="quiet-text">${percentWords(progress?.doneRatio ?? 0)}${eta}</span></label
    >
    <progress id="export-progress" max="1" value=${progress?.doneRatio ?? 0}></progress>
    <button type="button" id="export-cancel" @click=${cancel}>Cancel</button>
  </div>`;
}

function done(job: ExportJob | undefined) {
  if (!job?.clips.length) return nothing;
  return html`<ul class="clips" aria-label="Exported clips">
    ${job.clips.map(
      ({ aspect, fileName, url, seconds, diagnostics }) => html`<li>
        ${
          url
            ? html`<video src=${url} controls playsinline preload="metadata" aria-label=${`Clip ${aspect}`}></video>
                <a href=${url} download=${fileName}>Save ${aspect}</a>`
            : html`<strong>${fileName}</strong> <span>is saved.</span>`
        }
        <span class="quiet-text"
          >${sizeWords(diagnostics.output?.sizeBytes ?? 0)} in ${seconds.toFixed(0)} s${
            diagnostics.fallbacks.length ? `. ${diagnostics.fallbacks.join(' ')}` : ''
          }</span
        >
      </li>`,
    )}
  </ul>`;
}

/** The quality report in pictures: bars for what can be counted, scenes for what should be looked at. */
function report({ store, player }: Page, found: Assessment) {
  const bars: readonly (readonly [string, number])[] = [
    ['Speaker in the picture', found.speakerFramedRatio],
    ['Faces not cut off', 1 - found.faceCutRatio],
    ['Not empty', 1 - found.emptyRatio],
    ['Cropped, not the whole picture', 1 - found.fitRatio],
  ];
  const scenes = scenesOf(store.state);
  return html`<details class="report">
    <summary>Quality report</summary>
    <dl class="bars">
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
    }
  </details>`;
}
