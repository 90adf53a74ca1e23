import type { Gpu } from '../../inference/device.js';
import {
  type Device,
  openSession,
  type Session,
  type SessionInput,
  type SessionOptions,
} from '../../inference/session.js';
import { openWorkerSession, type SessionTasks } from '../../inference/session-worker.js';
import { createWeights, type WeightsProgress } from '../../inference/weights.js';
import type { Connection } from '../../rpc/connect.js';
import type { ModelUse } from '../../schema/diagnostics.js';
import { ReframeError } from '../../schema/error.js';
import type { EngineOptions } from '../engine-options.js';
import { agrees } from './canary.js';
import { filesOf } from './words-files.js';

/** Opens networks by their ids, each where it runs best. */
export type NetworkOpener = {
  /** The networks that were opened, and where each runs. */
  readonly models: readonly ModelUse[];
  /** For small networks and recurrent ones. */
  onCpu(id: string): Promise<Session>;
  /**
   * For large networks: on the GPU only if the network gives there what it gives on the CPU.
   *
   * @param place - On the CPU: `apart` in a worker of its own, so that everything else goes on.
   * @param canary - An input that GPU and CPU are both asked with.
   * @throws ReframeError `device_lost` when GPU and CPU do not agree.
   */
  large(
    id: string,
    place: 'here' | 'apart',
    canary: Readonly<Record<string, SessionInput>>,
  ): Promise<Session>;
  /** The bytes of a file that runs on the CPU, or of what such a network needs. */
  file(id: string): Promise<Uint8Array>;
  /** How sessions on the CPU are opened that are given such a file. */
  readonly cpu: SessionOptions;
  /** Whether sessions can be opened in a worker of their own. */
  readonly isApartPossible: boolean;
  close(): void;
};

export type OpenNetworks = {
  readonly options: EngineOptions;
  /** Absent: everything runs on the CPU. */
  readonly gpu?: Gpu | undefined;
  readonly spawnInference: () => Connection<SessionTasks>;
  readonly onModelProgress?: ((progress: WeightsProgress) => void) | undefined;
};

export function createNetworkOpener({
  options,
  gpu,
  spawnInference,
  onModelProgress,
}: OpenNetworks): NetworkOpener {
  const device: Device = gpu ? 'webgpu' : 'wasm';
  const models: ModelUse[] = [];
  const weights = createWeights({ ...options.models, files: filesOf(options.models) });
  // On the CPU the detector and everything else run side by side, so they share the threads.
  const threads = gpu ? options.threads : Math.ceil(options.threads / 2);
  let worker: Connection<SessionTasks> | undefined;

  const settings = {
    threads,
    ...(gpu && { gpu: gpu.device }),
    ...(options.ortWasmUrl && { wasmUrl: options.ortWasmUrl }),
  };
  // The address is that of one build of ONNX Runtime; beside a GPU a worker of its own would load the other.
  const isApartPossible = !(gpu && options.ortWasmUrl);
  const { gpu: _gpu, ...apart } = settings;

  const load = async (id: string) => {
    const { bytes, from } = await weights.fetch(id, {
      ...(onModelProgress && { onProgress: onModelProgress }),
    });
    return {
      bytes,
      openHere: () => openSession(bytes, id, { ...settings, device: 'wasm' }),
      openApart: () =>
        openWorkerSession((worker ??= spawnInference()), bytes, {
          name: id,
          options: { ...settings, device: 'wasm' },
        }),
      openOnGpu: () => openSession(bytes, id, { ...settings, device: 'webgpu' }),
      use: (on: Device) => models.push({ id, from, device: on, sizeBytes: bytes.length }),
    };
  };

  return {
    models,
    async onCpu(id) {
      const { openHere, use } = await load(id);
      use('wasm');
      return openHere();
    },
    async large(id, place, canary) {
      const { openHere, openApart, openOnGpu, use } = await load(id);
      use(device);
      if (!gpu) return place === 'apart' ? openApart() : openHere();
      const session = await openOnGpu();
      // The software adapter is for tests, which compare far more than this.
      if (gpu.isSoftware) return session;
      const reference = await openHere();
      if (await agrees(session, reference, canary).finally(() => reference.close())) return session;
      await session.close();
      // Whoever called goes on with a new engine on the CPU, as after any other loss of the device.
      throw new ReframeError('device_lost', `"${id}" gives other numbers on this GPU than on the CPU.`);
    },
    async file(id) {
      const { bytes, use } = await load(id);
      use('wasm');
      return bytes;
    },
    cpu: { ...(isApartPossible ? apart : settings), device: 'wasm' },
    isApartPossible,
    close: () => worker?.close(),
  };
}
