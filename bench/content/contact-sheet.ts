import { execFileSync } from 'node:child_process';
import type { Content } from '../../src/schema/content.js';
import type { PixelBox } from '../../src/schema/geometry.js';
import type { AnalysisParts } from '../../src/schema/result.js';

const colours = {
  picture: 'lime',
  text: 'yellow',
  screen: 'cyan',
  motion: 'magenta',
  turned: 'red',
  face: 'white',
};
const most = 12;

/** Draws frames of a clip with all boxes that were found in them, for whoever wants to look: green picture, yellow text, cyan screens, magenta motion, red turned heads, white faces. */
export function drawSheet(
  file: string,
  { content, have }: { readonly content: Content; readonly have: AnalysisParts },
  to: string,
): void {
  const frames = framesOf(content);
  const drawn = frames.flatMap(frame => {
    const shot = content.shots.find(
      ({ start_frame, end_frame }) => frame >= start_frame && frame < end_frame,
    )!;
    const line = (box: PixelBox, colour: string) =>
      `drawbox=x=${Math.round(box.x)}:y=${Math.round(box.y)}:w=${Math.max(4, Math.round(box.width))}:h=${Math.max(4, Math.round(box.height))}:color=${colour}@0.9:t=2:enable='eq(n,${frame})'`;
    const near = <Box extends { frame_number: number }>(boxes: readonly Box[]) =>
      boxes.filter(({ frame_number }) => Math.abs(frame_number - frame) <= content.video_fps / 8).slice(0, 1);
    return [
      line(shot.picture, colours.picture),
      ...shot.rectangles
        .filter(({ start_frame, end_frame }) => frame >= start_frame && frame < end_frame)
        .map(box => line(box, colours[box.kind])),
      ...near(shot.motion).map(box => line(box, `${colours.motion}`)),
      ...shot.turned.flatMap(({ boxes }) => near(boxes).map(box => line(box, colours.turned))),
      ...(have.face_tracking_yolov8?.tracks ?? []).flatMap(({ boxes }) =>
        boxes.filter(({ frame_number }) => frame_number === frame).map(box => line(box, colours.face)),
      ),
    ];
  });
  const wanted = frames.map(frame => `eq(n,${frame})`).join('+');
  const columns = Math.min(4, frames.length);
  const tile = `tile=${columns}x${Math.ceil(frames.length / columns)}`;
  const filters = [...drawn, `select='${wanted}'`, 'scale=480:-2', tile].join();
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-y', '-i', file, '-vf', filters, '-fps_mode', 'passthrough', '-frames:v', '1', to],
  ]);
}

/** Frames in the middle of shots, and further ones evenly over the clip where there are few shots. */
function framesOf({ shots, total_frames: total }: Content): number[] {
  const middles = shots.map(({ start_frame, end_frame }) => (start_frame + end_frame) >> 1);
  const even = Array.from({ length: Math.max(0, 8 - middles.length) }, (_, i) =>
    Math.floor(((i + 0.5) * total) / 8),
  );
  const step = Math.max(1, Math.ceil(middles.length / most));
  return [...new Set([...middles.filter((_, i) => i % step === 0), ...even])].sort((a, b) => a - b);
}
