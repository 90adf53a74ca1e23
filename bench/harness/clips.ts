import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bin/browser.js';

const shared = join(root, '../shared');

/** A clip with its ground truth: a JSON of its own, or an entry of an annotations file. */
export type AnnotatedClip = {
  readonly name: string;
  readonly file: string;
  readonly truth: string;
  readonly key?: string;
};

/** Whether the development material lies beside the checkout. */
export const hasShared = (): boolean => existsSync(join(shared, 'media'));

export const sharedModels = join(shared, 'models');
export const sharedMedia = join(shared, 'media');
/** Face tracks with their sound and labels. */
export const sharedSpeakerPack = join(shared, 'data/av');

/**
 * Every annotated clip: composites, talking, cuts, and the three hard clips, which are built into `hardFolder`
 * where they are not there yet (needs python3 and ffmpeg).
 */
export function annotatedClips(hardFolder: string): AnnotatedClip[] {
  return [...composites(), ...hardClips(hardFolder), ...annotated('talking'), ...annotated('cuts')];
}

/** The clips whose cuts are annotated, each of them once: the hard clips are made of the same shots. */
export const clipsWithCuts = (): AnnotatedClip[] => [
  ...composites(),
  ...annotated('talking'),
  ...annotated('cuts'),
];

function composites(): AnnotatedClip[] {
  return ['c1_two_up_turns', 'c2_multicam_cuts', 'c5_four_up_grid'].map(name =>
    withOwnTruth(join(shared, 'media/composites'), name),
  );
}

function hardClips(folder: string): AnnotatedClip[] {
  const names = ['h1_two_up_one_voice', 'h2_three_up_dub', 'h3_listeners_offscreen'];
  if (!names.every(name => existsSync(join(folder, `${name}.json`)))) {
    console.error('Building the hard clips (python3, ffmpeg) …');
    execFileSync('python3', [join(shared, 'tools/make_hard.py'), folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return names.map(name => withOwnTruth(folder, name));
}

const withOwnTruth = (folder: string, name: string): AnnotatedClip => ({
  name,
  file: join(folder, `${name}.mp4`),
  truth: join(folder, `${name}.json`),
});

function annotated(folder: 'talking' | 'cuts'): AnnotatedClip[] {
  const truth = join(shared, 'media', folder, 'annotations.json');
  const { clips } = JSON.parse(readFileSync(truth, 'utf8')) as { clips: Record<string, unknown> };
  return Object.keys(clips)
    .map(key => ({ name: key.replace(/\.\w+$/, ''), file: join(shared, 'media', folder, key), truth, key }))
    .filter(({ file }) => existsSync(file));
}
