import { frameRateHz, pictureHeight, pictureWidth } from './layout.js';
import type { Mix, Panel } from './mix.js';
import { driftAt, faceCentre } from './placing.js';
import { faceAspect } from './portrait.js';
import { endOf } from './turns.js';

/** Changes with whatever changes the clips. */
export const generatorVersion = 1;
/** Frames between two boxes of a drifting face. */
const trackEvery = 5;

/** What is true about a mix: the JSON that `readGroundTruth` reads as that of a composite, and what the mix is. */
export function truthOf(mix: Mix) {
  const { name, kind, half, seed, frames, shots, soundLagFrames, bed, videoKbps, audioKbps } = mix;
  return {
    file: `${name}.mp4`,
    generator: generatorVersion,
    kind,
    half,
    seed,
    fps: frameRateHz,
    width: pictureWidth,
    height: pictureHeight,
    duration: frames / frameRateHz,
    cuts: shots.slice(1).map(({ from }) => ({ t: from / frameRateHz, frame: from })),
    ...speechOf(mix),
    shots: shots.map(({ from, to, panels }) => ({
      start: from / frameRateHz,
      end: to / frameRateHz,
      faces: panels.map(panel => faceOf(panel, mix.seed, [from, to])),
    })),
    sound_lag_frames: soundLagFrames,
    ...(bed && { bed }),
    video_kbps: videoKbps,
    audio_kbps: audioKbps,
  };
}

/**
 * Turns as they are heard and seen: where a sound was moved, a turn lasts from the first of voice and mouth to the
 * last of both, and what only one of them does is a pause, which is not judged. A cut ends a turn and begins it anew.
 */
function speechOf({ turns, shots, soundLagFrames, frames }: Mix) {
  const speech: { id: string; start: number; end: number; visible: boolean }[] = [];
  const pauses: [number, number][] = [];
  const sec = (frame: number) => Math.min(frames, Math.max(0, frame)) / frameRateHz;
  for (const turn of turns) {
    if (!turn.heard) continue;
    const lag = soundLagFrames[turn.person] ?? 0;
    const [first, last] = [turn.from + Math.min(0, lag), endOf(turn) + Math.max(0, lag)];
    for (const { from, to, panels } of shots) {
      const [start, end] = [Math.max(first, from), Math.min(last, to)];
      if (start >= end) continue;
      const visible = panels.some(({ person, isPhoto }) => person === turn.person && !isPhoto);
      speech.push({ id: turn.person, start: sec(start), end: sec(end), visible });
    }
    if (lag) pauses.push([sec(first), sec(first + Math.abs(lag))], [sec(last - Math.abs(lag)), sec(last)]);
  }
  return { speech, pauses };
}

function faceOf(panel: Panel, seed: number, [from, to]: readonly [number, number]) {
  const { area, facePx, person, isPhoto } = panel;
  const [width, height] = [faceAspect * facePx, facePx];
  const box = (frame: number) => {
    const [dx, dy] = driftAt(panel, seed, frame);
    const at = faceCentre(panel);
    return [area.x + at.x + dx - width / 2, area.y + at.y + dy - height / 2, width, height].map(
      value => Math.round(value * 10) / 10,
    );
  };
  const track: number[][] = [];
  for (let frame = from; frame < to; frame += trackEvery) track.push([frame / frameRateHz, ...box(frame)]);
  return { id: isPhoto ? `photo of ${person}` : person, box_median: box(from), track };
}
