/**
 * Addresses of the model files that ship with the package, by id. Each is a literal, because bundlers find files in
 * that form only: they copy them beside the application, and nothing is fetched until a model is asked for.
 */
const files: Readonly<Record<string, () => URL>> = {
  'edge-speaker-visual': () => new URL('../../models/edge-speaker-visual.onnx', import.meta.url),
  'edge-speaker-audio': () => new URL('../../models/edge-speaker-audio.onnx', import.meta.url),
  'edge-speaker-backend': () => new URL('../../models/edge-speaker-backend.onnx', import.meta.url),
  'edge-face': () => new URL('../../models/edge-face.onnx', import.meta.url),
  'edge-cuts': () => new URL('../../models/edge-cuts.onnx', import.meta.url),
  'edge-voice': () => new URL('../../models/edge-voice.onnx', import.meta.url),
  'silero-vad': () => new URL('../../models/silero_vad_v6.onnx', import.meta.url),
};

/** Where the package has the file of a model; absent for models that do not ship. */
export const bundledUrl = (id: string): URL | undefined => files[id]?.();

/** The models that ship. */
export const bundledIds: readonly string[] = Object.keys(files);
