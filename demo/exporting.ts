import { type Diagnostics, isReframeError, type Reframer, type TimeRange } from '../src/index.js';
import { sidesOf } from './aspect.js';
import { burnedCaptionsOf } from './captions.js';
import { keptOf } from './pieces.js';
import { requestOf } from './request-of.js';
import type { Aspect, ExportedClip, ExportSettings, Source, State } from './state.js';
import type { Store } from './store.js';
import { captionTrackOf } from './transcript.js';
import { failureWords } from './words.js';

/** Bits per pixel and frame of H.264 that look small, good and best on talking heads; chosen by eye. */
const bitsPerPixel: Readonly<Record<ExportSettings['quality'], number>> = {
  small: 0.05,
  good: 0.09,
  best: 0.16,
};
const audioBitrate = 128_000;
/** Pixels a second that were drawn and encoded by the last export. */
let measuredSpeed: number | undefined;
/** Pixels a second of two cores without a GPU, where nothing at all is known. */
const usualSpeed = 30e6;

export type Estimate = { readonly sizeBytes: number; readonly seconds: number };

/** Output pixels of an aspect; both sides even. */
export function outputOf(aspect: Aspect, shortSide: number): { width: number; height: number } {
  const { width: across, height: down } = sidesOf(aspect);
  const even = (value: number) => 2 * Math.round(value / 2);
  return across < down
    ? { width: even(shortSide), height: even((shortSide * down) / across) }
    : { width: even((shortSide * across) / down), height: even(shortSide) };
}

/** Settings with the shapes that they come to, and the pieces of the source where that is not all of it. */
export type ExportOrder = ExportSettings & {
  readonly aspects: readonly Aspect[];
  readonly keep?: readonly TimeRange[] | undefined;
};

export const orderOf = (state: State): ExportOrder => ({
  ...state.exportSettings,
  aspects: state.exportSettings.aspects ?? [state.edit.aspect],
  keep: keptOf(state),
});

const bitrateOf = (aspect: Aspect, { shortSide, quality }: ExportSettings, frameRateHz: number): number => {
  const { width, height } = outputOf(aspect, shortSide);
  return Math.round(width * height * frameRateHz * bitsPerPixel[quality]);
};

/**
 * Before the first export the analysis tells how fast this machine is: drawing and encoding a pixel takes about as long
 * as scaling one for the networks did (measured ratios 0.9–1.0 on two cores, idle and busy).
 */
function speedOf({ facts }: Source, diagnostics: Diagnostics | undefined): number {
  const seconds = diagnostics?.stages.sample?.seconds;
  const { width, height } = facts.display;
  return measuredSpeed ?? (seconds ? (width * height * facts.totalFrames) / seconds : usualSpeed);
}

/** How large the clips will be and how long they will take, together. */
export function estimateExport(source: Source, settings: ExportOrder, diagnostics?: Diagnostics): Estimate {
  const { frameRateHz, audio } = source.facts;
  const durationSec =
    settings.keep?.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0) ??
    source.facts.durationSec;
  const speed = speedOf(source, diagnostics);
  return settings.aspects.reduce(
    (sum, aspect) => {
      const { width, height } = outputOf(aspect, settings.shortSide);
      const bits = bitrateOf(aspect, settings, frameRateHz) + (audio ? audioBitrate : 0);
      return {
        sizeBytes: sum.sizeBytes + (bits * durationSec) / 8,
        seconds: sum.seconds + (width * height * frameRateHz * durationSec) / speed,
      };
    },
    { sizeBytes: 0, seconds: 0 },
  );
}

/** What is known of the stretch that is exported: of all, or from the first piece to the last. */
function exportedPart(state: State, { keep }: ExportOrder): NonNullable<State['analysis']['known']> {
  const known = state.analysis.known!;
  if (!keep?.length) return known;
  const rateHz = state.source!.facts.frameRateHz;
  const first = Math.max(known.range.firstFrame, Math.floor(keep[0]!.startSec * rateHz));
  const end = Math.min(
    known.range.firstFrame + known.range.frameCount,
    Math.ceil(keep.at(-1)!.endSec * rateHz),
  );
  return { ...known, range: { firstFrame: first, frameCount: Math.max(1, end - first) } };
}

export type Exporter = { run(): Promise<void>; cancel(): void };

/** Draws and encodes the ticked aspects one after another; all come from the one analysis. */
export function createExporter(store: Store<State>, reframer: () => Reframer): Exporter {
  let running: AbortController | undefined;
  return {
    async run() {
      const { source, analysis } = store.state;
      const settings = orderOf(store.state);
      if (!source || !analysis.known || running) return;
      const controller = (running = new AbortController());
      const clips: ExportedClip[] = [];
      const known = exportedPart(store.state, settings);
      const track = settings.captions ? captionTrackOf(store.state, settings.keep) : undefined;
      const stem = source.name.replace(/\.[^.]*$/, '') || 'clip';
      let lock: WakeLockSentinel | undefined;
      for (const old of store.state.exporting?.clips ?? []) if (old.url) URL.revokeObjectURL(old.url);
      try {
        const nameOf = (aspect: Aspect) => `${stem} ${aspect.replace(':', 'x')}.mp4`;
        // Asked for at once: browsers show the dialogue only right after a click.
        const streams =
          settings.target === 'file' ? await askForFiles(settings.aspects.map(nameOf)) : undefined;
        // A screen that goes dark would put the work to sleep; without the lock it goes on as long as the tab does.
        lock = await navigator.wakeLock?.request('screen').catch(() => undefined);
        for (const [i, aspect] of settings.aspects.entries()) {
          const at = { at: i + 1, of: settings.aspects.length };
          store.set({ exporting: { status: 'running', ...at, clips }, failure: undefined });
          const size = outputOf(aspect, settings.shortSide);
          const request = requestOf(store.state.edit, store.state, aspect);
          const plan = await reframer().planInWorker(
            known,
            { ...request, outputHeight: size.height },
            { signal: controller.signal },
          );
          const burned = burnedCaptionsOf(store.state, size, settings.keep);
          const target = streams && (await streams[i]!.createWritable());
          const startMs = performance.now();
          const clip = await reframer().render(source.input, plan, {
            signal: controller.signal,
            ...(settings.keep && { keep: settings.keep }),
            ...(track && { captionTrack: track }),
            ...(burned && { burnCaptions: burned }),
            videoBitrate: bitrateOf(aspect, settings, source.facts.frameRateHz),
            onProgress: progress =>
              store.set({ exporting: { status: 'running', progress, ...at, clips: [...clips] } }),
            // What a correction leaves as it was is not encoded again.
            ...(target ? { target } : { target: 'storage', fileName: nameOf(aspect), resumable: 'keep' }),
          });
          const seconds = (performance.now() - startMs) / 1000;
          measuredSpeed = (size.width * size.height * clip.diagnostics.output!.frames) / seconds;
          clips.push({
            aspect,
            fileName: nameOf(aspect),
            seconds,
            diagnostics: clip.diagnostics,
            ...(clip.file && { url: URL.createObjectURL(clip.file) }),
          });
        }
        const done = { at: clips.length, of: clips.length, clips };
        store.set({ exporting: { status: 'done', ...done }, news: 'The export is done.' });
      } catch (reason) {
        const given = controller.signal.aborted || (reason as Error).name === 'AbortError';
        store.set({
          exporting: clips.length ? { status: 'done', at: clips.length, of: clips.length, clips } : undefined,
          ...(given && !isReframeError(reason)
            ? { news: 'The export was stopped.' }
            : { failure: failureWords(reason), failureDetail: String(reason) }),
        });
      } finally {
        running = undefined;
        await lock?.release().catch(() => {});
      }
    },
    cancel: () => running?.abort(),
  };
}

type WritableFile = { createWritable(): Promise<WritableStream> };
type Pickers = {
  showSaveFilePicker(options: object): Promise<WritableFile>;
  showDirectoryPicker(options: object): Promise<{
    getFileHandle(name: string, options: { create: boolean }): Promise<WritableFile>;
  }>;
};

/** One file is asked for by its name, several by their folder. Not every browser has these dialogues. */
async function askForFiles(names: readonly string[]): Promise<WritableFile[]> {
  const pickers = window as unknown as Pickers;
  if (names.length === 1)
    return [
      await pickers.showSaveFilePicker({
        suggestedName: names[0],
        types: [{ description: 'Video', accept: { 'video/mp4': ['.mp4'] } }],
      }),
    ];
  const folder = await pickers.showDirectoryPicker({ mode: 'readwrite' });
  return Promise.all(names.map(name => folder.getFileHandle(name, { create: true })));
}

/** Offers JSON for saving. */
export const saveJson = (value: unknown, fileName: string): void =>
  saveText(JSON.stringify(value), fileName, 'application/json');

/** Offers a text for saving. */
export function saveText(text: string, fileName: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: fileName });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
