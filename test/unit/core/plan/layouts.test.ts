import { describe, expect, test } from 'vitest';
import { overlapArea } from '../../../../src/core/box.js';
import { layoutShapes } from '../../../../src/core/plan/layouts/layouts.js';
import { layouts } from '../../../../src/schema/plan.js';

const outputs = {
  '9:16': { width: 1080, height: 1920 },
  '4:5': { width: 1080, height: 1350 },
  '1:1': { width: 1080, height: 1080 },
  '16:9': { width: 1920, height: 1080 },
};
const each = Object.entries(outputs).flatMap(([aspect, output]) =>
  layouts.flatMap(layout => [0, 9].map(gapPx => ({ aspect, layout, gapPx, output }))),
);
const content = { width: 1600, height: 900 };

test.each(each)('$layout at $aspect with a gap of $gapPx lies on even pixels inside the output', ask => {
  for (const lead of [undefined, 0, 1]) {
    const panels = layoutShapes[ask.layout].panels({ ...ask, content, ...(lead !== undefined && { lead }) });
    for (const { x, y, width, height } of panels) {
      for (const side of [x, y, width, height]) expect(side % 2).toBe(0);
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
      expect(Math.min(width, height)).toBeGreaterThan(0);
      expect(x + width).toBeLessThanOrEqual(ask.output.width);
      expect(y + height).toBeLessThanOrEqual(ask.output.height);
    }
  }
});

describe('panels of faces', () => {
  const tiling = each.filter(({ layout }) => ['stack', 'grid-3', 'grid-4'].includes(layout));
  test.each(tiling)('$layout at $aspect with a gap of $gapPx leaves nothing free but the gap', ask => {
    const panels = layoutShapes[ask.layout].panels(ask);
    const { width, height } = ask.output;
    expect(panels).toHaveLength(layoutShapes[ask.layout].faces[0]);
    panels.forEach((a, i) => {
      for (const b of panels.slice(i + 1)) expect(overlapArea(a, b)).toBe(0);
    });
    const covered = panels.reduce((sum, panel) => sum + panel.width * panel.height, 0);
    if (!ask.gapPx) expect(covered).toBe(width * height);
    else expect(covered).toBeGreaterThan(0.95 * width * height);
  });

  test('a stack gives 58 % to the half that leads, and stands side by side in a wide output', () => {
    const { stack } = layoutShapes;
    const upright = stack.panels({ output: outputs['9:16'], gapPx: 0, lead: 1 });
    expect(upright.map(panel => panel.height / 1920)).toEqual([
      expect.closeTo(0.42, 2),
      expect.closeTo(0.58, 2),
    ]);
    const wide = stack.panels({ output: outputs['16:9'], gapPx: 0 });
    expect(wide.map(({ x, width }) => [x, width])).toEqual([
      [0, 960],
      [960, 960],
    ]);
  });

  test('the wide panel of three is the one that leads, the others keep their order', () => {
    const panels = layoutShapes['grid-3'].panels({ output: outputs['9:16'], gapPx: 0, lead: 1 });
    expect(panels[1]).toMatchObject({ x: 0, y: 0, width: 1080 });
    expect(panels[0]!.x).toBeLessThan(panels[2]!.x);
  });
});

describe('screens', () => {
  test.each(Object.entries(outputs))('at %s a screen is shown whole, beside the face', (_, output) => {
    const [screen, face] = layoutShapes['screen-speaker'].panels({ output, gapPx: 0, content });
    expect(screen!.width / screen!.height).toBeCloseTo(16 / 9, 1);
    expect(overlapArea(screen!, face!)).toBe(0);
  });

  test('the inset lies in the corner that is asked for', () => {
    const ask = { output: outputs['9:16'], gapPx: 0, corner: { right: false, bottom: true } };
    const [, face] = layoutShapes.inset.panels(ask);
    expect(face!.x).toBeLessThan(100);
    expect(face!.y).toBeGreaterThan(1400);
  });
});

test('a group and the whole picture keep their aspect', () => {
  for (const layout of ['group', 'fit'] as const) {
    const [panel] = layoutShapes[layout].panels({ output: outputs['9:16'], gapPx: 0, content });
    expect(panel).toEqual({ x: 0, y: 656, width: 1080, height: 608 });
    const [tall] = layoutShapes[layout].panels({
      output: outputs['1:1'],
      gapPx: 0,
      content: { width: 400, height: 900 },
    });
    expect(tall).toMatchObject({ y: 0, width: 480, height: 1080 });
  }
});
