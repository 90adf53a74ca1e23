import { ReframeError } from '../../schema/error.js';
import {
  type DownloadName,
  downloadNames,
  type TransformType,
  transcriptFormats,
  transformTypes,
} from '../../schema/job.js';
import { clipName, isDone, type Video } from '../jobs/state.js';
import { loadParts } from '../jobs/steps.js';
import type { Store } from '../storage/store.js';
import { readRange } from './byte-range.js';
import { transcriptFile } from './transcript-file.js';

/** What happens to credits while a file goes out. */
export type Till = {
  /** Called before the first byte; throws when there are too few credits. */
  open(): Promise<void>;
  /** Called when the first byte is on its way. */
  pay(): Promise<void>;
  /** Called when nothing was sent after all. */
  cancel(): Promise<void>;
};

/** Answers a download from storage: whole, in part, or its headers alone. */
export async function answerDownload(
  request: Request,
  video: Video,
  { store, till }: { readonly store: Store; readonly till?: Till },
): Promise<Response> {
  const suffix = new URL(request.url).searchParams.get('suffix');
  const name = downloadNames.find(one => suffix === `_${one}`);
  const file = name && (await fileOf(store, video, name));
  if (!file)
    throw new ReframeError('not_found', `There is no file ${suffix ?? 'without a suffix'} of this video.`);
  const range = readRange(request.headers.get('Range'), file.size);
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${file.size}` } });
  const part = range ? file.slice(range.start, range.end) : file;
  const headers = new Headers({
    'Content-Type': name.startsWith('transcription') ? file.type : 'video/mp4',
    'Content-Length': String(part.size),
    'Content-Disposition': `attachment; filename="${fileName(video, name)}"`,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-store',
  });
  if (range) headers.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  await till?.open();
  return new Response(till ? payFirst(part, till) : part.stream(), { status, headers });
}

const fileName = (video: Video, name: DownloadName) =>
  isClip(name) ? clipName(video, name) : `${video.id}_${name}`;

const isClip = (name: DownloadName): name is TransformType => transformTypes.some(type => type === name);

/** @throws ReframeError `not_found` for a clip that was there. */
async function fileOf(store: Store, video: Video, name: DownloadName): Promise<Blob | undefined> {
  if (!isClip(name)) {
    const format = transcriptFormats.find(one => name.endsWith(one))!;
    return transcriptFile(await loadParts(store, video), format, video);
  }
  if (!isDone(video, name)) return undefined;
  const file = await store.files.open(clipName(video, name));
  if (!file) throw new ReframeError('not_found', 'The clip is gone from the storage.');
  return file;
}

/** A file's bytes, the first of which are sent once they are paid for. */
function payFirst(file: Blob, till: Till): ReadableStream<Uint8Array> {
  const reader = file.stream().getReader();
  let paid = false;
  return new ReadableStream(
    {
      async pull(out) {
        try {
          const { done, value } = await reader.read();
          if (done) return out.close();
          if (!paid) await till.pay();
          paid = true;
          out.enqueue(value);
        } catch (error) {
          if (!paid) await till.cancel();
          throw error;
        }
      },
      async cancel(reason) {
        await reader.cancel(reason);
        if (!paid) await till.cancel();
      },
    },
    // Nothing is read, and so nothing paid, before somebody reads.
    { highWaterMark: 0 },
  );
}
