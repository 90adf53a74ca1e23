import * as v from 'valibot';

const size = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65536));
const tensorSchema = v.object({
  name: v.string(),
  shape: v.array(size),
  dtype: v.literal('float32'),
  quantization: v.exactOptional(
    v.object({
      dtype: v.literal('uint8'),
      scale: v.pipe(v.number(), v.finite()),
      min: v.pipe(v.number(), v.finite()),
    }),
  ),
});
const manifestSchema = v.array(v.object({ weights: v.array(tensorSchema) }));

/** A tensor as TensorFlow.js lists it: float32, or bytes of which `byte * scale + min` is the value. */
export type TfjsTensor = v.InferOutput<typeof tensorSchema>;

/** The tensors that a manifest of weights for TensorFlow.js lists, in their order; undefined for any other text. */
export function parseTfjsManifest(text: string): TfjsTensor[] | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), manifestSchema), text);
  return parsed.success ? parsed.output.flatMap(({ weights }) => weights) : undefined;
}
