import { html, nothing } from 'lit-html';
import type { TimeRange } from '../../src/index.js';
import { estimateExport, orderOf, outputOf, saveJson } from '../exporting.js';
import type { Page } from '../page.js';
import { aspects, type ExportJob, type ExportSettings } from '../state.js';
import { aspectWords, clockWords, durationWords, percentWords, sizeWords, stageWords } from '../words.js';
import { reportView } from './report.js';

/** Shapes, size and quality with what they will cost, the clips that are done, and the data behind them. */
export function exportView(page: Page) {
  const { store, exporter } = page;
  const { source, analysis, exportSettings, exporting, plan } = store.state;
  const settings = orderOf(store.state);
  if (!source) return nothing;
  const ready = analysis.status === 'done' && plan !== undefined;
  const busy = exporting?.status === 'running';
  const estimate = estimateExport(source, settings, analysis.diagnostics);
  const set = (patch: Partial<ExportSettings>) =>
    store.set({ exportSettings: { ...exportSettings, ...patch } });
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
    ${
      analysis.known?.parts.transcription
        ? html`<label class="switch"
            ><input
              id="export-captions"
              type="checkbox"
              .checked=${settings.captions}
              ?disabled=${busy}
              @change=${(event: Event) => set({ captions: (event.target as HTMLInputElement).checked })}
            />Captions as a text track</label
          >`
        : nothing
    }
    <p id="estimate" class="quiet-text">
      ${settings.keep ? piecesWords(settings.keep) : nothing}
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
            ?disabled=${!ready || !settings.aspects.length || settings.keep?.length === 0}
            @click=${exporter.run}
          >
            ${ready ? 'Export' : 'Export when the analysis is done'}
          </button>`
    }
    ${done(exporting)} ${ready ? reportView(page) : nothing}
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

function piecesWords(keep: readonly TimeRange[]): string {
  const [first, last] = [keep[0], keep.at(-1)];
  if (!first || !last) return 'Nothing is left to export. ';
  const span = `${clockWords(first.startSec, true)}–${clockWords(last.endSec, true)}`;
  return keep.length === 1
    ? `Only ${span}, as chosen in the transcript. `
    : `Only ${keep.length} pieces of ${span}, as chosen in the transcript. `;
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
            ? html`<video src=${url} controls playsinline preload="metadata" aria-label=${`Clip ${aspect}`}></video>`
            : nothing
        }
        <div>
          ${
            url
              ? html`<a class="button" href=${url} download=${fileName}>Save ${aspect}</a>`
              : html`<p><strong>${fileName}</strong> is saved.</p>`
          }
          <p class="quiet-text">
            ${sizeWords(diagnostics.output?.sizeBytes ?? 0)} in ${seconds.toFixed(0)} s${
              diagnostics.fallbacks.length ? `. ${diagnostics.fallbacks.join(' ')}` : ''
            }
          </p>
        </div>
      </li>`,
    )}
  </ul>`;
}
