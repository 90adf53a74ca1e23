import type { SpeakerEvidence } from '../../src/index.js';

/** How arrays of numbers are written: their kind, and their bytes in base64. */
type Packed = { readonly array: keyof typeof kinds; readonly bytes: string };

const kinds = { Float32Array, Int8Array } as const;

/** Evidence as text that {@link readEvidence} reads: numbers keep every bit. */
export const writeEvidence = (evidence: SpeakerEvidence): string =>
  JSON.stringify(evidence, (_key, value) => {
    if (!(value instanceof Float32Array) && !(value instanceof Int8Array)) return value;
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    let text = '';
    for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
    return {
      array: value instanceof Int8Array ? 'Int8Array' : 'Float32Array',
      bytes: btoa(text),
    } satisfies Packed;
  });

export const readEvidence = (text: string): SpeakerEvidence =>
  JSON.parse(text, (_key, value: Packed) => {
    if (typeof value?.bytes !== 'string' || !(value.array in kinds)) return value;
    const bytes = Uint8Array.from(atob(value.bytes), letter => letter.charCodeAt(0));
    return new kinds[value.array](bytes.buffer);
  }) as SpeakerEvidence;
