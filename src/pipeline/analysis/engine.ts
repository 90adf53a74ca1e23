import type { FaceDetector } from '../../inference/face-detector.js';
import { createFaceEmbedder, type FaceEmbedder } from '../../inference/face-embedder.js';
import { openForeignVoiceEmbedder } from '../../inference/foreign-voice-embedder.js';
import type { InferenceTasks } from '../../inference/inference-tasks.js';
import { createSpeakerModel, type SpeakerModel } from '../../inference/lr-asd.js';
import { createSceneCutModel, type SceneCutModel } from '../../inference/scene-cuts.js';
import type { Device } from '../../inference/session.js';
import { createSpeechDetector, type SpeechDetector, type SpeechState } from '../../inference/silero.js';
import type { TranscriptionModel } from '../../inference/transcription-model.js';
import { createVoiceEmbedder, type VoiceEmbedder } from '../../inference/voice-embedder.js';
import type { WeightsProgress } from '../../inference/weights.js';
import { createYolov8Face } from '../../inference/yolov8-face.js';
import { createYunet } from '../../inference/yunet.js';
import type { Connection } from '../../rpc/connect.js';
import { createCpuSampler } from '../../sampling/cpu.js';
import type { Sampler } from '../../sampling/sampler.js';
import { createGpuSampler } from '../../sampling/webgpu.js';
import type { Diagnostics, ModelUse } from '../../schema/diagnostics.js';
import { ReframeError } from '../../schema/error.js';
import { chooseGpu } from '../choose-gpu.js';
import type { EngineOptions } from '../engine-options.js';
import { canaryInput } from './canary.js';
import { createNetworkOpener } from './open-network.js';
import { openWords } from './open-words.js';
import { voiceModel } from './words-files.js';

/** What runs the networks: one device, one sampler, and models that are loaded when they are first asked for. */
export type Engine = {
  readonly device: NonNullable<Diagnostics['device']>;
  readonly sampler: Sampler;
  readonly models: readonly ModelUse[];
  readonly fallbacks: readonly string[];
  /** Rejects with `device_lost` when the GPU goes away; never resolves. */
  readonly lost: Promise<never>;
  faces(): Promise<FaceDetector>;
  speaker(): Promise<SpeakerModel>;
  /**
   * A new detector, which remembers the sound it heard, or goes on from what another detector saved; the
   * caller closes it.
   */
  speech(saved?: SpeechState): Promise<SpeechDetector>;
  /** Undefined when the network that tells voices apart could not be loaded. */
  voice(): Promise<VoiceEmbedder | undefined>;
  /** Writes down what is said. */
  words(): Promise<TranscriptionModel>;
  /** Tells people apart by their faces. */
  people(): Promise<FaceEmbedder>;
  /** Undefined when the model-free analyser is asked for, or must do because the network could not be loaded. */
  sceneCuts(): Promise<SceneCutModel | undefined>;
  close(): Promise<void>;
};

export type OpenEngine = {
  readonly options: EngineOptions;
  /**
   * Starts a worker for one use: the face detector, so that on the CPU faces are looked for while everything else goes on,
   * or the recogniser.
   */
  readonly spawnInference: () => Connection<InferenceTasks>;
  readonly onModelProgress?: (progress: WeightsProgress) => void;
};

const never = new Promise<never>(() => {});

/**
 * Opens what the options ask for.
 *
 * @throws ReframeError `unavailable` when WebGPU is asked for and there is none; `model_*` from the methods.
 */
export async function openEngine({ options, spawnInference, onModelProgress }: OpenEngine): Promise<Engine> {
  const fallbacks: string[] = [];
  const { gpu, reason, isMissing } = await chooseGpu(options);
  if (isMissing && options.device === 'webgpu')
    throw new ReframeError('unavailable', `WebGPU was asked for. ${reason}`);
  if (isMissing) fallbacks.push(`The networks run on WASM: ${reason}`);
  const device: Device = gpu ? 'webgpu' : 'wasm';
  const sampler = gpu ? createGpuSampler(gpu.device, gpu.videoImport) : createCpuSampler();
  if (gpu && !gpu.videoImport) {
    fallbacks.push('Frames reach the GPU through memory: this browser cannot import video into WebGPU.');
  }
  const note = (sentence: string) => {
    if (!fallbacks.includes(sentence)) fallbacks.push(sentence);
  };
  const networks = createNetworkOpener({ options, gpu, spawnInference, onModelProgress });

  const openFaces = async (): Promise<FaceDetector> => {
    const id = options.models.faceDetector ?? defaultFaceDetector;
    const isYunet = id === 'yunet';
    const canary = { [isYunet ? 'input' : 'images']: canaryInput([1, 3, 64, 64], isYunet ? 255 : 1) };
    const session = await networks.large(id, 'apart', canary);
    return isYunet ? createYunet(session, id) : createYolov8Face(session, id);
  };
  const openSpeaker = async (): Promise<SpeakerModel> => {
    const family = options.models.speaker ?? defaultSpeakerModel;
    return createSpeakerModel({
      family,
      visual: await networks.large(`${family}-visual`, 'here', { video: canaryInput([1, 5, 112, 112], 255) }),
      // The sound encoder is a hundredth of the work and the back end is recurrent: both stay on the CPU.
      audio: await networks.onCpu(`${family}-audio`),
      backend: await networks.onCpu(`${family}-backend`),
    });
  };

  const openSceneCuts = async (): Promise<SceneCutModel> => {
    const id = options.models.shotDetector ?? defaultShotDetector;
    // 117 MMAC for fifty frames, on thumbnails that lie in memory: not worth a GPU.
    return createSceneCutModel(await networks.onCpu(id), id);
  };

  // 20 ms for a second of speech: not worth a GPU.
  const openVoice = async () => {
    const session = await networks.onCpu(voiceModel);
    const { voiceModelUrl } = options.models;
    if (voiceModelUrl === undefined) return createVoiceEmbedder(session, voiceModel);
    const embedder = await openForeignVoiceEmbedder(session, nameOf(voiceModelUrl));
    note(
      `Voices are told apart by "${embedder.name}", whose cosines are judged as those of ${voiceModel} are.`,
    );
    return embedder;
  };

  // A few looks for each face: not worth a GPU.
  const openPeople = async () => createFaceEmbedder(await networks.onCpu(peopleModel), peopleModel);

  let wordsWorker: Connection<InferenceTasks> | undefined;
  const openRecogniser = async () => {
    const model = await openWords(options.models.words, networks, () => (wordsWorker ??= spawnInference()));
    model.notes?.forEach(note);
    return model;
  };

  const opened: {
    faces?: Promise<FaceDetector>;
    speaker?: Promise<SpeakerModel>;
    sceneCuts?: Promise<SceneCutModel>;
    voice?: Promise<VoiceEmbedder>;
    words?: Promise<TranscriptionModel>;
    people?: Promise<FaceEmbedder>;
  } = {};
  const once = <Key extends keyof typeof opened>(key: Key, load: () => NonNullable<(typeof opened)[Key]>) => {
    const loading = (opened[key] ??= load());
    // A model that could not be loaded is asked for again the next time.
    loading.catch(() => delete opened[key]);
    return loading;
  };
  /** A model that one can do without: a sentence says so where it could not be loaded. */
  const ifThere = async <Opened>(opening: Promise<Opened>, without: string): Promise<Opened | undefined> => {
    try {
      return await opening;
    } catch (error) {
      const isMissing = error instanceof ReframeError && /^model_/.test(error.code);
      if (!isMissing) throw error;
      const sentence = `${without}: ${error.message}`;
      note(sentence);
      return undefined;
    }
  };
  return {
    device: { kind: device, reason, threads: options.threads },
    sampler,
    models: networks.models,
    fallbacks,
    lost: gpu ? gpu.lost.then(why => Promise.reject(new ReframeError('device_lost', why))) : never,
    faces: () => once('faces', openFaces) as Promise<FaceDetector>,
    speaker: () => once('speaker', openSpeaker) as Promise<SpeakerModel>,
    speech: async saved => createSpeechDetector(await networks.onCpu('silero-vad'), saved),
    voice: () => ifThere(once('voice', openVoice) as Promise<VoiceEmbedder>, 'Voices are not told apart'),
    words: () => once('words', openRecogniser) as Promise<TranscriptionModel>,
    people: () => once('people', openPeople) as Promise<FaceEmbedder>,
    async sceneCuts() {
      if ((options.models.shotDetector ?? defaultShotDetector) === 'model-free') return undefined;
      const opening = once('sceneCuts', openSceneCuts) as Promise<SceneCutModel>;
      return ifThere(opening, 'Shots are found without a network');
    },
    async close() {
      const loaded = await Promise.allSettled(Object.values(opened));
      await Promise.all(
        loaded.map(model => (model.status === 'fulfilled' ? model.value.close() : undefined)),
      );
      networks.close();
      wordsWorker?.close();
      sampler.close();
      gpu?.device.destroy();
    },
  };
}

/** The file's name without its ending; a blob's address has none that says anything. */
const nameOf = (url: string | URL): string =>
  /([^/]+?)(?:\.onnx)?$/.exec(String(url).startsWith('blob:') ? 'own-voice' : new URL(url).pathname)![1]!;

/** The detector in use where none is named. */
export const defaultFaceDetector = 'edge-face';
/** What finds shots where nothing is named. */
export const defaultShotDetector = 'edge-cuts';
/** The speaker model in use where none is named. */
export const defaultSpeakerModel = 'edge-speaker';
/** What tells people apart. */
export const peopleModel = 'dlib-face-recognition';
