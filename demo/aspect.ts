import type { Aspect } from './state.js';

/** Width to height, as two numbers. */
export function sidesOf(aspect: Aspect): { width: number; height: number } {
  const [width, height] = aspect.split(':').map(Number) as [number, number];
  return { width, height };
}
