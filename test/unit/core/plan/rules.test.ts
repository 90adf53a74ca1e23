import { describe, expect, test } from 'vitest';
import { overlapArea } from '../../../../src/core/box.js';
import { cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import type { Plan } from '../../../../src/schema/plan.js';
import { planStage, views } from './invented-scene.js';
import { type RuleScene, ruleScenes } from './rule-scenes.js';

const planOf = (scene: RuleScene, more: RuleScene['request'] = {}): Plan =>
  planStage(scene.stage, { ...scene.request, ...more });
/** Layout and faces of every segment, with its start in seconds. */
const told = (plan: Plan) =>
  plan.segments.map(({ start_frame, layout, panels }) => [
    start_frame / plan.video_fps,
    layout,
    panels.map(panel => panel.face_id).join(' '),
  ]);
const layoutsOf = (plan: Plan) => plan.segments.map(segment => segment.layout);

describe('whom the evidence decides', () => {
  test('one who is sure is alone, two who are as likely share the picture', () => {
    expect(told(planOf(ruleScenes.sure))).toEqual([[0, 'single', '0']]);
    expect(told(planOf(ruleScenes.unsure))).toEqual([[0, 'stack', '0 1']]);
    const [shared] = planOf(ruleScenes.unsure).segments;
    expect(shared).toMatchObject({ reason: 'unsure', confidence: 1 });
    expect(planOf(ruleScenes.sure).segments[0]!.confidence).toBeCloseTo(0.95, 2);
  });

  test('turns of three seconds are cut to, and an only one of 1.3 as well', () => {
    expect(told(planOf(ruleScenes.long))).toEqual([
      [0, 'single', '0'],
      [3, 'single', '1'],
      [6, 'single', '0'],
      [9, 'single', '1'],
    ]);
    expect(told(planOf(ruleScenes.decided))).toEqual([
      [0, 'single', '0'],
      [5, 'single', '1'],
      [expect.closeTo(6.3, 1), 'single', '0'],
    ]);
  });
});

describe('how conversations go', () => {
  test('quick turns are shown in one picture for as long as they last', () => {
    const plan = planOf(ruleScenes.lively);
    expect(told(plan)).toEqual([[0, 'stack', '0 1']]);
    expect(plan.segments[0]!.reason).toBe('exchange');
  });

  test('a backchannel moves nothing', () => {
    expect(told(planOf(ruleScenes.backchannel))).toEqual([[0, 'single', '0']]);
  });

  test('of two who start at once the one who goes on is shown from the start', () => {
    const plan = planOf(ruleScenes.collision);
    expect(views(plan).map(([, face]) => face)).toEqual([0, 1]);
    expect(plan.segments[1]!.start_frame / 25).toBeLessThan(5.2);
  });

  test('who breaks in and goes on is shown from the first word', () => {
    expect(told(planOf(ruleScenes.interruption))).toEqual([
      [0, 'single', '0'],
      [5, 'single', '1'],
    ]);
  });

  test('crosstalk of four seconds shows both, of one second whoever was there', () => {
    const plan = planOf(ruleScenes.crosstalk);
    expect(told(plan)).toEqual([
      [0, 'single', '0'],
      [4, 'stack', '0 1'],
      [8, 'single', '1'],
    ]);
    expect(plan.segments[1]!.reason).toBe('crosstalk');
    expect(layoutsOf(planOf(ruleScenes.momentary))).toEqual(['single', 'single']);
  });

  test('panels that would show the same heads are not offered: friends on a sofa', () => {
    const near = planOf(ruleScenes.sofa);
    expect(told(near)).toEqual([[0, 'group', '']]);
    // An armchair apart each has a panel of their own.
    const { stage } = ruleScenes.sofa;
    const apart = planStage({
      ...stage,
      people: stage.people.map((person, i) => ({ ...person, at: { x: 360 + 600 * i, y: 460 } })),
    });
    expect(layoutsOf(apart)).toContain('grid-3');
    const windows = apart.segments
      .find(({ layout }) => layout === 'grid-3')!
      .panels.map(p => p.keyframes[0]!);
    for (const [i, a] of windows.entries())
      for (const b of windows.slice(i + 1))
        expect(overlapArea(a, b)).toBeLessThanOrEqual(
          0.15 * Math.min(a.width * a.height, b.width * b.height),
        );
  });

  test('when all laugh all are shown', () => {
    const plan = planOf(ruleScenes.laughter);
    expect(layoutsOf(plan)).toEqual(['single', 'group', 'single']);
    expect(plan.segments[1]!.start_frame / 25).toBeCloseTo(4.2, 1);
  });

  test('a new panel is shown whole before its first speaker, one that is known is not', () => {
    const plan = planOf(ruleScenes.panel);
    expect(plan.segments[0]).toMatchObject({ layout: 'group', reason: 'opening' });
    const openSec = plan.segments[1]!.start_frame / 25;
    expect(openSec).toBeGreaterThanOrEqual(1.5);
    expect(openSec).toBeLessThanOrEqual(3);
    const { stage } = ruleScenes.panel;
    const twice = planStage({ ...stage, durationSec: 40, cuts: [20] });
    expect(twice.segments.filter(segment => segment.layout === 'group')).toHaveLength(1);
  });
});

describe('what else is in the picture', () => {
  test('slides stay in sight, whole, above whoever presents them', () => {
    const plan = planOf(ruleScenes.slides);
    expect(layoutsOf(plan)).toEqual(['screen-speaker']);
    const [screen, face] = plan.segments[0]!.panels;
    expect(screen!.keyframes[0]).toMatchObject({ x: 80, y: 100, width: 1200, height: 675 });
    expect(face).toMatchObject({ face_id: 0 });
    expect(screen!.output.y + screen!.output.height).toBeLessThanOrEqual(face!.output.y);
  });

  test('no window holds bars, and the whole picture is without them', () => {
    for (const layout of ['auto', 'fit'] as const)
      for (const { panels } of planOf(ruleScenes.bars, { layout }).segments)
        for (const { keyframes } of panels)
          for (const { x, width } of keyframes) {
            expect(x).toBeGreaterThanOrEqual(240);
            expect(x + width).toBeLessThanOrEqual(1680);
          }
  });

  test('lettering is not cut through where the window can go out of its way', () => {
    const text = { kind: 'text' as const, start_frame: 0, end_frame: 500, confidence: 0.9 };
    const banner = { ...text, x: 1000, y: 900, width: 260, height: 60 };
    const person = { at: { x: 900, y: 460 }, size: 220, speaks: [[0, 8]] as [number, number][] };
    const plan = planStage({ people: [person], durationSec: 8, content: { rectangles: [banner] } });
    const { x, width } = cropAtFrame(plan, 0).panels[0]!.source;
    expect(x + width).toBeGreaterThanOrEqual(1260);
  });

  test('a head that turns away for a moment changes nothing, under another number as well', () => {
    expect(told(planOf(ruleScenes.turned))).toEqual([[0, 'single', '0']]);
    const person = ruleScenes.turned.stage.people[0]!;
    const people = [
      { ...person, seen: [[0, 4]] as [number, number][] },
      { ...person, seen: [[7.2, 12]] as [number, number][] },
    ];
    expect(layoutsOf(planStage({ people, durationSec: 12 }))).toEqual(['single']);
  });

  test('a player among others is followed; what leaps about, or is everywhere, is shown whole', () => {
    // A match as measurements tell it: the camera pans and others run as well, so that little is concentrated.
    const match = (more: { leapPx?: number; width?: number }) => ({
      people: [],
      durationSec: 12,
      content: {
        motion: Array.from({ length: 30 }, (_, i) => ({
          frame_number: 10 * i,
          timestamp: 0.4 * i,
          x: 500 + 300 * Math.sin(i / 5) + (i % 3 ? 0 : (more.leapPx ?? 0)),
          y: 500,
          width: more.width ?? (i % 5 ? 300 : 700),
          height: 300,
          confidence: 0.3 + 0.08 * (i % 4),
        })),
      },
    });
    const { segments } = planStage(match({}));
    expect(segments).toMatchObject([{ layout: 'single', reason: 'motion' }]);
    expect(segments[0]!.panels[0]!.keyframes.length).toBeGreaterThan(5);
    for (const other of [match({ leapPx: 500 }), match({ width: 700 })])
      expect(planStage(other).segments).toMatchObject([{ layout: 'fit', reason: 'no_subject' }]);
  });

  test('what moves is followed where nobody is there', () => {
    const plan = planOf(ruleScenes.motion);
    expect(plan.segments).toMatchObject([{ layout: 'single', reason: 'motion' }]);
    for (const frame of [10, 100, 190]) {
      const { x, width } = cropAtFrame(plan, frame).panels[0]!.source;
      const middle = 400 + (30 * 3 * frame) / 25;
      expect(x).toBeLessThan(middle);
      expect(x + width).toBeGreaterThan(middle);
    }
  });

  test('a moving title is shown whole: no window cuts its words', () => {
    const { content } = ruleScenes.motion.stage;
    const title = (width: number) => ({
      x: 960 - width / 2,
      y: 380,
      width,
      height: 200,
      kind: 'text' as const,
      start_frame: 20,
      end_frame: 200,
      confidence: 0.99,
    });
    const view = (width: number) =>
      planStage({ people: [], durationSec: 8, content: { ...content, rectangles: [title(width)] } })
        .segments[0];
    expect(view(1240)).toMatchObject({ layout: 'fit', reason: 'no_subject' });
    // What a window holds may be a number on a shirt.
    expect(view(200)).toMatchObject({ layout: 'single', reason: 'motion' });
  });

  test('before anybody comes the picture is whole: no window waits before a wall', () => {
    const comes = (sec: number) =>
      planStage({ people: [{ at: { x: 1600, y: 500 }, size: 120, seen: [[sec, 8]] }], durationSec: 8 });
    expect(told(comes(1.4))).toEqual([
      [0, 'fit', ''],
      [1.4, 'single', '0'],
    ]);
    // Too short to be read: a detector may take its time.
    expect(told(comes(0.8))).toEqual([[0, 'single', '0']]);
  });

  test('room is left on the side that a face looks to, whatever side of the picture the face is on', () => {
    const placeOf = (x: number, turn?: number) => {
      const gazes = Array.from({ length: 20 }, (_, i) => ({
        face_id: 0,
        frame_number: 10 * i,
        timestamp: 0.4 * i,
        turn: turn ?? 0,
      }));
      const person = { at: { x, y: 500 }, size: 200, speaks: [[0, 8]] as [number, number][] };
      const content = turn === undefined ? {} : { gazes };
      const [segment] = planStage({ people: [person], durationSec: 8, content }).segments;
      const { x: left, width } = segment!.panels[0]!.keyframes[0]!;
      return (x - left) / width;
    };
    expect(placeOf(960)).toBeCloseTo(0.5, 2);
    expect(placeOf(960, 0.3)).toBeCloseTo(0.44, 2);
    expect(placeOf(960, -0.3)).toBeCloseTo(0.56, 2);
    expect(placeOf(960, 0.05)).toBeCloseTo(0.5, 2);
    // Without landmarks, whoever is on the right is taken to look to the left.
    expect(placeOf(1440)).toBeCloseTo(0.56, 2);
    expect(placeOf(1440, 0.3)).toBeCloseTo(0.44, 2);
  });
});

describe('who is who', () => {
  const stage = ruleScenes.long.stage;
  const people = stage.people.map((person, i) => ({ ...person, personId: 40 + i }));

  test('nobody sees whom the caller leaves out', () => {
    const plan = planStage({ ...stage, people }, { subjects: [{ personId: 41, role: 'ignore' }] });
    expect(views(plan)).toEqual([[0, 0]]);
    expect(plan.segments[0]!.panels[0]!.person_id).toBe(40);
  });

  test('a host is shown while nobody speaks, however small', () => {
    const silent = [
      { at: { x: 400, y: 460 }, size: 300 },
      { at: { x: 1500, y: 460 }, size: 150 },
    ];
    const subjects = [{ personId: 1, role: 'host' as const }];
    expect(views(planStage({ people: silent, durationSec: 6 }, { subjects }))).toEqual([[0, 1]]);
    expect(views(planStage({ people: silent, durationSec: 6 }))).toEqual([[0, 0]]);
  });

  test('of two at once the weightier is shown', () => {
    const both = { ...ruleScenes.momentary.stage };
    const subjects = [{ personId: 1, role: 'guest' as const, weight: 2 }];
    expect(planStage(both, { subjects }).segments[1]!.start_frame / 25).toBeLessThanOrEqual(5);
    expect(planStage(both).segments[1]!.start_frame / 25).toBeCloseTo(6, 1);
  });
});

describe('what is no layout for the picture', () => {
  const { stage } = ruleScenes.slides;
  const [presenter] = stage.people;
  /** Beside the slides, or within what looks like slides: one of the panels of a broadcast. */
  const among = (x: number) => ({ ...stage, people: [presenter!, { at: { x, y: 400 }, size: 200 }] });

  test('a screen that holds faces is a broadcast, which nobody presents', () => {
    expect(layoutsOf(planStage(among(600)))).not.toContain('screen-speaker');
    // A head that reaches into a slide by its edge does not make it a broadcast.
    expect(layoutsOf(planStage(among(1320)))).toContain('screen-speaker');
  });

  test('who asks for the screen of a broadcast gets it', () => {
    const overrides = [{ startSec: 2, endSec: 6, layout: 'screen-speaker' as const, faceIds: [0] }];
    const asked = planStage(among(600), { overrides }).segments.find(({ reason }) => reason === 'override')!;
    expect(asked.panels[0]!.keyframes[0]).toMatchObject({ x: 80, y: 100, width: 1200, height: 675 });
  });

  test('the window of a panel ends between its face and the next', () => {
    const even = (x: number) => ({ at: { x, y: 400 }, size: 300, confidence: () => 0.5 });
    const apart = planStage({ people: [even(400), even(1700)], durationSec: 10 });
    expect(layoutsOf(apart)).toEqual(['stack']);
    const [left, right] = apart.segments[0]!.panels.map(({ keyframes }) => keyframes[0]!);
    expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x + 1);
  });
});

describe('what the caller asks for', () => {
  test('only the layouts that are allowed are used', () => {
    const plan = planOf(ruleScenes.unsure, { layouts: ['single', 'fit'] });
    expect(layoutsOf(plan)).toEqual(['single']);
  });

  test.each(['stack', 'grid-3', 'grid-4', 'group', 'screen-speaker', 'inset'] as const)(
    '%s is obeyed where it is possible',
    layout => {
      const { stage } = ruleScenes.panel;
      const content = ruleScenes.slides.stage.content;
      const plan = planStage({ ...stage, content }, { layout });
      expect(new Set(layoutsOf(plan))).toEqual(new Set([layout]));
      expect(new Set(layoutsOf(planOf(ruleScenes.turned, { layout })))).toEqual(new Set(['single']));
    },
  );

  test('a correction names a layout and its faces, in their order', () => {
    const plan = planOf(ruleScenes.panel, {
      overrides: [{ startSec: 4, endSec: 8, layout: 'stack', faceIds: [3, 1] }],
    });
    const corrected = plan.segments.find(segment => segment.reason === 'override')!;
    expect(corrected).toMatchObject({ start_frame: 100, end_frame: 200, layout: 'stack', confidence: 1 });
    expect(corrected.panels.map(panel => panel.face_id)).toEqual([3, 1]);
  });

  test('a layout that the faces do not suffice for changes nothing', () => {
    const overrides = [{ startSec: 2, endSec: 4, layout: 'grid-4' as const }];
    expect(told(planOf(ruleScenes.sure, { overrides }))).toEqual(told(planOf(ruleScenes.sure)));
    expect(layoutsOf(planStage({ people: [], durationSec: 4 }, { layout: 'stack' }))).toEqual(['fit']);
  });

  test.each([
    ['16:9', { width: 16, height: 9 }],
    ['1:1', { width: 1, height: 1 }],
    ['4:5', { width: 4, height: 5 }],
  ])('every scene has a plan at %s', (_, aspect) => {
    for (const scene of Object.values(ruleScenes))
      planOf(scene, { aspect, gapRatio: 0.01, cornerRadiusRatio: 0.02 });
  });

  test('gaps and round corners leave a background, and say which', () => {
    const request = {
      gapRatio: 0.02,
      cornerRadiusRatio: 0.03,
      background: 'colour',
      backgroundColour: '#102030',
    } as const;
    const [segment] = planOf(ruleScenes.unsure, request).segments;
    expect(segment).toMatchObject({ background: 'colour', background_colour: '#102030' });
    expect(segment!.panels.map(panel => panel.corner_radius)).toEqual([32, 32]);
    expect(planOf(ruleScenes.unsure).segments[0]).not.toHaveProperty('background');
  });

  test('changes go before or after the voice, cuts of the source do not', () => {
    const at = (cutOffsetSec: number) =>
      planStage({ ...ruleScenes.long.stage, cuts: [6] }, { cutOffsetSec }).segments.map(
        s => s.start_frame / 25,
      );
    expect(at(0)).toEqual([0, 3, 6, 9]);
    expect(at(-0.2)).toEqual([0, 2.8, 6, 8.8]);
    expect(at(0.2)).toEqual([0, 3.2, 6, 9.2]);
  });
});

test('a calm plan changes less often than a lively one', () => {
  const turns = (who: 0 | 1): [number, number][] =>
    Array.from({ length: 8 }, (_, i): [number, number] => [i * 2, i * 2 + 2]).filter((_, i) => i % 2 === who);
  const [left, right] = ruleScenes.long.stage.people;
  const stage = {
    people: [
      { ...left!, speaks: turns(0) },
      { ...right!, speaks: turns(1) },
    ],
    durationSec: 16,
  };
  const count = (pace: 'calm' | 'standard' | 'lively') => planStage(stage, { pace }).segments.length;
  expect(count('calm')).toBeLessThan(count('standard'));
  expect(count('standard')).toBeLessThanOrEqual(count('lively'));
});
