import type { Voiceprints, VoiceprintsState } from '../../../inference/voiceprints.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';
import type { SoundPass } from './sound-pass.js';

/** A pass between two frames. */
export type VoicesState = VoiceprintsState;

/** Notes how the voice of each piece of the sound sounds, so that turns of one voice can be known by it. */
export function createVoicesPass(
  voiceprints: Voiceprints,
  {
    sound,
    stopwatch,
  }: { readonly sound: Pick<SoundPass, 'listen' | 'hearAll'>; readonly stopwatch: Stopwatch },
): AnalysisPass {
  sound.listen((samples, speech) => stopwatch.time('voices', () => voiceprints.push(samples, speech)));
  return {
    name: 'voices',
    wants: {},
    take: async () => {},
    // A preview decides without comparing sounds: see the scorer's `soFar`.
    partial: async () => ({}),
    async finish() {
      await sound.hearAll();
      const voices = await stopwatch.time('voices', () => voiceprints.finish());
      return { voices, voiceSize: voiceprints.size };
    },
    save: (): VoicesState => voiceprints.save(),
  };
}
