import type { Reframer } from '../src/index.js';
import type { State } from './state.js';
import type { Store } from './store.js';

/** Lines of a thumbnail: alternatives are cut out of it. */
const heightPx = 180;
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
  return URL.createObjectURL(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.7 }));
}
