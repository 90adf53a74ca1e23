import { html, nothing } from 'lit-html';
import type { Diagnostics } from '../../src/index.js';
import type { Page } from '../page.js';
import type { EngineChoice } from '../state.js';
import { originWords, sizeWords, workWords } from '../words.js';

/** What runs where and why, what took how long, and switches for those who want it otherwise. */
export function engineView(page: Page) {
  const { store, session, player } = page;
  const { source, analysis, engine, exporting } = store.state;
  const { diagnostics } = analysis;
  const set = (patch: Partial<EngineChoice>) => {
    store.set({ engine: { ...engine, ...patch }, news: 'Holds from the next analysis on.' });
    session.restart();
  };
  const stats = player.preview?.stats;
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(reportOf(page), null, 2));
    store.set({ news: 'The report is in the clipboard.' });
  };
  return html`<details class="card engine">
    <summary><h2>Engine</h2></summary>
    <dl class="facts">
      ${fact('Reader', source ? `${source.reader.backend}: ${source.reader.reason}` : '–')}
      ${fact('Models', diagnostics?.device ? `${diagnostics.device.kind}: ${diagnostics.device.reason}` : 'not started')}
      ${fact('Threads', `${engine.threads}${crossOriginIsolated ? '' : ', because the page is not isolated'}`)}
      ${fact('Pixels', diagnostics?.pixels ?? '–')}
      ${
        stats
          ? fact(
              'Preview',
              `${stats.drawn} frames drawn, ${stats.dropped} dropped${stats.clock === 'screen' ? ', by the screen’s clock' : ''}`,
            )
          : nothing
      }
      ${(diagnostics?.models ?? []).map(model =>
        fact(
          model.id,
          `${model.device}, ${sizeWords(model.sizeBytes)}, ${originWords[model.from] ?? model.from}`,
        ),
      )}
    </dl>
    ${(diagnostics?.fallbacks ?? []).map(sentence => html`<p class="note">${sentence}</p>`)}
    ${stageBars('Time of the analysis', diagnostics)}
    ${(exporting?.clips ?? []).map(clip => stageBars(`Time of ${clip.aspect}`, clip.diagnostics))}
    <div class="row fields">
      ${choice('Models run on', ['auto', 'webgpu', 'wasm'], engine.device, device => set({ device: device as 'auto' }))}
      ${choice('Reader', ['auto', 'webcodecs', 'ffmpeg'], engine.decoder, decoder => set({ decoder: decoder as 'auto' }))}
      ${choice(
        'Threads',
        crossOriginIsolated ? ['1', '2', '3', '4'] : ['1'],
        String(engine.threads),
        threads => set({ threads: Number(threads) }),
      )}
    </div>
    <div class="row">
      <button type="button" id="analyse-again" ?disabled=${!source} @click=${session.analyse}>Analyse again</button>
      <button type="button" id="copy-report" @click=${copy}>Copy report</button>
    </div>
  </details>`;
}

const fact = (name: string, value: string) => html`<dt>${name}</dt><dd>${value}</dd>`;

function choice(label: string, values: readonly string[], chosen: string, choose: (value: string) => void) {
  return html`<label class="field"
    >${label}
    <select @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
      ${values.map(value => html`<option ?selected=${value === chosen}>${value}</option>`)}
    </select></label
  >`;
}

/** Stages run side by side: together they take longer than the whole. */
function stageBars(title: string, diagnostics: Diagnostics | undefined) {
  const stages = Object.entries(diagnostics?.stages ?? {}).sort(([, a], [, b]) => b.seconds - a.seconds);
  if (!diagnostics || !stages.length) return nothing;
  const most = stages[0]![1].seconds;
  return html`<h3>
      ${title} <span class="quiet-text">${diagnostics.seconds.toFixed(1)} s for ${diagnostics.mediaSec.toFixed(1)} s</span>
    </h3>
    <dl class="bars">
      ${stages.map(
        ([name, { seconds }]) => html`<dt>${workWords[name] ?? name}</dt>
          <dd style="--ratio: ${seconds / most}"><span>${seconds.toFixed(1)} s</span></dd>`,
      )}
    </dl>`;
}

/** For bug reports: how it ran, and nothing of what is in the video. */
function reportOf({ store, player }: Page) {
  const { source, analysis, engine, exporting, failureDetail } = store.state;
  return {
    page: { agent: navigator.userAgent, isolated: crossOriginIsolated, cores: navigator.hardwareConcurrency },
    engine,
    source: source && { facts: source.facts, reader: source.reader },
    analysis: {
      status: analysis.status,
      firstPictureSec: analysis.firstPictureSec,
      diagnostics: analysis.diagnostics,
    },
    preview: player.preview?.stats,
    clips: exporting?.clips.map(({ aspect, seconds, diagnostics }) => ({ aspect, seconds, diagnostics })),
    failure: failureDetail,
  };
}
