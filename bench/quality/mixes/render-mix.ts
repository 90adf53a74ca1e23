import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32, type Random } from '../../harness/random.js';
import type { Person } from './cast.js';
import { type Cue, cuesAt, type FootageSource, openFootage } from './footage.js';
import { frameRateHz, pictureHeight, pictureWidth } from './layout.js';
import type { Mix, Panel } from './mix.js';
import { driftAt, faceCentre } from './placing.js';
import { sampleRateHz, soundtrackOf } from './soundtrack.js';
import { truthOf } from './truth.js';

const lumaBytes = pictureWidth * pictureHeight;
const frameBytes = (lumaBytes * 3) / 2;
/** Camera noise in luma steps, half of its range. */
const noise = 2.5;

/** Where footage comes from, and where clips go. */
export type Studio = FootageSource & { readonly media: string; readonly folder: string };

/** Renders a mix with its truth and a contact sheet; the truth comes last, so that a clip without it was cut short. */
export function renderMix(mix: Mix, cast: readonly Person[], studio: Studio): void {
  const path = (ending: string) => join(studio.folder, `${mix.name}${ending}`);
  const sound = soundtrackOf(mix, studio, studio.media);
  const parts = [path('.yuv'), path('.f32'), path('.part.mp4')] as const;
  writeFileSync(parts[0], drawFrames(mix, cast, studio));
  writeFileSync(parts[1], sound);
  try {
    run([
      ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${pictureWidth}x${pictureHeight}`],
      ...['-r', String(frameRateHz), '-i', parts[0]],
      ...['-f', 'f32le', '-ar', String(sampleRateHz), '-ac', '1', '-i', parts[1]],
      // One thread: the same file on every machine.
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-threads', '1', '-b:v', `${mix.videoKbps}k`, '-g', '50'],
      ...['-c:a', 'aac', '-ar', '48000', '-b:a', `${mix.audioKbps}k`, '-bitexact', parts[2]],
    ]);
    renameSync(parts[2], path('.mp4'));
  } finally {
    for (const part of parts) rmSync(part, { force: true });
  }
  drawContactSheet(mix, path);
  writeFileSync(path('.json'), JSON.stringify(truthOf(mix)));
}

function drawFrames(mix: Mix, cast: readonly Person[], studio: Studio): Buffer {
  const out = Buffer.alloc(mix.frames * frameBytes, 128);
  const random = mulberry32(mix.seed + 2);
  const grain = Int8Array.from({ length: 1 << 16 }, () => Math.round(noise * (random() + random() - 1)));
  const painters = new Map<Panel, Painter>();
  for (const { from, to, panels } of mix.shots)
    for (let frame = from; frame < to; frame++) {
      const picture = out.subarray(frame * frameBytes, (frame + 1) * frameBytes);
      picture.fill(40, 0, lumaBytes);
      for (const panel of panels) {
        let paint = painters.get(panel);
        if (!paint) painters.set(panel, (paint = createPainter(panel, { mix, cast, studio, random })));
        paint(picture, frame);
      }
      const start = Math.floor(random() * grain.length);
      for (let i = 0; i < lumaBytes; i++)
        picture[i] = Math.max(16, Math.min(235, picture[i]! + grain[(start + i * 7) & 0xffff]!));
    }
  return out;
}

type Painter = (picture: Buffer, frame: number) => void;
type PainterOptions = {
  readonly mix: Mix;
  readonly cast: readonly Person[];
  readonly studio: Studio;
  readonly random: Random;
};

/** Paints a panel's person into a picture, a little elsewhere in each frame. */
function createPainter(panel: Panel, { mix, cast, studio, random }: PainterOptions): Painter {
  const { area, facePx, isPhoto } = panel;
  const person = cast.find(({ id }) => id === panel.person)!;
  const margin = 2 + Math.ceil(0.05 * facePx);
  const [width, height] = [area.width + 2 * margin, area.height + 2 * margin];
  const at = faceCentre(panel);
  const shape = { width, height, faceX: at.x + margin, faceY: at.y + margin, facePx };
  const between = (least: number, most: number) => least + (most - least) * random();
  const looks = { hair: between(28, 80), clothes: between(45, 170), wall: between(80, 175) };
  const tint = [between(118, 130), between(128, 141)] as const;
  const footage = openFootage(studio, person, { shape, looks });
  const photo = isPhoto ? photoOf(person) : undefined;
  return (picture, frame) => {
    const shown = footage(photo ?? cuesAt(person, mix.turns, frame));
    const [dx, dy] = driftAt(panel, mix.seed, frame);
    const [left, top] = [margin - dx, margin - dy];
    const [x0, y0] = [Math.floor(left), Math.floor(top)];
    const [rx, ry] = [left - x0, top - y0];
    for (let y = 0; y < area.height; y++) {
      const row = (y0 + y) * width + x0;
      const to = (area.y + y) * pictureWidth + area.x;
      for (let x = 0; x < area.width; x++) {
        const i = row + x;
        const upper = shown[i]! + (shown[i + 1]! - shown[i]!) * rx;
        const lower = shown[i + width]! + (shown[i + width + 1]! - shown[i + width]!) * rx;
        // Full range to the range of video.
        picture[to + x] = 16 + (upper + (lower - upper) * ry) * (219 / 255);
      }
    }
    for (const [plane, value] of tint.entries())
      for (let y = area.y / 2; y < (area.y + area.height) / 2; y++) {
        const row = lumaBytes + (plane * lumaBytes) / 4 + (y * pictureWidth) / 2;
        picture.fill(value, row + area.x / 2, row + (area.x + area.width) / 2);
      }
  };
}

/** The middle of somebody's speech: the mouth may be open. */
function photoOf({ talks }: Person): Cue[] {
  const { track, from, to } = talks[0]!;
  return [{ track, frame: (from + to) >> 1, share: 1 }];
}

/** Six moments; faces in white, those who are heard in green as long as they are. */
function drawContactSheet(mix: Mix, path: (ending: string) => string): void {
  const { shots, speech } = truthOf(mix);
  const boxes = shots.flatMap(({ start, end, faces }) =>
    faces.flatMap(({ id, box_median }) => {
      const [x, y, w, h] = box_median.map(Math.round);
      const box = (color: string, thickness: number, from: number, to: number) =>
        `drawbox=${x}:${y}:${w}:${h}:${color}:${thickness}:enable='between(t,${from},${to - 0.001})'`;
      const turns = speech.filter(turn => turn.id === id && turn.start < end && turn.end > start);
      return [
        box('white', 1, start, end),
        ...turns.map(turn => box('lime', 4, Math.max(start, turn.start), Math.min(end, turn.end))),
      ];
    }),
  );
  const every = Math.floor(mix.frames / 6);
  const filter = [...boxes, `select='eq(mod(n,${every}),${every >> 1})'`, 'scale=320:-2', 'tile=3x2'].join();
  run(['-i', path('.mp4'), '-vf', filter, '-frames:v', '1', path('.png')]);
}

const run = (args: readonly string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
