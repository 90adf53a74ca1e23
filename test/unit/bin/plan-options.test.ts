import { parseArgs } from 'node:util';
import { expect, test } from 'vitest';
import { UsageError } from '../../../bin/option-values.js';
import { planOptions, planRequestOf, planUsage } from '../../../bin/plan-options.js';
import { completePlanRequest, defaultPlanRequest } from '../../../src/schema/plan.js';

const read = (...args: string[]) => planRequestOf(parseArgs({ args, options: planOptions }).values);

test('what is not given is left to the planner', () => {
  expect(read()).toEqual({});
});

test('every option says what the clip shows', () => {
  const request = read(
    ...['--aspect', '4:5', '--height', '1350', '--camera', 'follow', '--layout', 'stack', '--pace', 'calm'],
    ...['--off-screen', 'wide', '--subjects', '0:host, 2:ignore,3:guest:0.5', '--punch-in'],
    ...['--cut-offset=-0.2', '--background', 'colour', '--background-colour', '#1a2B3c'],
    ...['--gap', '0.02', '--corners', '0.05'],
  );
  expect(request).toEqual({
    aspect: { width: 4, height: 5 },
    outputHeight: 1350,
    camera: 'follow',
    layout: 'stack',
    pace: 'calm',
    offScreen: 'wide',
    subjects: [
      { personId: 0, role: 'host' },
      { personId: 2, role: 'ignore' },
      { personId: 3, role: 'guest', weight: 0.5 },
    ],
    punchIn: true,
    cutOffsetSec: -0.2,
    background: 'colour',
    backgroundColour: '#1a2B3c',
    gapRatio: 0.02,
    cornerRadiusRatio: 0.05,
  });
  // The planner takes what the command lets through.
  expect(completePlanRequest(request)).toEqual({ ...defaultPlanRequest, ...request });
});

test.each([
  [['--background', 'red'], '--background takes one of: blur, black, colour, gradient.'],
  [['--background', 'colour', '--background-colour', 'red'], '--background-colour takes #rrggbb.'],
  [['--background-colour', '#ff0000'], '--background-colour goes with --background colour.'],
  [['--gap', '0.2'], '--gap takes a number from 0 to 0.1.'],
  [['--gap', ''], '--gap takes a number from 0 to 0.1.'],
  [['--corners', 'round'], '--corners takes a number from 0 to 0.5.'],
  [['--cut-offset', '0.5'], '--cut-offset takes a number from -0.3 to 0.3.'],
  [['--subjects', '0'], /--subjects takes ID:ROLE .* not “0”/],
  [['--subjects', '0:star'], /not “0:star”/],
  [['--subjects', '1:host,'], /not “”/],
  [['--subjects', '1:host:11'], /not “1:host:11”/],
  [['--subjects', '1:host,1:guest'], '--subjects names 1 twice.'],
])('%s is wrong usage', (args, says) => {
  const wrong = () => read(...args);
  expect(wrong).toThrow(UsageError);
  expect(wrong).toThrow(says);
});

test('help tells of every option', () => {
  for (const name of Object.keys(planOptions)) expect(planUsage).toContain(`  --${name}`);
});
