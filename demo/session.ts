import ffmpegWasmUrl from '@ffmpeg/core/wasm?url';
import ffmpegCoreUrl from '@ffmpeg/core?url';
import {
  type AnalysisParts,
  type AnalysisResult,
  createReframer,
  type ModelOptions,
  type Reframer,
} from '../src/index.js';
import { absolute, publishedModels } from './models.js';
import { newestOnly } from './newest.js';
import { requestOf } from './request-of.js';
import { keyOf, listWork, loadResult, loadWork, type SavedWork, saveResult, saveWork } from './saved.js';
import { firstEdit, type Source, type State } from './state.js';
import type { Store } from './store.js';
import { wantedParts, wantsIdentities } from './transcript.js';
import { failureWords } from './words.js';

/** Opens videos, has them analysed and plans the camera; everything it learns goes into the store. */
export type Session = {
  readonly reframer: Reframer;
  open(input: Blob | string, name: string): Promise<void>;
  reopen(key: string): Promise<void>;
  analyse(): Promise<void>;
  /** Has what is said written down, or no longer; what is analysed already is listened to again. */
  wantWords(wanted: boolean): void;
  /** Has people known again after cuts from now on; what was analysed without that is analysed again. */
  wantPeople(wanted: boolean): void;
  pause(): void;
  resume(): void;
  cancel(): void;
  /** Plans again what is known, as it is corrected now. */
  replan(): void;
  /** Other settings of the engine hold from the next analysis on. */
  restart(): void;
  close(): void;
};

/** @param ready - Videos are opened after this; by then the page will work offline. */
export function createSession(store: Store<State>, ready: Promise<void>): Session {
  let models: Pick<ModelOptions, 'base' | 'manifest'> = {};
  const start = () => {
    const { device, decoder, threads } = store.state.engine;
    return createReframer({
      device,
      decoder,
      threads,
      models,
      ffmpeg: { coreUrl: absolute(ffmpegCoreUrl), wasmUrl: absolute(ffmpegWasmUrl) },
    });
  };
  // Its workers start with the first call, so that it costs nothing to make another.
  let reframer = start();
  const prepared = ready.then(async () => {
    const published = await publishedModels();
    store.set({ wordsHere: published.hasWords, peopleHere: published.hasPeople });
    if (!published.models) return;
    models = published.models;
    reframer = start();
  });
  let running: AbortController | undefined;
  /** Counts videos that were chosen: of two that are being opened, the later one counts. */
  let chosen = 0;
  let paused: { promise: Promise<void>; resolve: () => void } | undefined;

  const fail = (reason: unknown) =>
    store.set({ failure: failureWords(reason), failureDetail: String(reason), opening: false });
  const analysing = () => ['running', 'paused'].includes(store.state.analysis.status);

  const probe = async (input: Blob | string, name: string, key: string): Promise<Omit<Source, 'playUrl'>> => {
    const { facts, choice } = await reframer.probe(input);
    return { name, key, input, facts, reader: choice };
  };

  const session: Session = {
    get reframer() {
      return reframer;
    },

    async open(input, name) {
      session.close();
      const mine = ++chosen;
      store.set({ opening: true, failure: undefined, news: `Opening ${name}.` });
      try {
        await prepared;
        const key = await keyOf(input);
        const before = await loadWork(key).catch(() => undefined);
        const result = await loadResult(key).catch(() => undefined);
        const source = await probe(input, name, key);
        if (mine !== chosen) return;
        const playUrl = typeof input === 'string' ? input : URL.createObjectURL(input);
        store.set({ ...opened({ ...source, playUrl }, before, result), opening: false });
        history.replaceState(null, '', `#${encodeURIComponent(key)}`);
        if (!result) return void session.analyse();
        session.replan();
        void addWords();
      } catch (reason) {
        if (mine === chosen) fail(reason);
      }
    },

    async reopen(key) {
      const work = await loadWork(key).catch(() => undefined);
      if (!work) return;
      if (work.input) await session.open(work.input, work.name);
      else
        store.set({
          failure: `This browser did not keep “${work.name}”, because it is large. Choose the file again: your corrections are still here.`,
        });
    },

    async analyse() {
      const { source } = store.state;
      if (!source || analysing()) return;
      const controller = (running = new AbortController());
      const startMs = performance.now();
      store.set({ analysis: { status: 'running' }, failure: undefined, news: 'The analysis begins.' });
      try {
        const result = await reframer.analyse(source.input, {
          want: wantedParts(store.state),
          identities: wantsIdentities(store.state),
          signal: controller.signal,
          onProgress: progress => {
            if (controller === running) patch({ progress });
          },
          async onPartial(known) {
            if (controller !== running) return;
            const { firstPictureSec = (performance.now() - startMs) / 1000 } = store.state.analysis;
            patch({ known, firstPictureSec });
            session.replan();
            await paused?.promise;
          },
        });
        if (controller !== running) return;
        patch({ status: 'done', known: result, diagnostics: result.diagnostics });
        store.set({ news: 'The analysis is done.' });
        session.replan();
        await keep(result);
        void addWords();
      } catch (reason) {
        if (controller !== running) return;
        if (controller.signal.aborted) {
          patch({ status: 'stopped' });
          store.set({ news: 'The analysis was stopped.' });
        } else {
          patch({ status: 'failed' });
          fail(reason);
        }
      }
    },

    wantWords(wanted) {
      localStorage.setItem('words', wanted ? 'on' : 'off');
      store.set({ wantsWords: wanted });
      void addWords();
    },

    wantPeople(wanted) {
      localStorage.setItem('people', wanted ? 'on' : 'off');
      store.set({ wantsPeople: wanted });
      const faces = store.state.analysis.known?.parts.face_tracking_yolov8?.tracks ?? [];
      if (wanted && faces.length && !faces.some(face => 'person_id' in face)) void session.analyse();
    },

    pause() {
      if (store.state.analysis.status !== 'running') return;
      let resolve = () => {};
      const promise = new Promise<void>(done => (resolve = done));
      paused = { promise, resolve };
      patch({ status: 'paused' });
    },

    resume() {
      paused?.resolve();
      paused = undefined;
      if (store.state.analysis.status === 'paused') patch({ status: 'running' });
    },

    cancel() {
      running?.abort();
      session.resume();
    },

    // While a plan of a long video is made, only the newest wish waits for its turn.
    replan: newestOnly(async () => {
      const { state } = store;
      const { known } = state.analysis;
      if (!known?.range.frameCount) return;
      const by = reframer;
      try {
        const plan = await by.planInWorker(known, requestOf(state.edit, state));
        if (store.state.source === state.source) store.set({ plan });
      } catch (reason) {
        // A reframer that was closed meanwhile leaves the plan to the next one.
        if (by !== reframer) session.replan();
        else if (store.state.source === state.source) fail(reason);
      }
    }),

    restart() {
      session.cancel();
      reframer.close();
      reframer = start();
    },

    close() {
      const { source, thumbnails } = store.state;
      const before = running;
      running = undefined;
      before?.abort();
      session.resume();
      if (source?.playUrl.startsWith('blob:')) URL.revokeObjectURL(source.playUrl);
      for (const url of thumbnails.values()) URL.revokeObjectURL(url);
      store.set({ source: undefined, plan: undefined, analysis: { status: 'none' }, thumbnails: new Map() });
      store.set({ selected: undefined, selectedFrom: undefined, writing: undefined });
      store.set({ exporting: undefined, edit: firstEdit, undo: [], redo: [], failure: undefined });
      history.replaceState(null, '', location.pathname + location.search);
    },
  };

  /** Listens to a video again that is analysed but for its words. */
  const addWords = async () => {
    const { source, analysis, wantsWords, wordsHere } = store.state;
    const { known, diagnostics } = analysis;
    if (!source || !known || !diagnostics || analysis.status !== 'done') return;
    if (!wantsWords || !wordsHere || known.parts.transcription) return;
    const controller = (running = new AbortController());
    patch({ status: 'running' });
    const withWords = ({ transcription, diarization }: AnalysisParts) => ({
      ...known,
      parts: { ...known.parts, ...(transcription && { transcription }), ...(diarization && { diarization }) },
    });
    try {
      const result = await reframer.analyse(source.input, {
        want: wantedParts(store.state),
        have: known.parts,
        signal: controller.signal,
        onProgress: progress => {
          if (controller === running) patch({ progress });
        },
        async onPartial({ parts }) {
          if (controller !== running) return;
          patch({ known: withWords(parts) });
          await paused?.promise;
        },
      });
      if (controller !== running) return;
      const { words } = result.diagnostics.stages;
      const stages = { ...diagnostics.stages, ...(words && { words }) };
      const listened = { ...result, ...withWords(result.parts), diagnostics: { ...diagnostics, stages } };
      patch({ status: 'done', known: listened, diagnostics: listened.diagnostics });
      store.set({ news: 'What is said is written down.' });
      await keep(listened);
    } catch (reason) {
      if (controller !== running) return;
      patch({ status: 'done', known });
      store.set({ wantsWords: false });
      if (!controller.signal.aborted) fail(reason);
    }
  };
  const patch = (change: Partial<State['analysis']>) =>
    store.set({ analysis: { ...store.state.analysis, ...change } });

  const keep = async (result?: AnalysisResult) => {
    const { source, edit } = store.state;
    if (!source) return;
    const { key, name, input } = source;
    const work: SavedWork = { key, name, savedAtMs: Date.now(), edit, input };
    await saveWork(work).catch(() => {});
    if (result) await saveResult(key, result).catch(() => {});
    store.set({ saved: await listWork().catch(() => []) });
  };
  store.listen((state, before) => {
    if (state.edit === before.edit && state.draft === before.draft) return;
    if (state.source !== before.source || !state.source) return;
    session.replan();
    if (state.edit !== before.edit) void keep();
  });
  return session;
}

/** The state of a video that was just opened, and of the work on it that this browser kept. */
function opened(
  source: Source,
  work: SavedWork | undefined,
  result: AnalysisResult | undefined,
): Partial<State> {
  return {
    source,
    edit: { ...firstEdit, ...work?.edit },
    scene: 0,
    playable: true,
    playing: false,
    waiting: false,
    analysis: result
      ? { status: 'done', known: result, diagnostics: result.diagnostics }
      : { status: 'none' },
    news: result ? 'Your work on this video is back.' : `${source.name} is open.`,
  };
}
