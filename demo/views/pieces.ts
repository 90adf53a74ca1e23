import { html, nothing } from 'lit-html';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import { type Piece, piecesOf, withPieces } from '../pieces.js';
import { clockWords } from '../words.js';

/** Pauses, fillers and words that a clip can do without, each to be ticked. */
export function piecesView({ store, player }: Page) {
  const { state } = store;
  const pieces = piecesOf(state);
  if (!pieces.length) return nothing;
  const spare = pieces.filter(({ kind }) => kind !== 'words');
  const out = pieces.filter(({ isOut }) => isOut);
  const set = (which: readonly Piece[], isOut: boolean, news: string) =>
    changeEdit(store, { leftOut: withPieces(state.edit.leftOut, which, isOut) }, news);
  const areAllOut = spare.every(({ isOut }) => isOut);
  return html`<div class="pieces">
    <div class="row">
      <span id="left-out">${out.length ? `Left out: ${countWords(out)}.` : `Could be left out: ${countWords(spare)}.`}</span>
      <span class="grow"></span>
      ${
        spare.length && !areAllOut
          ? html`<button
              type="button"
              id="leave-out-all"
              @click=${() => set(spare, true, `Left out: ${countWords(spare)}.`)}
            >
              Leave out pauses and fillers
            </button>`
          : nothing
      }
      ${
        out.length
          ? html`<button type="button" id="keep-all" @click=${() => set(out, false, 'Nothing is left out.')}>
              Keep everything
            </button>`
          : nothing
      }
    </div>
    <details id="pieces">
      <summary>Each of them</summary>
      <ul class="piece-list">
        ${pieces.map(
          piece => html`<li>
            <label
              ><input
                type="checkbox"
                .checked=${piece.isOut}
                @change=${(event: Event) => {
                  const { checked } = event.target as HTMLInputElement;
                  set([piece], checked, `${pieceWords(piece)}: ${checked ? 'left out' : 'kept'}.`);
                }}
              />${pieceWords(piece)}</label
            >
            <button
              type="button"
              class="quiet"
              aria-label=${`Go to ${clockWords(piece.startSec, true)}`}
              @click=${() => player.seek(piece.startSec)}
            >
              ${clockWords(piece.startSec, true)}
            </button>
          </li>`,
        )}
      </ul>
    </details>
  </div>`;
}

const pieceWords = ({ kind, text, startSec, endSec }: Piece): string =>
  `${kind === 'silence' ? 'Pause' : `“${text}”`}, ${(endSec - startSec).toFixed(1)} s`;

const kinds = [
  ['silence', 'pause', 'pauses'],
  ['filler', 'filler', 'fillers'],
  ['words', 'piece of text', 'pieces of text'],
] as const;

/** How many of what, and how long together. */
function countWords(pieces: readonly Piece[]): string {
  const counts = kinds.flatMap(([kind, one, many]) => {
    const count = pieces.filter(piece => piece.kind === kind).length;
    return count ? `${count} ${count === 1 ? one : many}` : [];
  });
  const seconds = pieces.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0);
  return `${counts.join(', ') || 'nothing'} (${seconds.toFixed(1)} s)`;
}
