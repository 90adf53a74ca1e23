import { expect, test } from 'vitest';
import { cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import { planStage } from './invented-scene.js';

const speaker = { at: { x: 900, y: 500 }, size: 160, speaks: [[0, 4]] as [number, number][] };
const windowBeside = (x: number) => {
  const plan = planStage({ people: [speaker, { at: { x, y: 500 }, size: 160 }], durationSec: 4 });
  const { source } = cropAtFrame(plan, 0).panels[0]!;
  return { left: source.x, right: source.x + source.width };
};
const alone = { left: 900 - 607.5 / 2, right: 900 + 607.5 / 2 };

test('a bystander at the edge is wholly in or wholly out', () => {
  const mostlyIn = windowBeside(1180);
  expect(mostlyIn.right).toBeGreaterThanOrEqual(1180 + 60);
  const mostlyOut = windowBeside(1225);
  expect(mostlyOut.right <= 1225 - 60 || mostlyOut.right >= 1225 + 60).toBe(true);
});

test('whoever speaks stays framed with room on both sides', () => {
  for (let x = 200; x < 1800; x += 25) {
    const { left, right } = windowBeside(x);
    expect(left).toBeLessThan(900 - 60);
    expect(right).toBeGreaterThan(900 + 60);
    expect(Math.abs(left - alone.left)).toBeLessThanOrEqual(0.16 * 607.5 + 0.01);
  }
});

test('a bystander far from the edge changes nothing', () => {
  expect(windowBeside(1600).left).toBeCloseTo(alone.left, 1);
  expect(windowBeside(1000).left).toBeCloseTo(alone.left, 1);
});
