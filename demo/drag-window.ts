import { addCorrection } from './edits.js';
import type { Page } from './page.js';

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Less than this is a click, not a drag. CSS pixels. */
const leastDragPx = 3;

/** Drags the crop window: the result shows it meanwhile, and letting go makes a keyframe at this moment. */
export function dragWindow(event: PointerEvent, { store, player }: Page, from: Box): void {
  const button = event.currentTarget as HTMLElement;
  const { plan } = store.state;
  const picture = button.parentElement?.getBoundingClientRect();
  if (!plan || !picture || event.button !== 0) return;
  event.preventDefault();
  button.focus();
  player.pause();
  const { timeSec } = player;
  // Heard on the window, because the button is drawn anew while it moves.
  const ending = new AbortController();
  const at = (move: PointerEvent): Box => {
    const inside = (value: number, room: number) => Math.min(Math.max(0, room), Math.max(0, value));
    const across = ((move.clientX - event.clientX) * plan.width) / picture.width;
    const down = ((move.clientY - event.clientY) * plan.height) / picture.height;
    return {
      ...from,
      x: inside(from.x + across, plan.width - from.width),
      y: inside(from.y + down, plan.height - from.height),
    };
  };
  const far = (move: PointerEvent) =>
    Math.hypot(move.clientX - event.clientX, move.clientY - event.clientY) >= leastDragPx;
  const { signal } = ending;
  window.addEventListener(
    'pointermove',
    move => far(move) && store.set({ draft: { kind: 'window', timeSec, box: at(move) } }),
    { signal },
  );
  window.addEventListener(
    'pointerup',
    up => {
      ending.abort();
      if (far(up)) addCorrection(store, { kind: 'window', timeSec, box: at(up) }, 'A keyframe was set.');
      else store.set({ draft: undefined });
    },
    { signal },
  );
  window.addEventListener(
    'pointercancel',
    () => {
      ending.abort();
      store.set({ draft: undefined });
    },
    { signal },
  );
}
