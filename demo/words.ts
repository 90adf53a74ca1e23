import {
  type ErrorCode,
  isReframeError,
  type Layout,
  type PlanReason,
  type Progress,
  type Subject,
} from '../src/index.js';
import type { Aspect } from './state.js';

/** Why a view was chosen, as a person would say it. */
export const layoutWords: Readonly<Record<Layout, string>> = {
  single: 'One window',
  stack: 'Two halves',
  'grid-3': 'Three panels',
  'grid-4': 'Four panels',
  'screen-speaker': 'Screen above speaker',
  inset: 'Speaker over screen',
  group: 'The whole group',
  fit: 'Whole picture',
};

/** What a person is in the video. */
export const roleWords: Readonly<Record<Subject['role'], string>> = {
  guest: 'Guest',
  host: 'Host',
  ignore: 'Never show',
};

export const reasonWords: Readonly<Record<PlanReason, string>> = {
  speaker: 'Follows the person who speaks.',
  listener: 'Stays on a listener: the others speak too briefly to go there.',
  off_screen_speaker: 'A voice is heard, but nobody in the picture says it.',
  reaction: 'Shows the person who listens.',
  group: 'Shows everybody at once.',
  opening: 'Shows all of a new group before its speakers.',
  exchange: 'Shows both: their turns are too short to cut between.',
  crosstalk: 'Shows both: they speak at once.',
  unsure: 'Shows several: it is not clear who speaks.',
  screen: 'Keeps the screen in view beside the speaker.',
  motion: 'There is no face here, so it goes along with what moves.',
  subject: 'Nobody speaks, so it shows the most prominent face.',
  no_subject: 'There is no face here.',
  too_wide: 'No narrow window can hold what matters, so it shows the whole picture.',
  override: 'As you corrected it.',
  center: 'The middle of the picture, as you asked for.',
};

export const stageWords: Readonly<Record<Progress['stage'], string>> = {
  models: 'Loading the models',
  probe: 'Opening the video',
  analyse: 'Finding out who speaks',
  plan: 'Planning the camera',
  render: 'Drawing the clip',
  audio: 'Adding the sound',
};

/** Names of the engine's stages for the bar chart. */
export const workWords: Readonly<Record<string, string>> = {
  decode: 'Decoding',
  sample: 'Scaling pictures',
  shots: 'Comparing pictures',
  'scene cuts': 'Checking cuts',
  faces: 'Finding faces',
  tracks: 'Following faces',
  sound: 'Decoding sound',
  speech: 'Listening for speech',
  speaker: 'Matching lips and voice',
  identities: 'Telling people apart',
  words: 'Writing down words',
  voices: 'Comparing voices',
  decide: 'Deciding who speaks',
  partial: 'Previewing',
  save: 'Keeping the state',
  draw: 'Drawing',
  encode: 'Encoding',
  audio: 'Sound',
};

/** Where a model was taken from. */
export const originWords: Readonly<Record<string, string>> = {
  bundled: 'from this site',
  caller: 'from this site’s own folder',
  cache: 'kept from before',
  download: 'downloaded',
};

const adviceByCode: Partial<Readonly<Record<ErrorCode, string>>> = {
  source_unreachable: 'Or download the video and choose the file.',
  source_forbidden: 'Download the video yourself and choose the file.',
  source_unsupported: 'Convert it to MP4 with H.264, for example, and choose that.',
  source_encrypted: 'It cannot be unlocked here.',
  source_changed: 'Choose the file again.',
  decode_failed: 'Play it elsewhere to see whether it is whole; converting it again often helps.',
  no_video: 'Choose a file with a picture.',
  model_corrupt: 'Reload the page; if that does not help, its model files are damaged.',
  out_of_memory: 'Close other tabs, or try a shorter or smaller video.',
  quota_exceeded: 'Free some space, or save to a file instead.',
  encode_unsupported: 'Try a smaller size, or another browser.',
  worker_lost: 'Try again; if it happens twice, choose WASM under “Engine”.',
  device_lost: 'Try again with WASM under “Engine”.',
};

/** Where the library speaks to who built the page, who uses it is told this instead. */
const ownWordsByCode: Partial<Readonly<Record<ErrorCode, string>>> = {
  model_unavailable:
    'The models could not be loaded. Check the network and analyse again; if that does not help, whoever runs this page has to put the model files beside it.',
};

/** What went wrong, and what to do next. */
export function failureWords(reason: unknown): string {
  if (isReframeError(reason)) {
    const own = ownWordsByCode[reason.code];
    if (own) return own;
    const advice =
      adviceByCode[reason.code] ?? 'Try again, and copy the report under “Engine” if it happens twice.';
    return `${reason.message} ${advice}`;
  }
  return `Something went wrong that should not have: ${String(reason)} Copy the report under “Engine” for whoever runs this page.`;
}

/** `1:05.2`, or `1:05` without tenths. */
export function clockWords(timeSec: number, tenths = false): string {
  const minutes = Math.floor(timeSec / 60);
  const seconds = timeSec - 60 * minutes;
  return `${minutes}:${tenths ? seconds.toFixed(1).padStart(4, '0') : Math.floor(seconds).toString().padStart(2, '0')}`;
}

/** `about 40 s`, `about 3 min`. */
export const durationWords = (sec: number): string =>
  sec < 90 ? `about ${Math.max(1, Math.round(sec))} s` : `about ${Math.round(sec / 60)} min`;

/** When the picture changes against the voice: `with the voice`, `0.1 s before the voice`. */
export function cutWords(offsetSec: number): string {
  if (!offsetSec) return 'with the voice';
  return `${Math.abs(offsetSec).toFixed(2)} s ${offsetSec < 0 ? 'before' : 'after'} the voice`;
}

export const sizeWords = (bytes: number): string =>
  bytes < 1e6
    ? `${Math.max(1, Math.round(bytes / 1e3))} kB`
    : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

export const percentWords = (ratio: number): string => `${Math.floor(ratio * 100)} %`;

export const aspectWords: Readonly<Record<Aspect, string>> = {
  '9:16': 'Portrait',
  '4:5': 'Feed',
  '1:1': 'Square',
  '16:9': 'Landscape',
};
