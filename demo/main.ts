import { render } from 'lit-html';
import { createAdvising } from './advising.js';
import { captionAt } from './captions.js';
import { createExporter } from './exporting.js';
import { listenToKeys } from './keys.js';
import { keepOffline, keepTheRest } from './offline.js';
import { drawOverlay } from './overlay.js';
import { knownUntilSec, type Page, sceneAt } from './page.js';
import { skipTo } from './pieces.js';
import { createPlayer } from './player.js';
import { listWork } from './saved.js';
import { createSession } from './session.js';
import { firstState, type State } from './state.js';
import { createStore } from './store.js';
import './style.css';
import { keepThumbnails, takeFromVideo } from './thumbnails.js';
import { appView } from './views/app.js';
import { drawSample } from './views/captions.js';
import { overlayRoot } from './views/stage.js';
import { playheadLine } from './views/timeline.js';
import { showWord } from './views/transcript.js';
import { clockWords } from './words.js';

const root = document.querySelector<HTMLElement>('#app')!;
const store = createStore<State>({ ...firstState(), theme: savedTheme() });
const player = createPlayer(
  showTime,
  () => draw(),
  timeSec => captionAt(store.state, timeSec),
);
const session = createSession(store, keepOffline());
const exporter = createExporter(store, () => session.reframer);
const advising = createAdvising(store, () => session.reframer);
const page: Page = { store, session, player, exporter, advising };

/** The page is drawn once for all changes of a moment; a hidden tab draws when it is seen again. */
let drawing = 0;
function draw(): void {
  if (drawing) return;
  drawing = requestAnimationFrame(() => {
    drawing = 0;
    render(appView(page), root);
    player.show(store.state.plan);
    showTime(player.timeSec);
  });
}

/** What changes with every frame: not worth drawing the page for. */
function showTime(timeSec: number): void {
  const { source, scene, playing, waiting, analysis } = store.state;
  if (!source) return;
  const { durationSec } = source.facts;
  if (overlayRoot.value) drawOverlay(overlayRoot.value, page, timeSec);
  if (playheadLine.value) playheadLine.value.style.left = `${(100 * timeSec) / durationSec}%`;
  showWord(page, timeSec);
  drawSample();
  const seek = document.querySelector<HTMLInputElement>('#seek');
  if (seek) {
    seek.value = String(timeSec);
    seek.setAttribute('aria-valuetext', `${clockWords(timeSec)} of ${clockWords(durationSec)}`);
  }
  const clock = document.querySelector('#clock');
  if (clock) clock.textContent = clockWords(timeSec, true);
  const now = sceneAt(store.state, timeSec);
  if (now !== scene) store.set({ scene: now });
  if (playing && player.video) void takeFromVideo(store, player.video, timeSec).catch(() => {});
  const goOnSec = playing ? skipTo(store.state, timeSec) : undefined;
  if (goOnSec !== undefined) player.seek(goOnSec);
  holdAtTheEdge(timeSec, {
    running: analysis.status === 'running' || analysis.status === 'paused',
    playing,
    waiting,
  });
}

/** Seconds before the end of what is analysed at which a playing video waits, and at which it goes on. */
const edge = { waitSec: 0.15, goOnSec: 2 };

/** The playhead does not run past the analysis: it waits for it, as it would for a slow network. */
function holdAtTheEdge(
  timeSec: number,
  { running, playing, waiting }: { running: boolean; playing: boolean; waiting: boolean },
): void {
  const leftSec = knownUntilSec(store.state) - timeSec;
  if (running && playing && leftSec < edge.waitSec && leftSec > -edge.goOnSec) {
    player.pause();
    store.set({ waiting: true });
  } else if (waiting && (!running || leftSec > edge.goOnSec)) {
    store.set({ waiting: false });
    player.play();
  } else if (waiting && playing) store.set({ waiting: false });
}

store.listen((state, before) => {
  draw();
  if (state.writing && state.writing !== before.writing)
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>('.said-field')?.select()),
    );
  if (state.theme !== before.theme) applyTheme(state.theme);
  if (before.source && !state.source) player.unmount();
  // By now the models are here too, and the network is free.
  if (state.analysis.status === 'done' && before.analysis.status !== 'done' && !state.offline)
    void keepTheRest().then(offline => store.set({ offline }));
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  // A video that was worked on before waits for its person.
  if (state.plan && !before.plan && state.analysis.status === 'running' && !calm) player.play();
});

function savedTheme(): State['theme'] {
  const theme = localStorage.getItem('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function applyTheme(theme: State['theme']): void {
  document.documentElement.dataset.theme = theme;
  localStorage.setItem('theme', theme);
}

function listenToDrops(): void {
  const isFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  window.addEventListener('dragover', event => {
    if (!isFile(event)) return;
    event.preventDefault();
    document.body.classList.add('is-dropping');
  });
  window.addEventListener('dragleave', event => {
    if (!event.relatedTarget) document.body.classList.remove('is-dropping');
  });
  window.addEventListener('drop', event => {
    if (!isFile(event)) return;
    event.preventDefault();
    document.body.classList.remove('is-dropping');
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void session.open(file, file.name);
  });
}

applyTheme(store.state.theme);
keepThumbnails(store, () => session.reframer);
listenToKeys(page);
listenToDrops();
store.set({ saved: await listWork().catch(() => []) });
const asked = decodeURIComponent(location.hash.slice(1));
if (asked) await session.reopen(asked);
