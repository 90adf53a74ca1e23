import type { VadFrames } from '../../schema/job.js';
import type { AnalysisParts } from '../../schema/result.js';

/** Turns tracks into what is seen on each frame: the answer of the speaker detection endpoint. */
export function toVadFrames(
  parts: AnalysisParts,
  range: { readonly firstFrame: number; readonly frameCount: number },
): VadFrames {
  const speakers = parts.active_speaker!;
  const frames: VadFrames['frames'] = Array.from({ length: range.frameCount }, (_, i) => {
    const frame_number = range.firstFrame + i;
    return { frame_number, timestamp: frame_number / speakers.video_fps, speaking: false, faces: [] };
  });
  const scores = new Map(
    speakers.tracks.map(({ face_id, scores }) => [
      face_id,
      new Map(scores.map(one => [one.frame_number, one])),
    ]),
  );
  for (const { face_id, boxes } of parts.face_tracking_yolov8!.tracks) {
    for (const { frame_number, timestamp, x, y, width, height } of boxes) {
      const frame = frames[frame_number - range.firstFrame];
      if (!frame) continue;
      const { score = 0, speaking = false } = scores.get(face_id)?.get(frame_number) ?? {};
      // The true time, where a face tells it: frames of variable rate do not lie on the average clock.
      frame.timestamp = timestamp;
      frame.faces.push({ face_id, x, y, width, height, score, speaking });
      frame.speaking ||= speaking;
    }
  }
  return { video_fps: speakers.video_fps, total_frames: speakers.total_frames, frames };
}
