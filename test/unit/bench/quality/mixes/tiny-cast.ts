import type { PackedTrack } from '../../../../../bench/quality/mixes/cast.js';

/** Tracks of invented people: each says a long and a short sentence with a rest between them. */
export function tinyPack(people: readonly string[], split: PackedTrack['split'] = 'val'): PackedTrack[] {
  return people.map((person, i) => {
    const label = [
      ...new Array<number>(90 + i).fill(1),
      ...new Array<number>(20).fill(0),
      ...new Array<number>(30).fill(1),
    ];
    return {
      id: `${person}_${split}`,
      video: '',
      audio: '',
      split,
      group: person,
      person,
      clip: person,
      start_frame: 0,
      face_px: 100,
      generated: false,
      talker: true,
      still: false,
      label_source: '',
      faces_in_frame: 1,
      label,
      vad: label.map(value => (value === 1 ? 1 : 0)),
      lr: label,
    };
  });
}

export const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `p${i}`);
