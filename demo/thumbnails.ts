import type { Reframer } from '../src/index.js';
import type { State } from './state.js';
import type { Store } from './store.js';

/** Lines of a thumbnail: alternatives are cut out of it. */
const heightPx = 180;
/** How far into a scene its picture is taken from the playing video, seconds. */
const settledSec = 0.3;
/** Scenes asked for at a time, so that the first ones are seen soon. */
const batch = 4;

/** Fills in the scenes' pictures once the analysis is done: before, every moment of the decoder is its own. */
export function keepThumbnails(store: Store<State>, reframer: () => Reframer): void {
  let busy = false;
  const fill = async () => {
    const { source, analysis, thumbnails } = store.state;
    const scenes = analysis.known?.parts.scene_detection?.scenes ?? [];
    const missing = scenes.filter(scene => !thumbnails.has(scene.start_frame)).slice(0, batch);
    if (!source || analysis.status !== 'done' || !missing.length || busy) return;
    busy = true;
    try {
      const timesSec = missing.map(scene => (scene.start_time + scene.end_time) / 2);
      const pictures = await reframer().snapshots(source.input, { timesSec, heightPx });
      const urls = await Promise.all(pictures.map(toUrl));
      if (store.state.source !== source) return;
      const next = new Map(store.state.thumbnails);
      for (const [i, scene] of missing.entries()) next.set(scene.start_frame, urls[i] ?? '');
      busy = false;
      store.set({ thumbnails: next });
    } catch {
      // Scenes without a picture are still scenes; the next open tries again.
    } finally {
      busy = false;
    }
  };
  store.listen((state, before) => {
    const changed =
      state.thumbnails !== before.thumbnails || state.analysis.status !== before.analysis.status;
    if (changed) void fill();
  });
}

async function toUrl(picture: ImageBitmap): Promise<string> {
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('2d')!.drawImage(picture, 0, 0);
  picture.close();
  return save(canvas);
}

const save = async (canvas: OffscreenCanvas): Promise<string> =>
  URL.createObjectURL(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.7 }));

/**
 * Takes the picture of the scene that is playing, where it has none yet: while the analysis runs, the decoder has no
 * moment for pictures, and the video shows them anyway.
 */
export async function takeFromVideo(
  store: Store<State>,
  video: HTMLVideoElement,
  timeSec: number,
): Promise<void> {
  const { source, analysis, thumbnails, scene } = store.state;
  const shown = analysis.known?.parts.scene_detection?.scenes[scene];
  if (!source || !shown || analysis.status !== 'running' || thumbnails.has(shown.start_frame)) return;
  // The first frames of a scene may still be the end of a dissolve; the last scene's end is not known yet.
  if (timeSec < shown.start_time + settledSec || timeSec > shown.end_time || !video.videoWidth) return;
  // Taken now and filled in later: the next frame must not take it again.
  store.set({ thumbnails: new Map(thumbnails).set(shown.start_frame, '') });
  const canvas = new OffscreenCanvas(Math.round((heightPx * video.videoWidth) / video.videoHeight), heightPx);
  canvas.getContext('2d')!.drawImage(video, 0, 0, canvas.width, canvas.height);
  const url = await save(canvas);
  if (store.state.source !== source) URL.revokeObjectURL(url);
  else store.set({ thumbnails: new Map(store.state.thumbnails).set(shown.start_frame, url) });
}
