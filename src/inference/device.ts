import type { Size } from '../schema/geometry.js';

/** The one device that the sampler, the compositor and every session share. */
export type Gpu = {
  readonly kind: 'webgpu';
  readonly device: GPUDevice;
  /** Whether a VideoFrame can be imported; where not, planes are uploaded. */
  readonly videoImport: boolean;
  /** Whether the adapter runs on the processor: right results, but slower than wasm. */
  readonly isSoftware: boolean;
  /** Vendor and architecture, for diagnostics. */
  readonly description: string;
  /** Resolves when the device is gone: `destroyed: …` where it was closed here, `unknown: …` where it was lost. */
  readonly lost: Promise<string>;
};

/** Why there is no device. */
export type NoGpu = { readonly kind: 'none'; readonly reason: string };

/** Raised to what the adapter has: detectors bind more buffers per shader than the default of 8 allows. */
const raisedLimits = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxStorageBuffersPerShaderStage',
  'maxTextureDimension2D',
] as const;

/** Taken where present: faster kernels, and times per pass. */
const wantedFeatures: readonly GPUFeatureName[] = ['shader-f16', 'subgroups', 'timestamp-query'];

/** Opens the GPU, or says why it cannot be used. Whoever opens it calls `device.destroy()`. */
export async function openGpu(): Promise<Gpu | NoGpu> {
  // The page may run in a browser without WebGPU, whatever the types say.
  const api = (globalThis.navigator as { gpu?: GPU } | undefined)?.gpu;
  if (!api) return { kind: 'none', reason: 'This browser has no WebGPU.' };
  const adapter = await api.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) return { kind: 'none', reason: 'The browser offers no WebGPU adapter.' };
  const requiredLimits = Object.fromEntries(raisedLimits.map(name => [name, adapter.limits[name]]));
  const requiredFeatures = wantedFeatures.filter(name => adapter.features.has(name));
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({ requiredLimits, requiredFeatures });
  } catch (cause) {
    return { kind: 'none', reason: `The WebGPU device could not be opened: ${cause}` };
  }
  const { vendor, architecture, isFallbackAdapter } = adapter.info;
  return {
    kind: 'webgpu',
    device,
    videoImport: await importsVideo(device),
    isSoftware: isFallbackAdapter,
    description: `${vendor} ${architecture}`.trim(),
    lost: device.lost.then(({ reason, message }) => `${reason}: ${message}`),
  };
}

/** The test frame: small, and of a size that every decoder could have made. */
const testSize: Size = { width: 64, height: 64 };
/** Luma of the test frame; as full-range grey (128 − 16) · 255 / 219 = 130. */
const testLuma = 128;
const expectedGrey = 130;

/** Imports one grey frame and reads a pixel: some browsers have the call and fail in it, or give black. */
async function importsVideo(device: GPUDevice): Promise<boolean> {
  if (typeof VideoFrame === 'undefined' || !device.importExternalTexture) return false;
  const data = new Uint8Array((testSize.width * testSize.height * 3) / 2).fill(testLuma);
  const { width: codedWidth, height: codedHeight } = testSize;
  const colorSpace = { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709', fullRange: false } as const;
  const frame = new VideoFrame(data, { format: 'I420', codedWidth, codedHeight, timestamp: 0, colorSpace });
  device.pushErrorScope('validation');
  let grey: Promise<number> | undefined;
  try {
    grey = importedGrey(device, frame);
  } catch {
    // OperationError "Failed to import texture from video": that is the answer.
  }
  const error = await device.popErrorScope();
  frame.close();
  const measured = await grey?.catch(() => 0);
  return !error && measured !== undefined && Math.abs(measured - expectedGrey) < 4;
}

/** The red of the frame's middle, 0–255. Submits before returning, while the import is valid. */
function importedGrey(device: GPUDevice, frame: VideoFrame): Promise<number> {
  const code = `
@group(0) @binding(0) var source: texture_external;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var<storage, read_write> grey: f32;
@compute @workgroup_size(1) fn main() {
  grey = 255.0 * textureSampleBaseClampToEdge(source, linear, vec2f(0.5)).r;
}`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const value = device.createBuffer({ size: 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const reader = device.createBuffer({ size: 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const source = device.importExternalTexture({ source: frame as never });
  const resources = [source, device.createSampler(), { buffer: value }];
  const entries = resources.map((resource, binding) => ({ binding, resource }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(value, 0, reader, 0, 4);
  device.queue.submit([encoder.finish()]);
  return reader.mapAsync(GPUMapMode.READ).then(() => {
    const [grey] = new Float32Array(reader.getMappedRange());
    reader.destroy();
    value.destroy();
    return grey!;
  });
}
