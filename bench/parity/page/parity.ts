import { openSession } from '../../../src/inference/session.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import type { Size } from '../../../src/schema/geometry.js';
import {
  compareDetectors,
  compareSpeaker,
  letterboxed,
  minIouOf,
  type ReadModel,
  sure,
  withGpu,
} from './compare-devices.js';
import { type FileParity, type Reference, scoreFile } from './score-file.js';

/** Boxes of a still in the reference: left, top, right, bottom. */
export type StillReference = readonly { readonly box: readonly [number, number, number, number] }[];

/** A still on WASM against the reference, which looked at it at 640×640. */
export type StillParity = { readonly found: number; readonly matched: number; readonly minIou: number };

declare global {
  var scoreChosen: (
    request: {
      readonly name: string;
      readonly decoder: 'webcodecs' | 'ffmpeg';
      readonly reference: Reference;
    },
    modelsUrl: string,
  ) => Promise<FileParity>;
  var stillParity: (name: string, faces: StillReference, modelsUrl: string) => Promise<StillParity>;
  var stillOnBoth: (
    name: string,
    input: Size,
    modelsUrl: string,
  ) => Promise<{ readonly wasm: number; readonly webgpu: number; readonly minIou: number }>;
  var speakerOnBoth: (
    frames: number,
    modelsUrl: string,
  ) => Promise<{ readonly embeddings: number; readonly logits: number }>;
  var ready: boolean;
}

const chosen = (name: string): File =>
  [...document.querySelector<HTMLInputElement>('#file')!.files!].find(file => file.name === name)!;
const reader =
  (modelsUrl: string): ReadModel =>
  async name =>
    new Uint8Array(await (await fetch(`${modelsUrl}/${name}.onnx`)).arrayBuffer());

globalThis.scoreChosen = ({ name, decoder, reference }, modelsUrl) =>
  scoreFile(chosen(name), reference, { decoder, modelsUrl, read: reader(modelsUrl) });

globalThis.stillParity = async (name, faces, modelsUrl) => {
  const file = 'yolov8n-face-dist.w8';
  const bytes = await reader(modelsUrl)(file);
  const detector = createYolov8Face(await openSession(bytes, file, { device: 'wasm', threads: 1 }), file);
  const { sample, display } = await letterboxed(chosen(name), { width: 640, height: 640 });
  const found = sure(await detector.detect(sample, display));
  await detector.close();
  const boxes = faces.map(({ box: [x, y, right, bottom] }) => ({
    x,
    y,
    width: right - x,
    height: bottom - y,
  }));
  const overlaps = boxes.map(box => minIouOf([box], found));
  const matched = overlaps.filter(value => value >= 0.5);
  return { found: found.length, matched: matched.length, minIou: Math.min(1, ...matched) };
};

globalThis.stillOnBoth = async (name, input, modelsUrl) => {
  const [found] = await withGpu(gpu => compareDetectors(reader(modelsUrl), gpu, [chosen(name)], input));
  const { wasm, webgpu, minIou } = found!;
  return { wasm: sure(wasm).length, webgpu: sure(webgpu).length, minIou };
};

globalThis.speakerOnBoth = (frames, modelsUrl) =>
  withGpu(gpu => compareSpeaker(reader(modelsUrl), gpu, frames));
globalThis.ready = true;
