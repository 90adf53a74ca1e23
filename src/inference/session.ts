import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-web';
import type { Sample } from '../sampling/sampler.js';
import { ReframeError } from '../schema/error.js';

/** Which execution provider a session runs on. */
export type Device = 'webgpu' | 'wasm';

export type SessionOptions = {
  readonly device: Device;
  /**
   * The GPU, shared with the sampler; required for `webgpu`. Where a worker has a GPU, its `wasm` sessions
   * are given the GPU too: they then run on the build of ONNX Runtime that the `webgpu` sessions need, and
   * only that build is loaded.
   */
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
  /** Shapes of the inputs as the network declares them; sizes that depend on what is fed are words. */
  readonly inputShapes: Readonly<Record<string, readonly (number | string)[]>>;
  run(feeds: Readonly<Record<string, SessionInput>>): Promise<Record<string, Output>>;
  close(): Promise<void>;
}

/** Pixels from the sampler, or a tensor made here; `int64` for scalars such as a sample rate, `bool` (0 or 1) for switches. */
export type SessionInput =
  | Sample
  | { readonly kind: 'bool'; readonly dims: readonly number[]; readonly data: Uint8Array }
  | { readonly kind: 'int64'; readonly dims: readonly number[]; readonly data: BigInt64Array };

type Ort = typeof import('onnxruntime-web');

/** A build of ONNX Runtime. */
type Runtime = {
  readonly ort: Ort;
  /** Does what enters its wasm, when what entered before is done. */
  inTurn<Value>(work: () => Promise<Value>): Promise<Value>;
};

/** By what they were built for. The one for `webgpu` runs `wasm` sessions too, and is nearly twice as large. */
const runtimes: Partial<Record<Device, Promise<Runtime>>> = {};

/**
 * Opens a session on bytes.
 *
 * @param bytes - The `.onnx` file.
 * @param name - The model's id, for messages.
 * @throws ReframeError `model_corrupt` when ONNX Runtime refuses the bytes, `unavailable` when it cannot be loaded or
 * cannot run on the device.
 */
export async function openSession(
  bytes: Uint8Array,
  name: string,
  options: SessionOptions,
): Promise<Session> {
  const build = options.gpu ? 'webgpu' : 'wasm';
  const { ort, inTurn } = await (runtimes[build] ??= loadRuntime(build, options));
  const session = await inTurn(() => createSession(ort, bytes, name, options));
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
    inputShapes: Object.fromEntries(
      session.inputMetadata.map(input => [input.name, input.isTensor ? input.shape : []]),
    ),
    run: feeds => inTurn(() => runNow(feeds)),
    close: () => session.release(),
  };
}

async function createSession(
  ort: Ort,
  bytes: Uint8Array,
  name: string,
  { device, gpu }: SessionOptions,
): Promise<InferenceSession> {
  try {
    return await ort.InferenceSession.create(bytes, {
      executionProviders: device === 'webgpu' ? [{ name: 'webgpu', device: gpu! } as never] : ['wasm'],
      logSeverityLevel: 3,
    });
  } catch (cause) {
    const why = (cause as Error).message ?? String(cause);
    // ONNX Runtime says so of a build without this device, and of one whose wasm is not there or may not run.
    if (why.startsWith('no available backend found'))
      throw new ReframeError('unavailable', `ONNX Runtime does not run on ${device} here: ${why}`, { cause });
    throw new ReframeError('model_corrupt', `ONNX Runtime could not load "${name}" on ${device}.`, { cause });
  }
}

async function loadRuntime(build: Device, { threads, wasmUrl }: SessionOptions): Promise<Runtime> {
  let ort: Ort;
  try {
    ort = (
      build === 'webgpu' ? await import('onnxruntime-web/webgpu') : await import('onnxruntime-web/wasm')
    ) as Ort;
  } catch (cause) {
    throw new ReframeError('unavailable', `ONNX Runtime could not be loaded: ${(cause as Error).message}`, {
      cause,
    });
  }
  ort.env.logLevel = 'error';
  ort.env.wasm.numThreads = threads;
  if (wasmUrl) ort.env.wasm.wasmPaths = { wasm: wasmUrl };
  // Only WebGPU leaves the wasm in the middle of a call, to wait for the GPU; another call, of whatever
  // session, would then hang both. In the build without WebGPU calls follow one another by themselves.
  if (build === 'wasm') return { ort, inTurn: work => work() };
  let last: Promise<unknown> = Promise.resolve();
  return {
    ort,
    inTurn(work) {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
  };
}

function toTensor(ort: Ort, input: SessionInput): OrtTensor {
  const dims = input.dims as number[];
  if (input.kind === 'int64') return new ort.Tensor('int64', input.data, dims);
  if (input.kind === 'bool') return new ort.Tensor('bool', input.data, dims);
  if (input.kind === 'cpu') return new ort.Tensor('float32', input.data, dims);
  return ort.Tensor.fromGpuBuffer(input.buffer as never, { dataType: 'float32', dims });
}
