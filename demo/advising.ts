import { type Advisor, openAiAdvisor, promptApiAdvisor } from '../src/advisor/index.js';
import type { Reframer } from '../src/index.js';
import { changeEdit } from './edits.js';
import { requestOf } from './request-of.js';
import type { AdvisorSettings, State } from './state.js';
import type { Store } from './store.js';
import { transcriptOf } from './transcript.js';
import { failureWords } from './words.js';

/** Asks a language model about difficult scenes; what it answers is a part of the edit. */
export type Advising = { ask(): Promise<void>; cancel(): void };

/** Whether this browser has a language model of its own. */
export const hasOwnModel = (): boolean => 'LanguageModel' in globalThis;

/** @throws TypeError where the settings name no server, or no model. */
function advisorOf({ kind, baseUrl, model, apiKey, allowWords, allowPictures }: AdvisorSettings): Advisor {
  return kind === 'browser'
    ? promptApiAdvisor()
    : openAiAdvisor({ baseUrl, model, allowWords, allowPictures, ...(apiKey && { apiKey }) });
}

export function createAdvising(store: Store<State>, reframer: () => Reframer): Advising {
  let running: AbortController | undefined;
  // Answers name faces by the ids of one analysis: another one gives other ids.
  store.listen((state, before) => {
    if (!before.analysis.known || state.analysis.known === before.analysis.known) return;
    const isAnother =
      state.analysis.known?.parts.face_tracking_yolov8 !== before.analysis.known.parts.face_tracking_yolov8;
    if (isAnother) running?.abort();
    if (isAnother && state.source === before.source && state.edit.advice.length)
      store.set({ edit: { ...state.edit, advice: [] }, adviceNotes: [] });
  });
  return {
    async ask() {
      const { state } = store;
      const { known } = state.analysis;
      if (!known || !state.source || running) return;
      const controller = (running = new AbortController());
      store.set({ advising: true, adviceNotes: [], failure: undefined });
      try {
        const transcription = transcriptOf(state);
        const parts = { ...known.parts, ...(transcription && { transcription }) };
        // What it said before is not what it is asked about: those scenes would count as settled.
        const request = requestOf({ ...state.edit, advice: [] }, state);
        const { overrides, notes } = await reframer().advise(
          { ...known, parts },
          request,
          advisorOf(state.advisor),
          { source: state.source.input, signal: controller.signal },
        );
        if (store.state.source !== state.source) return;
        // Where nothing was answered there is nothing to undo.
        if (overrides.length || state.edit.advice.length) changeEdit(store, { advice: overrides }, notes[0]!);
        store.set({ adviceNotes: notes, news: notes[0]! });
      } catch (reason) {
        if (controller.signal.aborted) store.set({ news: 'The advisor is not asked any more.' });
        else
          store.set({
            failure:
              reason instanceof TypeError
                ? 'The advisor needs an address and the name of a model.'
                : failureWords(reason),
            failureDetail: String(reason),
          });
      } finally {
        running = undefined;
        store.set({ advising: false });
      }
    },
    cancel: () => running?.abort(),
  };
}
