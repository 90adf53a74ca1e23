import type { ModelOptions } from '../src/index.js';

/** Where whoever publishes the page may put further models. */
const modelsUrl = './models/';

/** An address of this page's, whole: a worker would read it from its own script. */
export const absolute = (url: string): string => new URL(url, location.href).href;

/** What lies beside the page. */
export type PublishedModels = {
  /** Absent where nothing does: then those that ship do the work. */
  readonly models?: Pick<ModelOptions, 'base' | 'manifest'>;
  readonly hasWords: boolean;
  readonly hasPeople: boolean;
};

export async function publishedModels(): Promise<PublishedModels> {
  const manifest = await publishedManifest();
  const [hasWords, hasPeople] = await Promise.all([
    isBeside('moonshine-tiny-encoder', manifest),
    isBeside('dlib-face-recognition', manifest),
  ]);
  const has = { hasWords, hasPeople };
  if (!manifest && !hasWords && !hasPeople) return has;
  return { ...has, models: { base: absolute(modelsUrl), ...(manifest && { manifest }) } };
}

/** Whether the file of a model lies beside the page. */
async function isBeside(id: string, manifest: ModelOptions['manifest']): Promise<boolean> {
  const file = manifest?.models.find(model => model.id === id)?.file ?? `${id}.onnx`;
  const answer = await fetch(`${absolute(modelsUrl)}${file}`, { method: 'HEAD' }).catch(() => undefined);
  // Servers for development answer unknown paths with the page itself.
  return answer?.ok === true && !answer.headers.get('content-type')?.includes('text/html');
}

/** Whoever publishes the page may put models beside it, with a `manifest.json` that describes them; else those that ship do the work. */
async function publishedManifest(): Promise<ModelOptions['manifest']> {
  const answer = await fetch(`${absolute(modelsUrl)}manifest.json`).catch(() => undefined);
  const manifest: ModelOptions['manifest'] = answer?.ok
    ? await answer.json().catch(() => undefined)
    : undefined;
  return manifest?.models.length ? manifest : undefined;
}
