// What the examples are asked for: /examples/NAME/?video=URL&models=URL, after `npm run build`, with the repository's
// root served. A models folder that describes its files itself has a manifest.json, named with &manifest=URL.
const asked = new URLSearchParams(location.search);
const address = name => asked.get(name) && new URL(asked.get(name), location.href).href;

export const video = address('video');
export const service = address('service');

/** The `models` option of `createReframer`; empty without a folder, for the models that ship. */
export async function models() {
  const base = address('models');
  const manifest = address('manifest') && (await (await fetch(address('manifest'))).json());
  return { ...(base && { base }), ...(manifest && { manifest }) };
}

/** Shows a finished clip. */
export function show(blob) {
  document.querySelector('video').src = URL.createObjectURL(blob);
  say('done');
}

export function say(text) {
  document.querySelector('output').value = text;
}
