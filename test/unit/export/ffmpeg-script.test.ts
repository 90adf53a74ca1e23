import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createPainter } from '../../../src/compositing/cpu.js';
import { cropAtFrame } from '../../../src/core/plan/crop-at.js';
import { backgroundOf } from '../../../src/core/plan/fill-source.js';
import { toFfmpegScript } from '../../../src/export/index.js';
import type { Planes } from '../../../src/pixels/planes.js';
import { planesOf } from '../../../src/pixels/planes.js';
import type { Plan } from '../../../src/schema/plan.js';
import { draw } from '../../fixtures/pictures.js';
import { fills, planOf } from './exported-plan.js';

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'edge-reframe-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Soft shapes with finer ones on top, another picture in each frame. */
const pictureOf = (frame: number) => (x: number, y: number) => {
  const fine = 10 * Math.sin(x / 2.1 + frame) * Math.cos(y / 2.7);
  return [
    118 + 60 * Math.sin(x / 19 + y / 43 + frame / 5) + fine,
    116 + 50 * Math.cos(x / 27 - y / 21) + fine,
    120 + 50 * Math.sin(x / 61 + y / 17 + frame / 9) + fine,
  ];
};

/** Two pictures by turns: drawing one for each of 160 frames takes longer than all the rest. */
function sourceOf({ width, height }: Plan): Planes[] {
  return [0, 1].map(frame => planesOf(draw('I420', { width, height }, { at: pictureOf(frame) })));
}

/** The pictures as an uncompressed file that holds any times: NUT with raw planes. */
function writeSource(plan: Plan, pictures: readonly Planes[], name: string): string {
  const packed = pictures.map(({ planes }) =>
    Buffer.concat(
      planes.map(({ data, offset, x, y }) => {
        const rows = Array.from(
          { length: y.length },
          (_, row) => data.subarray(offset + row * y.step, offset + row * y.step + x.length) as Uint8Array,
        );
        return Buffer.concat(rows);
      }),
    ),
  );
  const path = join(folder, name);
  const frames = Array.from({ length: plan.total_frames }, (_, i) => packed[i % packed.length]!);
  const input = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    '-s',
    `${plan.width}x${plan.height}`,
    '-r',
    String(plan.video_fps),
    '-i',
    '-',
  ];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...input, '-c', 'copy', path], {
    input: Buffer.concat(frames),
  });
  return path;
}

/** Runs the script and gives the planes of each frame that it drew. */
function drawnBy(plan: Plan, input: string): Buffer[] {
  const script = join(folder, 'clip.sh');
  const output = join(folder, 'drawn.yuv');
  writeFileSync(script, toFfmpegScript(plan));
  execFileSync('sh', [script, input, output, '-v', 'error', '-y', '-f', 'rawvideo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // An ffmpeg that waits for ever says nothing else.
    timeout: 60_000,
  });
  const bytes = readFileSync(output);
  const sizeBytes = (plan.output_width * plan.output_height * 3) / 2;
  return Array.from({ length: bytes.length / sizeBytes }, (_, i) =>
    bytes.subarray(i * sizeBytes, (i + 1) * sizeBytes),
  );
}

describe.skipIf(!hasFfmpeg)('native ffmpeg draws what a clip shows, within 2 grey levels', () => {
  test.each([
    ['a whole source', planOf()],
    ['a part of a source', planOf({ firstFrame: 30 })],
    ['fills', planOf({}, fills)],
  ])('%s', (_, plan) => {
    const pictures = sourceOf(plan);
    const drawn = drawnBy(plan, writeSource(plan, pictures, `source.nut`));
    expect(drawn.length).toBe(plan.frame_count);
    const paint = createPainter({ width: plan.output_width, height: plan.output_height });
    const differences = drawn.map((bytes, i) => {
      const frame = plan.first_frame + i;
      const view = cropAtFrame(plan, frame);
      const { data } = paint(pictures[frame % 2]!, { ...view, background: backgroundOf(view) });
      const sum = data.reduce((total, value, at) => total + Math.abs(value - bytes[at]!), 0);
      return { layout: view.layout, frame, mean: sum / data.length };
    });
    if (process.env.FIGURES)
      console.info(differences.map(d => `${d.frame} ${d.layout} ${d.mean.toFixed(2)}`).join('\n'));
    expect(differences.filter(({ mean }) => !(mean < 2))).toEqual([]);
  });
});
