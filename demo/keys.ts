import { redoEdit, undoEdit } from './edits.js';
import { type Page, scenesOf } from './page.js';

/** Keys for the whole page; controls that use a key themselves keep it. */
export function listenToKeys({ store, player }: Page): void {
  window.addEventListener('keydown', event => {
    if (!store.state.source || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const typing = target.closest('input[type=url], input[type=text], textarea') !== null;
    const pressing = target.closest('button, a, summary, label, input, select') !== null;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === 'z' && !typing) {
      event.preventDefault();
      if (event.shiftKey) redoEdit(store);
      else undoEdit(store);
      return;
    }
    if (event.key === 'Escape' && store.state.picked) {
      document.querySelector<HTMLElement>('.face[aria-expanded=true]')?.focus({ preventScroll: true });
      store.set({ picked: undefined });
      return;
    }
    if (command || event.altKey || pressing) return;
    if (event.key === ' ' || event.key === 'k') player.toggle();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      step(store.state, player, event.key === 'ArrowLeft' ? -1 : 1, event.shiftKey);
    else return;
    event.preventDefault();
  });
}

function step(state: Page['store']['state'], player: Page['player'], way: 1 | -1, byScene: boolean): void {
  player.pause();
  const scene = scenesOf(state)[state.scene + way];
  const frameSec = 1 / (state.source?.facts.frameRateHz || 25);
  // The middle of a frame, so that rounding does not show its neighbour.
  if (!byScene) player.seek(player.timeSec + (way + 0.5) * frameSec);
  else if (scene) player.seek(scene.start_time + frameSec / 2);
}
