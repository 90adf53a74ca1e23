import { type OddRow, readOddFile } from '../../../test/browser/media-odd.js';
import { ffmpegSingle } from '../../harness/page/ffmpeg-files.js';

export type OddRequest = {
  readonly decoder: 'webcodecs' | 'ffmpeg';
  /** How much of the file is played; absent: all of it. */
  readonly endSec?: number;
  /** After so long the reader counts as hanging. */
  readonly timeoutSec: number;
};

declare global {
  /** Plays the chosen file. @returns What came of it, or an error that has no code, which is a fault of the reader. */
  var playChosen: (request: OddRequest) => Promise<OddRow | { readonly fault: string }>;
  var ready: boolean;
}

globalThis.playChosen = async ({ decoder, endSec, timeoutSec }) => {
  const file = document.querySelector<HTMLInputElement>('#file')!.files![0]!;
  const range = endSec === undefined ? {} : { endSec };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<{ fault: string }>(resolve => {
    timer = setTimeout(() => resolve({ fault: `no end after ${timeoutSec} s` }), timeoutSec * 1000);
  });
  try {
    return await Promise.race([readOddFile(file, decoder, { ffmpeg: ffmpegSingle, range }), late]);
  } catch (error) {
    return { fault: String(error) };
  } finally {
    clearTimeout(timer);
  }
};
globalThis.ready = true;
