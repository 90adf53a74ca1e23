/**
 * What every app does with the library: all of it on a clip, with models from a folder.
 *
 * @param {typeof import('edge-reframe').createReframer} createReframer
 * @param {import('edge-reframe').ReframerOptions} options
 */
export async function runJob(createReframer, options, { clipUrl, modelsUrl }) {
  const manifest = await (await fetch(`${modelsUrl}/manifest.json`)).json();
  const source = await (await fetch(clipUrl)).blob();
  const reframer = createReframer({ device: 'wasm', ...options, models: { base: modelsUrl, manifest } });
  try {
    const { result, clip } = await reframer.reframe(source, { plan: { outputHeight: 320 } });
    const { facts } = await reframer.probe(clip.file);
    return {
      parts: result.parts,
      threads: result.diagnostics.device.threads,
      clip: { ...facts.display, frames: facts.totalFrames, sizeBytes: clip.file.size },
      sound: clip.diagnostics.output.audio,
      isolated: crossOriginIsolated,
    };
  } finally {
    reframer.close();
  }
}

/** Shots as the reader of last resort gives them; shows that its nested worker is found. */
export async function countShotsByFfmpeg(createReframer, options, { clipUrl }) {
  const source = await (await fetch(clipUrl)).blob();
  const reframer = createReframer({ ...options, decoder: 'ffmpeg' });
  try {
    const { parts, diagnostics } = await reframer.analyse(source, { want: ['scene_detection'] });
    return { shots: parts.scene_detection.scene_count, backend: diagnostics.media.backend };
  } finally {
    reframer.close();
  }
}
