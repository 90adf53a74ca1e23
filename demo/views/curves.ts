import { html } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import type { Page } from '../page.js';

/** Lines that are told apart in both themes; faces beyond share them. */
const colours = ['#2f7de1', '#d9622b', '#2a9d5c', '#a455c9', '#c79a12', '#cc3f6f'];
/** Points per line: more than a wide screen has pixels. */
const maxPoints = 1500;

let plot: { destroy(): void } | undefined;

/** The speaker model's score of each face over time, drawn when asked for: the plotting library is loaded then. */
export function curvesView(page: Page) {
  let holder: HTMLElement | undefined;
  const toggle = async (event: Event) => {
    plot?.destroy();
    plot = undefined;
    if ((event.target as HTMLDetailsElement).open && holder) plot = await draw(holder, page);
  };
  return html`<details class="curves" @toggle=${toggle}>
    <summary>Score curves</summary>
    <p class="quiet-text">How much each face’s lips fit the voice; above 0 the model takes it for the speaker.</p>
    <div class="plot" ${ref(element => (holder = element as HTMLElement | undefined))}></div>
  </details>`;
}

async function draw(holder: HTMLElement, { store, player }: Page): Promise<{ destroy(): void } | undefined> {
  const tracks = store.state.analysis.known?.parts.active_speaker?.tracks ?? [];
  if (!tracks.length) {
    holder.textContent = 'No scores yet.';
    return undefined;
  }
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  const times = [...new Set(tracks.flatMap(track => track.scores.map(score => score.timestamp)))].sort(
    (a, b) => a - b,
  );
  const stride = Math.max(1, Math.ceil(times.length / maxPoints));
  const kept = times.filter((_, i) => i % stride === 0);
  const lines = tracks.map(track => {
    const scores = new Map(track.scores.map(({ timestamp, score }) => [timestamp, score]));
    return kept.map(timeSec => scores.get(timeSec) ?? null);
  });
  const axis = { stroke: () => getComputedStyle(holder).color, grid: { stroke: 'rgb(128 128 128 / 25%)' } };
  const chart = new Plot(
    {
      width: holder.clientWidth,
      height: 180,
      scales: { x: { time: false } },
      axes: [
        { ...axis, values: (_, values) => values.map(value => `${value} s`) },
        { ...axis, size: 40 },
      ],
      series: [
        { label: 'Time' },
        ...tracks.map((track, i) => ({
          label: `Face ${track.face_id + 1}`,
          stroke: colours[i % colours.length]!,
          width: 1.5,
        })),
      ],
      hooks: {
        ready: [
          ready => {
            ready.over.addEventListener('click', () => {
              const { left } = ready.cursor;
              if (left !== undefined && left >= 0) player.seek(ready.posToVal(left, 'x'));
            });
          },
        ],
      },
    },
    [kept, ...lines] as [number[], ...(number | null)[][]],
    holder,
  );
  const resized = new ResizeObserver(() => chart.setSize({ width: holder.clientWidth, height: 180 }));
  resized.observe(holder);
  // Drawn on a canvas: another theme's colours have to be asked for.
  const themed = new MutationObserver(() => chart.redraw());
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return {
    destroy() {
      resized.disconnect();
      themed.disconnect();
      chart.destroy();
    },
  };
}
