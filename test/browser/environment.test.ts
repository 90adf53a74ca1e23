import { expect, test } from 'vitest';

test('the test browser is cross-origin isolated and has WebCodecs and WebGPU', async () => {
  expect(crossOriginIsolated).toBe(true);
  expect(typeof VideoDecoder).toBe('function');
  expect(await navigator.gpu.requestAdapter()).not.toBeNull();
});
