import { FFFSType, FFmpeg } from '@ffmpeg/ffmpeg';
import { foreignScriptUrl } from '../../rpc/foreign-worker.js';
import { ReframeError } from '../../schema/error.js';
import type { FfmpegUrls } from './ffmpeg-urls.js';

/** One ffmpeg.wasm in a worker of its own, for one task; whoever opened the session terminates it. */
export interface FfmpegSession {
  /** Path of the mounted file. */
  readonly inputPath: string;
  /** Runs ffmpeg; `log` holds its lines. A non-zero code is an answer, not an exception. */
  exec(args: readonly string[]): Promise<{ readonly code: number; readonly log: readonly string[] }>;
  /** Runs ffprobe and returns what it wrote; empty if it could not read the input. */
  probe(args: readonly string[]): Promise<string>;
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Takes the bytes over: `data` is empty afterwards. */
  write(path: string, data: Uint8Array<ArrayBuffer>): Promise<void>;
  remove(path: string): Promise<void>;
  /** Names of the files in a folder. `/frames` exists from the start. */
  list(path: string): Promise<string[]>;
  /** Between tasks: starts a fresh worker when the present one is worn. Files other than the input are lost. */
  renew(): Promise<void>;
  /** Stops at once, whatever runs; calls that wait are rejected. */
  terminate(): void;
}

/** Tuned numbers of {@link openFfmpegSession}. */
export const defaultFfmpegSessionOptions = {
  /** A wrong worker address never answers at all; 32 MB over a 3 Mbit/s line take 85 s. */
  loadTimeoutSec: 120,
  /** Silence after which the multi-threaded core counts as deadlocked; it logs every frame. */
  silenceTimeoutSec: 60,
  /** The core leaks a little with every run and crashed after some hundred; a fresh one costs half a second. */
  runsPerWorker: 24,
} as const;

/** Threads for the multi-threaded core: with its own choice x264 throws. */
const threads = 2;

export type FfmpegSessionOptions = {
  /** Mounted for lazy reading, whatever its size. */
  readonly file?: Blob;
  readonly signal?: AbortSignal;
  readonly loadTimeoutSec?: number;
};

/**
 * Loads the core and mounts the file. The signal terminates the worker at any time: rejecting the promise alone would
 * leave ffmpeg running to its end.
 *
 * @throws ReframeError `source_unsupported` if the core cannot be loaded from the given addresses.
 */
export async function openFfmpegSession(
  urls: FfmpegUrls,
  { file, signal, loadTimeoutSec = defaultFfmpegSessionOptions.loadTimeoutSec }: FfmpegSessionOptions,
): Promise<FfmpegSession> {
  let log: string[] = [];
  let heard = () => {};
  let runs = 0;
  const start = async (): Promise<FFmpeg> => {
    signal?.throwIfAborted();
    const instance = new FFmpeg();
    instance.on('log', ({ message }) => {
      log.push(message);
      heard();
    });
    const abort = () => instance.terminate();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await load(instance, urls, loadTimeoutSec);
      await instance.createDir('/frames');
      if (file) {
        await instance.createDir('/in');
        await instance.mount(FFFSType.WORKERFS, { blobs: [{ name: 'source', data: file }] }, '/in');
      }
      runs = 0;
      return instance;
    } catch (error) {
      instance.terminate();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
  let ffmpeg = await start();
  const abort = () => ffmpeg.terminate();
  signal?.addEventListener('abort', abort, { once: true });
  const terminate = () => {
    signal?.removeEventListener('abort', abort);
    ffmpeg.terminate();
  };

  /** Passes the signal's reason on, and gives the multi-threaded core a watchdog. */
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let deadlocked = false;
    heard = () => {
      clearTimeout(timer);
      if (!urls.workerUrl) return;
      timer = setTimeout(() => {
        deadlocked = true;
        ffmpeg.terminate();
      }, defaultFfmpegSessionOptions.silenceTimeoutSec * 1000);
    };
    heard();
    try {
      return await run();
    } catch (error) {
      signal?.throwIfAborted();
      if (deadlocked)
        throw new ReframeError(
          'decode_failed',
          'The multi-threaded ffmpeg core hangs. Use the single-threaded one.',
        );
      throw error;
    } finally {
      clearTimeout(timer);
      heard = () => {};
    }
  };

  return {
    inputPath: '/in/source',
    exec: args =>
      guarded(async () => {
        log = [];
        runs++;
        const limit = urls.workerUrl ? ['-threads', String(threads)] : [];
        const code = await ffmpeg.exec(['-hide_banner', '-nostats', ...limit, ...args]);
        return { code, log };
      }),
    probe: args =>
      guarded(async () => {
        // ffprobe returns -1 even on success: the file is the answer.
        await ffmpeg.ffprobe(['-v', 'error', ...args, '-o', '/probe']);
        const text = await ffmpeg.readFile('/probe', 'utf8').catch(() => '');
        await ffmpeg.deleteFile('/probe').catch(() => undefined);
        return text as string;
      }),
    read: path => guarded(async () => (await ffmpeg.readFile(path)) as Uint8Array<ArrayBuffer>),
    write: (path, data) => guarded(async () => void (await ffmpeg.writeFile(path, data))),
    list: path =>
      guarded(async () => (await ffmpeg.listDir(path)).filter(node => !node.isDir).map(node => node.name)),
    remove: path => guarded(async () => void (await ffmpeg.deleteFile(path))),
    async renew() {
      if (runs < defaultFfmpegSessionOptions.runsPerWorker) return;
      ffmpeg.terminate();
      ffmpeg = await start();
    },
    terminate,
  };
}

async function load(ffmpeg: FFmpeg, urls: FfmpegUrls, timeoutSec: number): Promise<void> {
  const absolute = (url: string) => new URL(url, globalThis.location?.href).href;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutSec} s`)), timeoutSec * 1000);
  });
  const asked = urls.classWorkerUrl && absolute(urls.classWorkerUrl);
  // The package looks beside itself, where bundlers and the standalone build put its worker; on a page of
  // another origin the package may not start that worker.
  const classWorkerURL = asked
    ? (foreignScriptUrl(asked, asked) ?? asked)
    : foreignScriptUrl('./worker.js', import.meta.url);
  // Threads are classic workers of one self-contained file: a Blob of it starts whatever the host's headers are.
  const threadUrl = urls.workerUrl && (await toBlobUrl(absolute(urls.workerUrl)));
  const loading = ffmpeg.load({
    coreURL: absolute(urls.coreUrl),
    wasmURL: absolute(urls.wasmUrl),
    ...(classWorkerURL && { classWorkerURL }),
    ...(threadUrl && { workerURL: threadUrl }),
  });
  try {
    await Promise.race([loading, late]);
  } catch (error) {
    throw new ReframeError(
      'source_unsupported',
      `ffmpeg.wasm did not load from ${urls.coreUrl} (${error instanceof Error ? error.message : String(error)}). Check the option ffmpeg.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
    // The race may be lost before the loser speaks.
    loading.catch(() => undefined);
    if (threadUrl) URL.revokeObjectURL(threadUrl);
  }
}

async function toBlobUrl(url: string): Promise<string> {
  const response = await fetch(url).catch(() => undefined);
  if (!response?.ok)
    throw new ReframeError('source_unsupported', `The worker of the ffmpeg core is not at ${url}.`);
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'text/javascript' }));
}
