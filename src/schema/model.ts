import * as v from 'valibot';

/** What a model does; which model does it by default is the pipeline's choice. */
export const modelTaskSchema = v.picklist([
  'face-detection',
  'active-speaker-visual',
  'active-speaker-audio',
  'active-speaker-backend',
  'speech-probability',
  'scene-cuts',
  'voice-embedding',
  'face-embedding',
  'transcription-encoder',
  'transcription-decoder',
  'transcription-tokens',
]);
export type ModelTask = v.InferOutput<typeof modelTaskSchema>;

/** Files that set-up makes when asked, by what `npm run models -- --add` calls them. */
export const modelSets = ['words', 'identities'] as const;
export type ModelSet = (typeof modelSets)[number];

/** A named tensor; sizes that depend on the input are words, such as `frames` or `height/8`. */
export const tensorSpecSchema = v.strictObject({
  name: v.string(),
  type: v.picklist(['float32', 'int64', 'bool']),
  shape: v.array(v.union([v.pipe(v.number(), v.integer(), v.minValue(1)), v.string()])),
});
export type TensorSpec = v.InferOutput<typeof tensorSpecSchema>;

const httpsUrl = v.pipe(v.string(), v.url(), v.startsWith('https://'));

/** One model file: what it is, where it comes from, and how to know that it is the right one. */
export const modelEntrySchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)),
  task: modelTaskSchema,
  version: v.string(),
  /** Name of the file in a model folder. */
  file: v.pipe(v.string(), v.regex(/^[\w.-]+$/)),
  /** Public address pinned to a revision; only for files that lie there unchanged. */
  url: v.exactOptional(httpsUrl),
  /** Whether the file ships with the package. */
  bundled: v.exactOptional(v.boolean()),
  /** For a file that set-up makes when asked. */
  set: v.exactOptional(v.picklist(modelSets)),
  /** Size of the file. */
  bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** SHA-256 of the file, lower-case hexadecimal. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** SPDX name, or names where the weights and the code they were trained with differ. */
  licence: v.string(),
  /** Where the weights were published, and what was done to them since. */
  source: v.string(),
  /** None for a file that is no network, such as a list of tokens. */
  inputs: v.array(tensorSpecSchema),
  outputs: v.array(tensorSpecSchema),
});
export type ModelEntry = v.InferOutput<typeof modelEntrySchema>;

/** Every model that the library can load; ids and file names are unique. */
export const modelManifestSchema = v.pipe(
  v.strictObject({ models: v.array(modelEntrySchema) }),
  v.check(({ models }) => new Set(models.map(m => m.id)).size === models.length, 'model ids must be unique'),
  v.check(
    ({ models }) => new Set(models.map(m => m.file)).size === models.length,
    'model files must be unique',
  ),
);
/** The list of models: their files with sizes and hashes, inputs, outputs and licences. */
export type ModelManifest = v.InferOutput<typeof modelManifestSchema>;

/**
 * Reads a manifest.
 *
 * @throws TypeError naming the first field that is wrong.
 */
export function parseModelManifest(json: unknown): ModelManifest {
  const result = v.safeParse(modelManifestSchema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new TypeError(`Not a model manifest: ${v.getDotPath(issue) ?? 'manifest'}: ${issue.message}`);
}
