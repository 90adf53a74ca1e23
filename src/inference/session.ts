import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-web';
import type { Sample } from '../sampling/sampler.js';
import { ReframeError } from '../schema/error.js';

/** Which execution provider a session runs on. */
export type Device = 'webgpu' | 'wasm';

export type SessionOptions = {
  readonly device: Device;
  /** Shared with the sampler; required for `webgpu`. */
  readonly gpu?: GPUDevice;
  /** Threads of the wasm backend; more than one needs cross-origin isolation. The first session of a worker decides. */
  readonly threads: number;
  /** Where ONNX Runtime's `.wasm` lies; absent = beside its module, as bundlers emit it. */
  readonly wasmUrl?: string;
};

/** What a model gives for one named output. */
export type Output = { readonly dims: readonly number[]; readonly data: Float32Array };

/** One network, ready to run. */
export interface Session {
  readonly device: Device;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, SessionInput>>): Promise<Record<string, Output>>;
  close(): Promise<void>;
}

/** Pixels from the sampler, or a tensor made here; `int64` for scalars such as a sample rate. */
export type SessionInput =
  | Sample
  | { readonly kind: 'int64'; readonly dims: readonly number[]; readonly data: BigInt64Array };

type Ort = typeof import('onnxruntime-web');
let loaded: Promise<Ort> | undefined;
/** Tail of the queue of GPU runs: two at once on one ORT module hang it, also on two sessions. */
let gpuQueue: Promise<unknown> = Promise.resolve();

/**
 * Opens a session on bytes.
 *
 * @param bytes - The `.onnx` file.
 * @param name - The model's id, for messages.
 * @throws ReframeError `model_corrupt` when ONNX Runtime refuses the bytes, `device_lost` when the GPU is gone.
 */
export async function openSession(
  bytes: Uint8Array,
  name: string,
  options: SessionOptions,
): Promise<Session> {
  const ort = await (loaded ??= loadRuntime(options));
  let session: InferenceSession;
  try {
    session = await ort.InferenceSession.create(bytes, {
      executionProviders:
        options.device === 'webgpu' ? [{ name: 'webgpu', device: options.gpu! } as never] : ['wasm'],
      logSeverityLevel: 3,
    });
  } catch (cause) {
    throw new ReframeError('model_corrupt', `ONNX Runtime could not load "${name}" on ${options.device}.`, {
      cause,
    });
  }
  const runNow = async (feeds: Readonly<Record<string, SessionInput>>) => {
    const tensors: Record<string, OrtTensor> = {};
    for (const [key, input] of Object.entries(feeds)) tensors[key] = toTensor(ort, input);
    const results = await session.run(tensors);
    const outputs: Record<string, Output> = {};
    for (const [key, tensor] of Object.entries(results)) {
      outputs[key] = { dims: tensor.dims, data: (await tensor.getData()) as Float32Array };
      tensor.dispose();
    }
    for (const tensor of Object.values(tensors)) tensor.dispose();
    return outputs;
  };
  return {
    device: options.device,
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    run(feeds) {
      if (options.device === 'wasm') return runNow(feeds);
      const result = gpuQueue.then(() => runNow(feeds));
      gpuQueue = result.catch(() => {});
      return result;
    },
    close: () => session.release(),
  };
}

async function loadRuntime(options: SessionOptions): Promise<Ort> {
  const ort = (
    options.device === 'webgpu'
      ? await import('onnxruntime-web/webgpu')
      : await import('onnxruntime-web/wasm')
  ) as Ort;
  ort.env.logLevel = 'error';
  ort.env.wasm.numThreads = options.threads;
  if (options.wasmUrl) ort.env.wasm.wasmPaths = { wasm: options.wasmUrl };
  return ort;
}

function toTensor(ort: Ort, input: SessionInput): OrtTensor {
  const dims = input.dims as number[];
  if (input.kind === 'int64') return new ort.Tensor('int64', input.data, dims);
  if (input.kind === 'cpu') return new ort.Tensor('float32', input.data, dims);
  return ort.Tensor.fromGpuBuffer(input.buffer as never, { dataType: 'float32', dims });
}
