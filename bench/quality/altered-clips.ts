import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnalysisParts } from '../../src/index.js';
import type { AnnotatedClip } from '../harness/clips.js';
import { iou } from '../harness/measure-geometry.js';

const run = (args: readonly string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);

/** The clip with its sound later by so many frames of 40 ms (earlier where negative); needs ffmpeg. */
export function withMovedSound(clip: AnnotatedClip, frames: number, folder: string): AnnotatedClip {
  const name = `${clip.name}_sound${frames < 0 ? '' : '+'}${frames}`;
  const file = join(folder, `${name}.mp4`);
  mkdirSync(folder, { recursive: true });
  const sec = Math.abs(frames) / 25;
  const filter = frames < 0 ? `atrim=start=${sec},asetpts=PTS-STARTPTS,apad` : `adelay=${sec * 1000}:all=1`;
  if (!existsSync(file))
    run(['-i', clip.file, '-c:v', 'copy', '-af', filter, '-c:a', 'aac', '-b:a', '128k', '-shortest', file]);
  return { ...clip, name, file };
}

/** The clip at so many lines; needs ffmpeg. Its truth still counts the original's pixels. */
export function atHeight(clip: AnnotatedClip, height: number, folder: string): AnnotatedClip {
  const name = `${clip.name}_${height}p`;
  const file = join(folder, `${name}.mp4`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file))
    run(['-i', clip.file, '-vf', `scale=-2:${height}:flags=area`, '-crf', '18', '-c:a', 'copy', file]);
  return { ...clip, name, file };
}

/** In how many frames two analyses of one video say of the same faces that they speak, whatever the sizes of the video. */
export function sameSpeakersRatio(a: AnalysisParts, b: AnalysisParts): number {
  const [one, other] = [speakersByFrame(a), speakersByFrame(b)];
  const frames = Math.max(...one.keys(), ...other.keys()) + 1;
  let same = 0;
  for (let frame = 0; frame < frames; frame++) {
    const [left, right] = [one.get(frame) ?? [], other.get(frame) ?? []];
    if (left.length === right.length && left.every(box => right.some(to => iou(box, to) > 0.3))) same++;
  }
  return same / frames;
}

/** Boxes of the faces that speak, in shares of the picture's width and height. */
function speakersByFrame(parts: AnalysisParts): Map<number, [number, number, number, number][]> {
  const { tracks, width, height } = parts.face_tracking_yolov8!;
  const boxes = new Map(
    tracks.flatMap(({ face_id, boxes: own }) =>
      own.map(box => [
        `${face_id} ${box.frame_number}`,
        [box.x / width, box.y / height, box.width / width, box.height / height] as [
          number,
          number,
          number,
          number,
        ],
      ]),
    ),
  );
  const found = new Map<number, [number, number, number, number][]>();
  for (const { face_id, scores } of parts.active_speaker!.tracks)
    for (const { frame_number, speaking } of scores) {
      const box = boxes.get(`${face_id} ${frame_number}`);
      if (speaking && box) found.set(frame_number, [...(found.get(frame_number) ?? []), box]);
    }
  return found;
}
