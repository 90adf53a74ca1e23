import type { Subject } from '../src/index.js';
import { type Casting, type Correction, toSubjects } from '../src/preview/index.js';
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

let cast: { readonly edit: Edit; readonly known: unknown; readonly subjects: Subject[] } | undefined;

/** Who is who, by the ids of the analysis that is known. Asked for at every drawing, so that the last answer is kept. */
export function subjectsOf({ edit, analysis: { known } }: State): Subject[] {
  if (cast?.edit !== edit || cast.known !== known)
    cast = { edit, known, subjects: known ? toSubjects(edit.castings, known.parts) : [] };
  return cast.subjects;
}

/** Says who somebody is in the whole video, in place of what was said of the same person before. */
export function castFace(
  store: Store<State>,
  { news, ...casting }: Casting & { readonly news: string },
): void {
  const parts = store.state.analysis.known?.parts;
  if (!parts) return;
  const [own] = toSubjects([casting], parts);
  const others = store.state.edit.castings.filter(
    other => !toSubjects([other], parts).some(({ personId }) => personId === own?.personId),
  );
  changeEdit(store, { castings: casting.role === 'guest' ? others : [...others, casting] }, news);
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
