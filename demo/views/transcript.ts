import { html, nothing } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { captionsWithin, sentencesOf, toSrt, toWebVtt } from '../../src/captions/index.js';
import { changeEdit } from '../edits.js';
import { saveText } from '../exporting.js';
import type { Page } from '../page.js';
import { isLeftOut, keptOf, selectedPieces, withPieces } from '../pieces.js';
import { captionTrackOf, keyOfWord, selectedRange, transcriptOf, wordAt } from '../transcript.js';
import { clockWords } from '../words.js';
import { piecesView } from './pieces.js';

type Transcript = NonNullable<ReturnType<typeof transcriptOf>>;

/** What is said, to seek, to correct and to select by. */
export function transcriptView(page: Page) {
  const { store, session } = page;
  const { state } = store;
  const transcript = transcriptOf(state);
  const { wantsWords, wordsHere, analysis } = state;
  const isMissing = wordsHere === false && !transcript;
  return html`<section class="transcript" aria-labelledby="transcript-title">
    <header>
      <h2 id="transcript-title">Transcript</h2>
      <label class="switch">
        <input
          id="wants-words"
          type="checkbox"
          role="switch"
          aria-describedby="words-note"
          .checked=${wantsWords && !isMissing}
          ?disabled=${isMissing}
          @change=${(event: Event) => session.wantWords((event.target as HTMLInputElement).checked)}
        />Write down what is said
      </label>
    </header>
    <p id="words-note" class="quiet-text">${isMissing ? missing : note(wantsWords, transcript, analysis.status)}</p>
    ${transcript?.words.length ? selectionView(page, transcript) : nothing}
    ${piecesView(page)}
    ${guard([transcript, state.selected, state.writing, state.edit.leftOut], () => (transcript ? listView(page, transcript) : nothing))}
  </section>`;
}

const missing = html`It needs a recogniser for English (28 MB), which is not beside this page. Whoever runs the page gets it with
  <code>npm run models -- --add words</code> and puts the three <code>moonshine</code> files from
  <code>models/cache</code> into the page’s <code>models</code> folder.`;

function note(wanted: boolean, transcript: Transcript | undefined, status: string): string {
  if (transcript?.words.length)
    return 'Click a word to go there, double-click to correct it, drag or Shift to select what to export.';
  if (transcript && status === 'done') return 'Nothing that can be written down is said.';
  if (wanted) return 'The first words come in a moment.';
  return 'In English; loads a recogniser of 28 MB once.';
}

/** What the selection comes to, and captions as files. */
function selectionView({ store, player }: Page, transcript: Transcript) {
  const { state } = store;
  const range = selectedRange(state);
  const count = state.selected ? state.selected.lastWord - state.selected.firstWord + 1 : 0;
  const stem = state.source!.name.replace(/\.[^.]*$/, '');
  const play = () => {
    player.seek(range!.startSec);
    player.play();
  };
  const leaveOut = () => {
    changeEdit(store, { leftOut: withPieces(state.edit.leftOut, selectedPieces(state), true) }, 'Left out.');
    store.set({ selected: undefined, selectedFrom: undefined });
  };
  const save = (format: 'srt' | 'vtt') => {
    const keep = keptOf(state);
    const track = captionTrackOf(state, keep)!;
    const { language } = track;
    // On the clock of the clip that goes with them.
    const captions = keep ? captionsWithin(track.captions, keep) : track.captions;
    saveText(format === 'srt' ? toSrt(captions) : toWebVtt(captions, { language }), `${stem}.${format}`);
  };
  return html`<div class="row selection">
    ${
      range
        ? html`<span id="selection"
              >${count === 1 ? '1 word' : `${count} words`}, ${clockWords(range.startSec, true)}–${clockWords(range.endSec, true)}:
              the export has these only.</span
            >
            <button type="button" id="play-selection" @click=${play}>Play</button>
            <button type="button" id="leave-out" @click=${leaveOut}>Leave these out</button>
            <button type="button" id="clear-selection" @click=${() => store.set({ selected: undefined, news: 'All of it is exported.' })}>
              Export all of it
            </button>`
        : html`<span class="quiet-text">${transcript.words.length} words</span>`
    }
    <span class="grow"></span>
    <button type="button" id="save-srt" @click=${() => save('srt')}>.srt</button>
    <button type="button" id="save-vtt" @click=${() => save('vtt')}>.vtt</button>
  </div>`;
}

function listView(page: Page, transcript: Transcript) {
  const { writing, analysis } = page.store.state;
  // By the words as they were heard: who corrects one does not divide its sentence.
  const sentences = sentencesOf(analysis.known!.parts.transcription!.words);
  return html`<ol
    class="said-list"
    tabindex="-1"
    @keydown=${(event: KeyboardEvent) => moveByKeys(page, transcript, event)}
    @pointerdown=${(event: PointerEvent) => dragSelection(page, event)}
  >
    ${sentences.map(({ firstWord, lastWord }) => {
      const ranks = Array.from({ length: lastWord - firstWord + 1 }, (_, k) => firstWord + k);
      const { start, speaker } = transcript.words[firstWord]!;
      const isNew = speaker !== transcript.words[firstWord - 1]?.speaker;
      return html`<li>
        <span class="quiet-text when">${clockWords(start)}</span>
        <div>
          ${speaker !== undefined && isNew ? speakerView(page, speaker, firstWord) : nothing}
          <p class="said-words">
            ${ranks.map(rank =>
              writing?.kind === 'word' && writing.rank === rank
                ? wordField(page, transcript, rank)
                : wordButton(page, transcript, rank),
            )}
          </p>
        </div>
      </li>`;
    })}
  </ol>`;
}

function wordButton({ store, player }: Page, { words }: Transcript, rank: number) {
  const { selected, edit } = store.state;
  const { start } = words[rank]!;
  const isSelected = selected && rank >= selected.firstWord && rank <= selected.lastWord;
  const isCorrected = edit.words[keyOfWord(words[rank]!)] !== undefined;
  // One stop of the Tab key for the whole list; arrow keys move on from there.
  return html`<button
      type="button"
      class="said-word ${isSelected ? 'selected' : ''} ${isCorrected ? 'corrected' : ''} ${isLeftOut(store.state, words[rank]!) ? 'left-out' : ''}"
      data-rank=${rank}
      tabindex=${rank === (selected?.firstWord ?? 0) ? 0 : -1}
      aria-pressed=${isSelected ? 'true' : 'false'}
      @click=${(event: MouseEvent) => {
        if (event.shiftKey) extendTo(store, rank);
        else {
          store.set({ selectedFrom: rank });
          player.seek(start + 0.001);
        }
      }}
      @dblclick=${() => beginWord(store, rank)}
    >${words[rank]!.word}</button> `;
}

function wordField({ store }: Page, { words }: Transcript, rank: number) {
  const word = words[rank]!;
  const keep = (text: string) => {
    if (store.state.writing === undefined) return;
    store.set({ writing: undefined });
    const said = text.trim();
    if (said && said !== word.word)
      changeEdit(
        store,
        { words: { ...store.state.edit.words, [keyOfWord(word)]: said } },
        `Corrected to ${said}.`,
      );
  };
  return textField(word.word, 'Word', keep, () => {
    store.set({ writing: undefined });
    focusWord(rank);
  });
}

/** A name, which is changed wherever it stands. @param rank - Of the word that it stands above. */
function speakerView({ store }: Page, name: string, rank: number) {
  const { writing, edit, analysis } = store.state;
  const heard = analysis.known!.parts.transcription!.words[rank]!.speaker!;
  if (writing?.kind === 'speaker' && writing.rank === rank)
    return textField(
      name,
      'Name of the speaker',
      text => {
        if (store.state.writing === undefined) return;
        store.set({ writing: undefined });
        const said = text.trim();
        if (said && said !== name)
          changeEdit(store, { speakers: { ...edit.speakers, [heard]: said } }, `${name} is ${said}.`);
      },
      () => store.set({ writing: undefined }),
    );
  return html`<button
    type="button"
    class="speaker"
    title="Rename"
    aria-label=${`${name}, rename`}
    @click=${() => store.set({ writing: { kind: 'speaker', rank } })}
  >
    ${name}
  </button>`;
}

function textField(value: string, label: string, keep: (text: string) => void, leave: () => void) {
  const read = (event: Event) => (event.target as HTMLInputElement).value;
  return html`<input
    class="said-field"
    type="text"
    aria-label=${label}
    size=${Math.max(4, value.length + 1)}
    .value=${value}
    @keydown=${(event: KeyboardEvent) => {
      event.stopPropagation();
      if (event.key === 'Enter') keep(read(event));
      if (event.key === 'Escape') leave();
    }}
    @blur=${(event: Event) => keep(read(event))}
  /> `;
}

type Store = Page['store'];

function beginWord(store: Store, rank: number): void {
  store.set({ writing: { kind: 'word', rank } });
}

/** Selects from where the selection began to a word. */
function extendTo(store: Store, rank: number): void {
  const from = store.state.selectedFrom ?? store.state.selected?.firstWord ?? rank;
  const selected = { firstWord: Math.min(from, rank), lastWord: Math.max(from, rank) };
  store.set({ selected, selectedFrom: from });
}

const rankOf = (target: EventTarget | null): number | undefined => {
  const rank = (target as HTMLElement | null)?.closest<HTMLElement>('.said-word')?.dataset.rank;
  return rank === undefined ? undefined : Number(rank);
};

const focusWord = (rank: number): void => {
  // Drawn with the next frame.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-rank="${rank}"]`)?.focus()),
  );
};

function moveByKeys({ store }: Page, { words }: Transcript, event: KeyboardEvent): void {
  const rank = rankOf(event.target);
  if (rank === undefined) return;
  const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (way) {
    const next = Math.max(0, Math.min(words.length - 1, rank + way));
    if (event.shiftKey) {
      store.set({ selectedFrom: store.state.selectedFrom ?? rank });
      extendTo(store, next);
    } else store.set({ selectedFrom: undefined });
    document.querySelector<HTMLElement>(`[data-rank="${next}"]`)?.focus();
  } else if (event.key === 'F2') beginWord(store, rank);
  else if (event.key === 'Escape') store.set({ selected: undefined, selectedFrom: undefined });
  else return;
  event.preventDefault();
}

/** Dragging over words selects them; a click without a drag stays a click. */
function dragSelection({ store }: Page, event: PointerEvent): void {
  const from = rankOf(event.target);
  // On touch screens a drag scrolls the list.
  if (from === undefined || event.shiftKey || event.button !== 0 || event.pointerType === 'touch') return;
  const end = new AbortController();
  const over = (moved: PointerEvent) => {
    const rank = rankOf(document.elementFromPoint(moved.clientX, moved.clientY));
    if (rank === undefined || (rank === from && !store.state.selected)) return;
    store.set({ selectedFrom: from });
    extendTo(store, rank);
  };
  window.addEventListener('pointermove', over, { signal: end.signal });
  window.addEventListener('pointerup', () => end.abort(), { signal: end.signal });
  window.addEventListener('pointercancel', () => end.abort(), { signal: end.signal });
}

let shown: Element | undefined;

/** Marks the word that is said now, apart from the page's own drawing, and keeps it in sight while the video plays. */
export function showWord({ store }: Pick<Page, 'store'>, timeSec: number): void {
  const transcript = transcriptOf(store.state);
  // The picture that is shown began up to a frame ago.
  const frameSec = 1 / (store.state.source?.facts.frameRateHz || 25);
  const rank = transcript ? wordAt(transcript, timeSec + frameSec) : -1;
  const isSaid = rank >= 0 && timeSec <= transcript!.words[rank]!.end + 0.3;
  const word = isSaid ? (document.querySelector(`[data-rank="${rank}"]`) ?? undefined) : undefined;
  if (word === shown && (!word || word.classList.contains('now'))) return;
  shown?.classList.remove('now');
  word?.classList.add('now');
  shown = word;
  const list = word?.closest<HTMLElement>('.said-list');
  if (!list || !store.state.playing) return;
  const [inner, outer] = [word!.getBoundingClientRect(), list.getBoundingClientRect()];
  // The list alone scrolls, never the page.
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    list.scrollTop += inner.top - outer.top - outer.height / 3;
}
