import { ReframeError } from '../../schema/error.js';
import { type TransformType, transformTypes } from '../../schema/job.js';
import { clipName, isDone, type Video } from '../jobs/state.js';
import type { Files } from '../storage/files.js';
import { readRange } from './byte-range.js';

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
  { files, till }: { readonly files: Files; readonly till?: Till },
): Promise<Response> {
  const suffix = new URL(request.url).searchParams.get('suffix');
  const transform = transformTypes.find(type => suffix === `_${type}`);
  if (!transform || !isDone(video, transform))
    throw new ReframeError('not_found', `There is no file ${suffix ?? 'without a suffix'} of this video.`);
  const name = clipName(video, transform);
  const file = await files.open(name);
  if (!file) throw new ReframeError('not_found', 'The clip is gone from the storage.');
  const range = readRange(request.headers.get('Range'), file.size);
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${file.size}` } });
  const headers = new Headers(headersOf(video, transform, range ? range.end - range.start : file.size));
  if (range) headers.set('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  await till?.open();
  const part = range ? file.slice(range.start, range.end) : file;
  return new Response(till ? payFirst(part, till) : part.stream(), { status, headers });
}

const headersOf = (video: Video, transform: TransformType, sizeBytes: number) => ({
  'Content-Type': 'video/mp4',
  'Content-Length': String(sizeBytes),
  'Content-Disposition': `attachment; filename="${clipName(video, transform)}"`,
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, no-store',
});

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
