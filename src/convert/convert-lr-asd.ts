/**
 * Turns the LR-ASD checkpoint that its authors publish into models that this library runs. A module of its own
 * (`edge-reframe/convert`), so that a page which does not offer it does not load it.
 *
 * ```ts
 * import { convertLrAsd } from 'edge-reframe/convert';
 *
 * const { visual, audio, backend } = convertLrAsd(await file.arrayBuffer());
 * const files = { 'lr-asd-visual': visual, 'lr-asd-audio': audio, 'lr-asd-backend': backend };
 * const reframer = createReframer({ models: { speaker: 'lr-asd', files } });
 * ```
 *
 * @module
 */
import { openCheckpoint } from './checkpoint.js';
import { audioGraph, backendGraph, visualGraph } from './lr-asd-graphs.js';

/** How a checkpoint is converted. Default {@link defaultConvertOptions}. */
export type ConvertOptions = {
  /** Whether the encoders' weights are stored as float16: two thirds of the size, scores within some thousandths. */
  readonly half: boolean;
};

/** Keeps all weights as float32. */
export const defaultConvertOptions: ConvertOptions = { half: false };

/** The three ONNX files of a speaker model, with the inputs and outputs of the manifest's `lr-asd-…` entries. */
export type LrAsdFiles = {
  /** Encoder of face crops: `lr-asd-visual`. */
  readonly visual: Uint8Array<ArrayBuffer>;
  /** Encoder of sound: `lr-asd-audio`. */
  readonly audio: Uint8Array<ArrayBuffer>;
  /** Scores from both embeddings: `lr-asd-backend`. */
  readonly backend: Uint8Array<ArrayBuffer>;
};

const expected = 'a PyTorch zip checkpoint of LR-ASD (state dict, such as pretrain_AVA.model)';

/**
 * Converts a checkpoint of LR-ASD. Batch normalisation is folded into the convolutions, the two recurrent layers
 * become one that runs both ways; the result depends on the checkpoint's weights and the options only.
 *
 * @param checkpoint - The file as `torch.save(model.state_dict())` wrote it. Nothing in it is executed: tensors are
 * read, anything else is refused.
 * @throws ReframeError `model_corrupt` when the checkpoint is cut short, damaged or another file; the message
 * says what was expected.
 */
export function convertLrAsd(
  checkpoint: Uint8Array | ArrayBuffer,
  options: ConvertOptions = defaultConvertOptions,
): LrAsdFiles {
  const bytes = checkpoint instanceof Uint8Array ? checkpoint : new Uint8Array(checkpoint);
  const tensors = openCheckpoint(bytes, expected);
  return {
    visual: visualGraph(tensors, options.half),
    audio: audioGraph(tensors, options.half),
    backend: backendGraph(tensors),
  };
}
