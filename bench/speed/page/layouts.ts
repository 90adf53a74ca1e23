import { createReframer, discardChunks, type Reframer } from '../../../src/index.js';
import { cuttingPlan, layoutSegments, planOfSegment } from './layout-plans.js';

/** Seconds of one layout: what drawing took, and the whole render. */
export type LayoutTimes = {
  readonly name: string;
  readonly drawSec: number;
  readonly renderSec: number;
  readonly frames: number;
};

/** A render, and the next one after one segment was corrected. */
export type CorrectionTimes = {
  readonly what: string;
  readonly seconds: number;
  readonly reused: number;
  readonly encoded: number;
};

export type LayoutsRequest = {
  readonly endSec: number;
  readonly rounds: number;
  readonly device: 'wasm' | 'webgpu';
  readonly outputHeight: number;
};

declare global {
  var timeLayouts: (request: LayoutsRequest) => Promise<{ times: readonly LayoutTimes[]; sheet: string }>;
  var timeCorrection: (outputHeight: number) => Promise<readonly CorrectionTimes[]>;
}

const sourceFile = () => document.querySelector<HTMLInputElement>('#file')!.files![0]!;
const even = (value: number) => 2 * Math.round(value / 2);
const outputOf = (height: number) => ({ width: even((height * 9) / 16), height });

async function shapeOf(reframer: Reframer, outputHeight: number, endSec = Number.POSITIVE_INFINITY) {
  const { display, frameRateHz, totalFrames } = (await reframer.probe(sourceFile())).facts;
  const frames = Math.min(totalFrames, Math.round(endSec * frameRateHz));
  return { source: display, output: outputOf(outputHeight), frames, rateHz: frameRateHz };
}

/** Each layout in turn, round after round, so that a busy minute of the machine hits all of them. */
globalThis.timeLayouts = async ({ endSec, rounds, device, outputHeight }) => {
  const reframer = createReframer({ device });
  const shape = await shapeOf(reframer, outputHeight, endSec);
  const plans = Object.entries(layoutSegments(shape.source, shape.output)).map(
    ([name, segment]) => [name, planOfSegment(segment, shape)] as const,
  );
  const times: LayoutTimes[] = [];
  const pictures: [string, ImageBitmap][] = [];
  await reframer.render(sourceFile(), plans[0]![1], { target: 'memory' });
  for (let round = 0; round < rounds; round++)
    for (const [name, plan] of plans) {
      const { file, diagnostics } = await reframer.render(sourceFile(), plan, { target: 'memory' });
      const { seconds, count } = diagnostics.stages.draw!;
      times.push({ name, drawSec: seconds, renderSec: diagnostics.seconds, frames: count });
      if (round) continue;
      const [picture] = await reframer.snapshots(file!, {
        timesSec: [shape.frames / shape.rateHz / 2],
        heightPx: 480,
      });
      pictures.push([name, picture!]);
    }
  reframer.close();
  return { times, sheet: await sheetOf(pictures) };
};

/** A whole clip in chunks, and again with one segment of four seconds moved. */
globalThis.timeCorrection = async outputHeight => {
  const reframer = createReframer({ device: 'wasm' });
  const shape = await shapeOf(reframer, outputHeight);
  const middle = Math.floor(shape.frames / shape.rateHz / 4 / 2);
  const options = { fileName: 'correction.mp4', resumable: 'keep' } as const;
  const rows: CorrectionTimes[] = [];
  for (const [what, corrected] of [
    ['first render'],
    ['one view corrected', middle],
    ['nothing corrected', middle],
  ] as const) {
    const plan = cuttingPlan(shape, { everySec: 4, ...(corrected !== undefined && { corrected }) });
    const { diagnostics } = await reframer.render(sourceFile(), plan, options);
    rows.push({ what, seconds: diagnostics.seconds, ...diagnostics.chunks! });
  }
  reframer.close();
  await discardChunks('correction.mp4');
  return rows;
};

/** The pictures side by side with their names, as a PNG in base64. */
async function sheetOf(pictures: readonly (readonly [string, ImageBitmap])[]): Promise<string> {
  const columns = 8;
  const [, first] = pictures[0]!;
  const [wide, high] = [first.width + 8, first.height + 24];
  const canvas = new OffscreenCanvas(wide * columns, high * Math.ceil(pictures.length / columns));
  const context = canvas.getContext('2d')!;
  context.fillStyle = '#15181d';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = '14px sans-serif';
  for (const [i, [name, picture]] of pictures.entries()) {
    const [x, y] = [(i % columns) * wide + 4, Math.floor(i / columns) * high];
    context.fillStyle = '#cfd6e0';
    context.fillText(name, x, y + 16);
    context.drawImage(picture, x, y + 22);
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}
