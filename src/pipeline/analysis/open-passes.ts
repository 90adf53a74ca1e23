import { createSpeakerScorer } from '../../inference/speaker-scorer.js';
import type { TranscriptionModel } from '../../inference/transcription-model.js';
import { createVoiceprints } from '../../inference/voiceprints.js';
import type { Media } from '../../media/media.js';
import type { PartName } from '../../schema/result.js';
import type { AnalysisPass } from './analysis-pass.js';
import type { AnalysisRequest, AnalysisTools } from './analysis-request.js';
import { type AnalysisWork, type Identity, workOf } from './analysis-work.js';
import { createContentPass } from './passes/content-pass.js';
import { createFacesPass, createKnownFacesPass, type FacesPass } from './passes/faces-pass.js';
import { createIdentitiesPass } from './passes/identities-pass.js';
import { createKnownShotsPass, createShotsPass, type ShotsPass, shotNameOf } from './passes/shots-pass.js';
import { soundFrom } from './passes/sound-from.js';
import { createSoundPass, type SoundState } from './passes/sound-pass.js';
import { createSpeakersPass, type SpeakersState } from './passes/speakers-pass.js';
import { createVoicesPass, type VoicesState } from './passes/voices-pass.js';
import { createWordsPass, type WordsState } from './passes/words-pass.js';

/** The passes of one analysis, and what decided about them. */
export type OpenedPasses = {
  readonly passes: readonly AnalysisPass[];
  readonly shots: ShotsPass;
  /** Absent where only shots are wanted. */
  readonly faces?: FacesPass;
  /** Ids of what finds shots and faces, for the parts. */
  readonly shotName: string;
  readonly faceName: string | undefined;
  /** Id of what tells voices apart; absent where nothing does. */
  readonly voiceName?: string | undefined;
  /** What writes down what is said; absent where nobody does. */
  readonly words?: TranscriptionModel | undefined;
  readonly identity: Identity;
  /** What the passes go on from; `refusal` says why they do not. */
  readonly work?: AnalysisWork;
  readonly refusal?: string;
};

/** Loads the models that the wanted parts need, and opens a pass for each kind of work, in their order. */
export async function openPasses(
  media: Media,
  tools: AnalysisTools,
  request: AnalysisRequest,
): Promise<OpenedPasses> {
  const { stopwatch } = tools;
  const { want, have, faceLongSide } = request;
  const { facts } = media;
  const needs = (part: PartName) => want.includes(part) && !have[part];
  const wantsSpeakers = !have.active_speaker && (needs('active_speaker') || needs('diarization'));
  const wantsVoices = wantsSpeakers || needs('diarization');
  const knownFaces = have.face_tracking_yolov8;
  const wantsFaces = needs('face_tracking_yolov8') || (wantsSpeakers && !knownFaces);

  const cutModel = have.scene_detection ? undefined : await tools.sceneCuts();
  const speaker = wantsSpeakers && facts.audio ? await tools.speaker() : undefined;
  const voice = wantsVoices && facts.audio ? await tools.voice() : undefined;
  const words = needs('transcription') && facts.audio ? await tools.words() : undefined;
  const detector = wantsFaces ? await tools.faces() : undefined;
  const people = request.identities && detector ? await tools.people() : undefined;
  const identity = identityOf(media, request, [
    ...(have.scene_detection ? [] : [shotNameOf(cutModel)]),
    ...(detector ? [detector.name] : []),
    ...(speaker ? [speaker.name] : []),
    ...(voice ? [voice.name] : []),
    ...(words ? [`${words.name} (${words.language})`] : []),
    ...(people ? [people.name] : []),
  ]);
  const { work, refusal } = workOf(request.resume, identity);
  const saved = work?.passes ?? {};

  const shots = have.scene_detection
    ? createKnownShotsPass(have.scene_detection)
    : createShotsPass(cutModel, stopwatch, saved.shots);
  const faces = detector
    ? createFacesPass(
        { detector, display: facts.display, stopwatch, ...(faceLongSide && { longSide: faceLongSide }) },
        saved.faces,
      )
    : knownFaces && createKnownFacesPass(knownFaces);
  const passes: AnalysisPass[] = [shots, ...(faces ? [faces] : [])];
  if (facts.audio && (wantsVoices || words)) {
    const { startSec: originSec } = identity;
    const heard = saved.sound as SoundState | undefined;
    const speech = await tools.speech(heard?.speech);
    const samples = soundFrom(media, request, heard?.heardSamples ?? 0);
    const sound = createSoundPass({ speech, sound: samples, originSec, stopwatch }, heard);
    if (speaker && faces) {
      const scored = saved.speakers as SpeakersState | undefined;
      const scorer = await createSpeakerScorer(speaker, scored?.scorer);
      passes.push(createSpeakersPass({ scorer, faces, sound, originSec, stopwatch }, scored));
    }
    if (voice) {
      const prints = createVoiceprints(voice, saved.voices as VoicesState | undefined);
      passes.push(createVoicesPass(prints, { sound, stopwatch }));
    }
    if (words) {
      const options = { model: words, sound, signal: request.signal, stopwatch };
      passes.push(createWordsPass(options, saved.words as WordsState | undefined));
    }
    passes.push(sound);
  }
  if (needs('content')) {
    const options = { display: facts.display, stopwatch, ...(faces && { faces }) };
    passes.push(createContentPass(options, saved.content));
  }
  if (people && faces)
    passes.push(createIdentitiesPass({ embedder: people, faces, stopwatch }, saved.identities));
  return {
    passes,
    shots,
    ...(faces && { faces }),
    shotName: shotNameOf(cutModel),
    faceName: detector?.name,
    voiceName: voice?.name,
    words,
    identity,
    ...(work && { work }),
    ...(refusal && { refusal }),
  };
}

const identityOf = (
  { facts }: Media,
  { want, have, startSec = 0, endSec = facts.durationSec, faceLongSide }: AnalysisRequest,
  models: readonly string[],
): Identity => ({
  source: { totalFrames: facts.totalFrames, durationSec: facts.durationSec, widthPx: facts.display.width },
  startSec,
  endSec: Math.min(endSec, facts.durationSec),
  want: [...want].sort(),
  have: (Object.keys(have) as PartName[]).filter(part => have[part]).sort(),
  models,
  ...(faceLongSide && { faceLongSide }),
});
