import ffmpegWasmUrl from '@ffmpeg/core/wasm?url';
import ffmpegCoreUrl from '@ffmpeg/core?url';
import { createReframer, isReframeError, type Progress } from '../src/index.js';

declare const __MODELS_URL__: string;

const element = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const file = element<HTMLInputElement>('file');
const work = element('work');
const bar = element<HTMLProgressElement>('bar');
const status = element('status');
const cancel = element<HTMLButtonElement>('cancel');
const error = element('error');
const result = element('result');
const clip = element<HTMLVideoElement>('clip');
const facts = element('facts');

const absolute = (url: string) => new URL(url, location.href).href;
const reframer = createReframer({
  models: { base: absolute(__MODELS_URL__) },
  ffmpeg: { coreUrl: absolute(ffmpegCoreUrl), wasmUrl: absolute(ffmpegWasmUrl) },
});

const doing: Record<Progress['stage'], string> = {
  models: 'Loading the models',
  probe: 'Opening the video',
  analyse: 'Finding out who speaks',
  plan: 'Planning the camera',
  render: 'Drawing the clip',
  audio: 'Adding the sound',
};

let running: AbortController | undefined;

file.addEventListener('change', () => void start(file.files?.[0]));
cancel.addEventListener('click', () => running?.abort());

async function start(source: File | undefined): Promise<void> {
  if (!source) return;
  running?.abort();
  const controller = (running = new AbortController());
  show({ working: true });
  try {
    const { result: analysis, clip: made } = await reframer.reframe(source, {
      signal: controller.signal,
      onProgress: showProgress,
    });
    if (controller !== running) return;
    offer(clip, 'src', made.file!);
    offer(element<HTMLAnchorElement>('download'), 'href', made.file!);
    offer(
      element<HTMLAnchorElement>('json'),
      'href',
      new Blob([JSON.stringify(analysis.parts)], { type: 'application/json' }),
    );
    const { diagnostics } = analysis;
    const seconds = diagnostics.seconds + made.diagnostics.seconds;
    const notes = [...diagnostics.fallbacks, ...made.diagnostics.fallbacks];
    facts.textContent = [
      `${diagnostics.mediaSec.toFixed(1)} s of video in ${seconds.toFixed(1)} s.`,
      ...notes,
    ].join(' ');
    show({ done: true });
  } catch (reason) {
    if (controller !== running) return;
    show(controller.signal.aborted ? {} : { failure: sentenceOf(reason) });
  }
}

function showProgress({ stage, doneRatio, etaSec }: Progress): void {
  bar.value = doneRatio;
  const left = etaSec === undefined ? '' : `, about ${Math.ceil(etaSec)} s left`;
  status.textContent = `${doing[stage]} (${Math.floor(doneRatio * 100)} %${left})`;
}

function show(state: { working?: boolean; done?: boolean; failure?: string }): void {
  work.hidden = !state.working;
  result.hidden = !state.done;
  error.hidden = !state.failure;
  error.textContent = state.failure ?? '';
  if (state.working) showProgress({ stage: 'probe', doneRatio: 0, processedSec: 0 });
}

function offer(target: HTMLElement, attribute: 'src' | 'href', blob: Blob): void {
  const before = target.getAttribute(attribute);
  if (before?.startsWith('blob:')) URL.revokeObjectURL(before);
  target.setAttribute(attribute, URL.createObjectURL(blob));
}

function sentenceOf(reason: unknown): string {
  if (isReframeError(reason)) return reason.message;
  return `Something went wrong that should not have: ${String(reason)}`;
}
