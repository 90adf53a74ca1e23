import type { Correction } from '../src/preview/index.js';
import type { Edit, State } from './state.js';
import type { Store } from './store.js';

/** How many steps can be undone; each is a few hundred bytes. */
const maxUndo = 200;

/** Decides something; the state before can be had back. */
export function changeEdit(store: Store<State>, patch: Partial<Edit>, news: string): void {
  const { edit, undo } = store.state;
  store.set({
    edit: { ...edit, ...patch },
    undo: [...undo, edit].slice(-maxUndo),
    redo: [],
    draft: undefined,
    picked: undefined,
    news,
  });
}

/** Adds a correction. A window that is moved again at the same moment stays one correction. */
export function addCorrection(store: Store<State>, correction: Correction, news: string): void {
  const { corrections } = store.state.edit;
  const last = corrections.at(-1);
  const again =
    correction.kind === 'window' &&
    last?.kind === 'window' &&
    Math.abs(last.timeSec - correction.timeSec) < 1e-3;
  changeEdit(store, { corrections: [...(again ? corrections.slice(0, -1) : corrections), correction] }, news);
}

/** Gives a stretch of time back to the automatic plan. */
export function clearCorrections(
  store: Store<State>,
  { startSec, endSec }: { startSec: number; endSec: number },
): void {
  const inside = ({ timeSec }: Correction) => timeSec >= startSec - 1e-3 && timeSec < endSec - 1e-3;
  const corrections = store.state.edit.corrections.filter(correction => !inside(correction));
  changeEdit(store, { corrections }, 'This scene is automatic again.');
}

export function undoEdit(store: Store<State>): void {
  const { edit, undo, redo } = store.state;
  const before = undo.at(-1);
  if (before) store.set({ edit: before, undo: undo.slice(0, -1), redo: [...redo, edit], news: 'Undone.' });
}

export function redoEdit(store: Store<State>): void {
  const { edit, undo, redo } = store.state;
  const next = redo.at(-1);
  if (next) store.set({ edit: next, undo: [...undo, edit], redo: redo.slice(0, -1), news: 'Done again.' });
}
