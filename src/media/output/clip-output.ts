import { Mp4OutputFormat, Output } from 'mediabunny';
import { type AudioReport, addSound, type ClipSound } from './audio-output.js';
import { addCaptions, type CaptionText } from './caption-track.js';
import { type OutputTarget, openTarget } from './output-target.js';
import { createPace } from './pace.js';
import { toWriteError } from './write-error.js';

/** What an MP4 file is made of beside its picture. */
export type ClipOptions = {
  readonly target: OutputTarget;
  /** The sound that goes along; where its first stretch begins is the output's 0 s. Absent: a silent file. */
  readonly sound?: ClipSound;
  /** Text that goes along. Absent: no such track. */
  readonly captions?: CaptionText;
  readonly signal?: AbortSignal;
};

/** The picture's half of a clip: an encoder, or packets that exist already. */
export interface PictureTrack {
  finish(): Promise<void>;
  /** Gives up what `finish` would have. */
  close(): void;
}

/** An MP4 file that is being written: the picture by whoever opened it, the sound beside it in a loop of its own. */
export interface ClipOutput<Track extends PictureTrack> {
  readonly track: Track;
  /** Does a piece of work on the picture, which then reaches to `untilSec`; the sound may follow. */
  write(untilSec: number, work: () => Promise<void>): Promise<void>;
  /** Completes the file; only then does it have its name. */
  finish(): Promise<ClipReport>;
  /** Stops and removes what was written. Safe after a failure and more than once. */
  cancel(): Promise<void>;
}

/** What was written. */
export type ClipReport = {
  readonly audio: AudioReport;
  readonly sizeBytes: number;
  /** For the target `blob`. */
  readonly blob?: Blob;
  /** For the target `file`: the finished file. */
  readonly file?: FileSystemFileHandle;
};

/** Seconds that the sound may be ahead of the picture while writing: the muxer holds them in memory. */
const audioLeadSec = 2;

/**
 * Starts an MP4 file.
 *
 * @param addPicture - Adds the track of the picture. Its signal also tells of `cancel`.
 * @throws ReframeError `quota_exceeded`, and what `addPicture` throws.
 */
export async function openClip<Track extends PictureTrack>(
  { target, sound: soundRange, captions, signal }: ClipOptions,
  addPicture: (output: Output, signal: AbortSignal) => Promise<Track>,
): Promise<ClipOutput<Track>> {
  signal?.throwIfAborted();
  const opened = await openTarget(target);
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: target.kind === 'blob' ? 'in-memory' : false }),
    target: opened.target,
  });
  const pace = createPace(audioLeadSec);
  const stop = new AbortController();
  const stopSignal = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let failure: { readonly error: unknown } | undefined;
  const check = () => {
    signal?.throwIfAborted();
    if (failure) throw failure.error;
  };
  const cancel = async () => {
    stop.abort(new DOMException('The encoder was cancelled.', 'AbortError'));
    // A sound loop that waits for the picture must see the abort.
    pace.advance(Number.POSITIVE_INFINITY);
    await writing;
    picture?.close();
    if (output.state !== 'finalized') await output.cancel().catch(() => undefined);
    await opened.discard();
  };

  let picture: Track | undefined;
  let sound: Awaited<ReturnType<typeof addSound>>;
  let writing: Promise<void> = Promise.resolve();
  try {
    picture = await addPicture(output, stopSignal);
    sound = soundRange && (await addSound(output, soundRange, pace));
    const writeCaptions = captions && addCaptions(output, captions);
    await output.start();
    await writeCaptions?.();
  } catch (error) {
    await cancel();
    throw toWriteError(error);
  }
  const track = picture;
  // The error is kept for the next call: a loop that nobody awaits must not reject.
  writing = (sound?.write(stopSignal) ?? Promise.resolve()).catch(error => {
    failure ??= { error };
  });

  return {
    track,
    async write(untilSec, work) {
      try {
        check();
        await work();
        pace.advance(untilSec);
      } catch (error) {
        throw toWriteError(error);
      }
    },
    async finish() {
      try {
        check();
        await track.finish();
        pace.advance(Number.POSITIVE_INFINITY);
        await writing;
        check();
        await output.finalize();
        return { ...(await opened.commit()), audio: sound?.report ?? { way: 'none' } };
      } catch (error) {
        await cancel();
        throw toWriteError(error);
      }
    },
    cancel,
  };
}
