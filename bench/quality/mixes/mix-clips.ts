import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnnotatedClip, sharedMedia, sharedSpeakerPack } from '../../harness/clips.js';
import { readTracks } from '../../models/speakers/speaker-pack.js';
import { castOf, type Half, type PackedTrack } from './cast.js';
import { type Kind, type Mix, mixesOf } from './mix.js';
import { renderMix, type Studio } from './render-mix.js';
import { truthOf } from './truth.js';
import { readWholeClips } from './whole-clips.js';

/** A clip made of other clips, and what happens in it. */
export type MixClip = AnnotatedClip & { readonly kind: Kind };

/** Renders what is not there yet and gives the clips of one half whose names are wanted. */
export function mixClips(
  folder: string,
  half: Half,
  isWanted: (name: string) => boolean = () => true,
): MixClip[] {
  const tracks = readTracks(sharedSpeakerPack) as PackedTrack[];
  const cast = castOf(tracks);
  const studio: Studio = {
    folder,
    media: sharedMedia,
    pack: sharedSpeakerPack,
    tracks: new Map(tracks.map(track => [track.id, track])),
    whole: readWholeClips(sharedMedia),
  };
  mkdirSync(folder, { recursive: true });
  return mixesOf(cast, half)
    .filter(({ name }) => isWanted(name))
    .map(mix => {
      const [file, truth] = ['mp4', 'json'].map(ending => join(folder, `${mix.name}.${ending}`)) as [
        string,
        string,
      ];
      if (!isMade(mix, truth)) {
        console.error(`Making ${mix.name} …`);
        renderMix(mix, cast, studio);
      }
      return { name: mix.name, kind: mix.kind, file, truth };
    });
}

/** Whether the clip is there and just this is true about it; what else makes a clip is the generator's version. */
const isMade = (mix: Mix, truth: string): boolean =>
  existsSync(truth) && readFileSync(truth, 'utf8') === JSON.stringify(truthOf(mix));
