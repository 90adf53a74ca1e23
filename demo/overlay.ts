import { html, nothing, render } from 'lit-html';
import { cropAt, type PixelBox } from '../src/index.js';
import { facesAt } from '../src/preview/index.js';
import { dragWindow } from './drag-window.js';
import { addCorrection } from './edits.js';
import { knownUntilSec, type Page } from './page.js';

/** A box of the source as a place in the picture; moved and not laid out anew, because it changes with every frame. */
const placed = (box: PixelBox, size: Size) =>
  `transform: translate(${(100 * box.x) / size.width}cqw, ${(100 * box.y) / size.height}cqh); width: ${
    (100 * box.width) / size.width
  }%; height: ${(100 * box.height) / size.height}%`;

type Size = { readonly width: number; readonly height: number };

/**
 * What lies over the source at a time: faces as buttons, who speaks, and the crop window, which can be dragged and
 * moved by arrow keys. Drawn with each frame of the video, so it is kept apart from the page's own drawing.
 */
export function drawOverlay(root: HTMLElement, page: Page, timeSec: number): void {
  const { store, player } = page;
  const { plan, analysis, picked } = store.state;
  const parts = analysis.known?.parts;
  if (!plan || !parts) {
    render(nothing, root);
    return;
  }
  const view = cropAt(plan, timeSec);
  const window = view.layout === 'single' && view.panels.length === 1 ? view.panels[0]!.source : undefined;
  const faces = facesAt(parts, timeSec);
  const chosen = faces.find(face => face.faceId === picked?.faceId);
  const framed = new Set(view.panels.map(panel => panel.faceId));
  const follow = (scope: 'scene' | 'everywhere') => {
    if (!chosen) return;
    const where = scope === 'scene' ? 'in this scene' : 'wherever a face is in this place';
    addCorrection(
      store,
      { kind: 'follow', timeSec, box: chosen.box, scope },
      `Follows face ${chosen.faceId + 1} ${where}.`,
    );
    // The menu goes; who used it by keys stays where they were.
    root.querySelector<HTMLElement>('.face[aria-expanded=true]')?.focus({ preventScroll: true });
  };
  const menu = (box: PixelBox) => html`<div
    class="face-menu"
    role="group"
    aria-label=${`Face ${(chosen?.faceId ?? 0) + 1}`}
    style=${menuPlace(box, plan)}
  >
    <span>Follow</span>
    <button type="button" id="follow-here" @click=${() => follow('scene')}>in this scene</button>
    <button type="button" id="follow-everywhere" @click=${() => follow('everywhere')}>in every scene</button>
  </div>`;
  const beyond = timeSec > knownUntilSec(store.state) + 0.1;
  render(
    html`
      ${
        window && !beyond
          ? html`<button
              type="button"
              class="window"
              style=${placed(window, plan)}
              aria-label="Crop window. Arrow keys move it: a keyframe at this moment."
              @pointerdown=${(event: PointerEvent) => dragWindow(event, page, window)}
              @keydown=${(event: KeyboardEvent) => nudge(event, page, window)}
            ></button>`
          : nothing
      }
      ${faces.map(
        ({ faceId, box, speaking }) => html`<button
          type="button"
          class="face ${speaking ? 'speaks' : ''} ${framed.has(faceId) ? 'framed' : ''}"
          style=${placed(box, plan)}
          aria-label=${`Face ${faceId + 1}${speaking ? ', speaking' : ''}`}
          aria-expanded=${faceId === picked?.faceId ? 'true' : 'false'}
          @click=${() => {
            player.pause();
            store.set({ picked: faceId === picked?.faceId ? undefined : { faceId, timeSec } });
          }}
        >
          <span class="number" aria-hidden="true">${faceId + 1}</span>
        </button>
        ${faceId === chosen?.faceId ? menu(box) : nothing}`,
      )}
    `,
    root,
  );
}

/** Below the face where there is room, else above; never over the picture's edge. */
function menuPlace(box: { x: number; y: number; width: number; height: number }, size: Size): string {
  const below = (box.y + box.height) / size.height < 0.8;
  const middle = Math.min(0.78, Math.max(0.22, (box.x + box.width / 2) / size.width));
  const top = below ? (box.y + box.height) / size.height : Math.max(0.12, box.y / size.height);
  return `left: ${100 * middle}%; top: ${100 * top}%; transform: translate(-50%, ${below ? '0.4rem' : '-110%'})`;
}

/** How far an arrow key moves the window, in widths of the source; with Shift five times as far. */
const nudgeRatio = 0.01;

function nudge(
  event: KeyboardEvent,
  { store, player }: Page,
  box: { x: number; y: number; width: number; height: number },
): void {
  const ways: Record<string, readonly [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const way = ways[event.key];
  const { plan } = store.state;
  if (!way || !plan) return;
  event.preventDefault();
  event.stopPropagation();
  player.pause();
  const step = nudgeRatio * plan.width * (event.shiftKey ? 5 : 1);
  const to = (value: number, by: number, room: number) =>
    Math.min(Math.max(0, room), Math.max(0, value + by));
  const moved = {
    ...box,
    x: to(box.x, way[0] * step, plan.width - box.width),
    y: to(box.y, way[1] * step, plan.height - box.height),
  };
  addCorrection(store, { kind: 'window', timeSec: player.timeSec, box: moved }, 'The window was moved.');
}
