import { describe, expect, test } from 'vitest';
import { cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import { planCrop } from '../../../../src/core/plan/plan.js';
import { completePlanRequest, defaultPlanRequest, type Plan } from '../../../../src/schema/plan.js';
import { analyse, checked, faceId, type Person, planStage, type Stage, views } from './invented-scene.js';

const left = { x: 450, y: 480 };
const right = { x: 1470, y: 480 };
const duo = (a: Person['speaks'], b: Person['speaks'], durationSec = 10): Stage => ({
  people: [
    { at: left, ...(a ? { speaks: a } : {}) },
    { at: right, ...(b ? { speaks: b } : {}) },
  ],
  durationSec,
});
const windowAt = (plan: Plan, frame: number) => cropAtFrame(plan, frame).panels[0]!.source;
const isFramed = (plan: Plan, frame: number, x: number, halfWidth = 94) => {
  const { source } = cropAtFrame(plan, frame).panels[0]!;
  return source.x <= x - halfWidth && x + halfWidth <= source.x + source.width;
};

describe('switching between speakers', () => {
  test('the camera is on the next speaker when the turn starts, and leaves nobody in mid-word', () => {
    const plan = planStage(duo([[0, 4]], [[5, 9]]));
    expect(plan.segments).toHaveLength(2);
    const change = plan.segments[1]!.start_frame;
    expect(change).toBeGreaterThan(100); // the last word ends with frame 99
    expect(change).toBeLessThanOrEqual(125 - 2); // there 0.1 s before the first word
    expect(isFramed(plan, 125, right.x)).toBe(true);
  });

  test('without a pause the change lies on the first word', () => {
    expect(views(planStage(duo([[0, 4]], [[4, 9]])))).toEqual([
      [0, 0],
      [100, 1],
    ]);
  });

  test('interjections do not move the camera', () => {
    expect(planStage(duo([[0, 10]], [[4, 4.6]])).segments).toHaveLength(1);
    expect(
      planStage(
        duo(
          [
            [0, 4],
            [5, 10],
          ],
          [[4.1, 4.8]],
        ),
      ).segments,
    ).toHaveLength(1);
  });

  test('flickering decisions do not move the camera', () => {
    const dropOuts: [number, number][] = [
      [0, 1.2],
      [1.5, 2.6],
      [3.3, 5],
      [5.6, 10],
    ];
    const wrongMarks: [number, number][] = [
      [1.2, 1.5],
      [7, 7.4],
      [8.6, 8.8],
    ];
    expect(planStage(duo(dropOuts, wrongMarks)).segments).toHaveLength(1);
  });

  test('whoever is framed stays framed while two speak at once for a moment', () => {
    expect(views(planStage(duo([[0, 6]], [[4.4, 9]])))).toEqual([
      [0, 0],
      [150, 1],
    ]);
  });

  test('a last word under the next turn does not hold the camera back', () => {
    expect(views(planStage(duo([[0, 4.3]], [[4, 9]])))[1]).toEqual([100, 1]);
  });

  test('a shot opens on the one who will speak first, however late', () => {
    const stage = duo([], [[8, 10]]);
    expect(
      views(planStage({ ...stage, people: [{ ...stage.people[0]!, size: 400 }, stage.people[1]!] })),
    ).toEqual([[0, 1]]);
  });

  test('when nobody speaks the obvious face is the subject', () => {
    const plan = planStage({
      people: [
        { at: { x: 200, y: 500 }, size: 100 },
        { at: { x: 1000, y: 500 }, size: 300 },
      ],
      durationSec: 6,
    });
    expect(views(plan)).toEqual([[0, 1]]);
    expect(plan.segments[0]).toMatchObject({ reason: 'subject', layout: 'single' });
  });

  test('neighbours that one window holds are shown together instead of cut between', () => {
    const plan = planStage({
      people: [
        { at: { x: 850, y: 480 }, size: 200, speaks: [[0, 3]] },
        { at: { x: 1100, y: 480 }, size: 200, speaks: [[3, 6]] },
      ],
      durationSec: 6,
    });
    expect(plan.segments).toHaveLength(1);
    expect(isFramed(plan, 10, 850, 75) && isFramed(plan, 10, 1100, 75)).toBe(true);
  });

  test('a face that leaves is left for one that is there', () => {
    const plan = planStage({
      people: [{ at: left, speaks: [[0, 3]], seen: [[0, 4]] }, { at: right }],
      durationSec: 8,
    });
    expect(views(plan)).toEqual([
      [0, 0],
      [100, 1],
    ]);
  });
});

describe('cuts', () => {
  test('a change at a cut lies exactly on its frame, and no window moves across it', () => {
    const plan = planStage({
      people: [
        { at: left, speaks: [[0, 5.2]] },
        { at: right, speaks: [[5.2, 10]] },
      ],
      durationSec: 10,
      cuts: [2.04, 5, 7.6],
    });
    const starts = plan.segments.map(segment => segment.start_frame);
    for (const cut of [51, 125, 190]) expect(starts).toContain(cut);
    // The turn changes 0.2 s after the cut: the shot opens on the next speaker instead of switching at once.
    expect(starts).toEqual([0, 51, 125, 190]);
    expect(plan.segments.map(segment => segment.scene_id)).toEqual([0, 1, 2, 3]);
  });

  test('a shot does not open with a view too short to read, even if the speaker is found a moment late', () => {
    const plan = planStage({
      people: [{ at: left }, { at: right, seen: [[0.35, 6]], speaks: [[0.35, 6]] }],
      durationSec: 6,
    });
    expect(views(plan)).toEqual([[0, 1]]);
  });

  test('a flash shot gets a view of its own', () => {
    const plan = planStage({ ...duo([[0, 10]], []), cuts: [4, 4.8] });
    expect(plan.segments.map(segment => segment.start_frame)).toEqual([0, 100, 120]);
  });
});

describe('what is framed', () => {
  test('the face is about a third from the top and whole', () => {
    const plan = planStage({
      people: [{ at: { x: 900, y: 500 }, size: 60, speaks: [[0, 4]] }],
      durationSec: 4,
    });
    const { x, y, width, height } = windowAt(plan, 50);
    expect((500 - y) / height).toBeGreaterThan(0.3);
    expect((500 - y) / height).toBeLessThan(0.45);
    expect(x + width / 2).toBeCloseTo(900, 0);
  });

  test('a small face is brought closer, but pixels are not blown up beyond measure', () => {
    const small = windowAt(planStage({ people: [{ at: left, size: 60 }], durationSec: 4 }), 0);
    expect(small.height).toBeLessThan(1080);
    expect(1920 / small.height).toBeLessThanOrEqual(2.5 + 1e-6);
    const large = windowAt(planStage({ people: [{ at: left, size: 300 }], durationSec: 4 }), 0);
    expect(large.height).toBe(1080);
  });

  test('any aspect gets windows of that aspect inside the source, full width where it is wide', () => {
    for (const aspect of [
      { width: 9, height: 16 },
      { width: 1, height: 1 },
      { width: 4, height: 5 },
      { width: 16, height: 9 },
      { width: 21, height: 9 },
    ]) {
      const plan = planStage(duo([[0, 4]], [[5, 9]]), { aspect, outputHeight: 720 });
      expect(plan.output_width % 2).toBe(0);
      for (const frame of [0, 60, 200]) {
        const { width, height } = windowAt(plan, frame);
        expect(width / height).toBeCloseTo(plan.output_width / plan.output_height, 1);
        if (aspect.width / aspect.height >= 16 / 9 - 0.01) expect(width).toBeCloseTo(1920, 0);
      }
    }
  });

  test('people anywhere, of any size, moving any way: windows stay inside and tile the clip', () => {
    let seed = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let round = 0; round < 30; round++) {
      const people = Array.from({ length: 1 + Math.floor(random() * 4) }, (): Person => {
        const [x, y, speed, start] = [random() * 1920, random() * 1080, (random() - 0.5) * 900, random() * 6];
        return {
          at: sec => ({ x: x + speed * sec, y: y + Math.sin(sec * speed) * 100 }),
          size: 20 + random() * 900,
          seen: [[random() * 3, 4 + random() * 6]],
          speaks: [[start, start + random() * 4]],
        };
      });
      const stage = { people, durationSec: 10, cuts: random() > 0.5 ? [2 + random() * 6] : [] };
      for (const camera of ['lock', 'follow', 'center'] as const)
        planStage(stage, { camera, aspect: { width: 1 + random() * 20, height: 9 } });
    }
  });
});

describe('layout', () => {
  const nobody: Stage = { people: [], durationSec: 4 };

  test('the whole picture is shown only where there is no subject', () => {
    const plan = planStage({ people: [{ at: left, seen: [[0, 4]] }], durationSec: 8, cuts: [4] });
    expect(plan.segments.map(segment => segment.layout)).toEqual(['single', 'fit']);
    expect(plan.segments[1]).toMatchObject({ reason: 'no_subject', background: 'blur' });
    expect(windowAt(plan, 150)).toEqual({ x: 0, y: 0, width: 1920, height: 1080 });
    const { output } = plan.segments[1]!.panels[0]!;
    expect(output.width / output.height).toBeCloseTo(16 / 9, 1);
  });

  test('a face that is away for a moment does not change the layout', () => {
    const seen: [number, number][] = [
      [0, 3],
      [4.5, 8],
    ];
    expect(planStage({ people: [{ at: left, seen }], durationSec: 8 }).segments).toHaveLength(1);
  });

  test('a face that no window holds is shown whole, a large one is not', () => {
    const at = { x: 960, y: 540 };
    expect(planStage({ people: [{ at, size: 1040 }], durationSec: 3 }).segments[0]).toMatchObject({
      layout: 'fit',
      reason: 'too_wide',
    });
    expect(planStage({ people: [{ at, size: 780 }], durationSec: 3 }).segments[0]!.layout).toBe('single');
  });

  test('single and fit are obeyed', () => {
    const single = planStage(nobody, { layout: 'single' });
    expect(single.segments[0]).toMatchObject({ layout: 'single', reason: 'no_subject' });
    const fit = planStage({ ...duo([[0, 4]], [[4, 9]]), cuts: [5] }, { layout: 'fit', background: 'black' });
    expect(new Set(fit.segments.map(segment => segment.layout))).toEqual(new Set(['fit']));
    expect(fit.segments[0]!.background).toBe('black');
    expect(fit.segments.map(segment => segment.start_frame)).toEqual([0, 125]);
  });

  test('the centre is obeyed', () => {
    const plan = planStage(duo([[0, 4]], [[4, 9]]), { camera: 'center' });
    expect(plan.segments).toHaveLength(1);
    expect(plan.segments[0]!.reason).toBe('center');
    const { x, width } = windowAt(plan, 100);
    expect(x + width / 2).toBeCloseTo(960, 1);
  });
});

describe('voices from off screen', () => {
  const stage = duo(
    [
      [0, 2],
      [8, 10],
    ],
    [[6.5, 7.5]],
  );

  test('stay keeps whoever is framed', () => {
    const plan = planStage(duo([[0, 2]], []));
    expect(views(plan)).toEqual([[0, 0]]);
  });

  test('wide shows everybody: in one window where one holds them, else in the widest crop that does', () => {
    const far = planStage(stage, { offScreen: 'wide' });
    const quiet = far.segments.find(segment => segment.start_frame <= 100 && segment.end_frame > 100)!;
    expect(quiet).toMatchObject({ layout: 'group', reason: 'group' });
    const all = windowAt(far, 100);
    expect(all.width).toBeLessThan(1920);
    expect(all.x).toBeLessThan(left.x - 94);
    expect(all.x + all.width).toBeGreaterThan(right.x + 94);
    const near = planStage(
      {
        people: [
          { at: { x: 850, y: 480 }, size: 200, speaks: [[0, 2]] },
          { at: { x: 1100, y: 480 }, size: 200 },
        ],
        durationSec: 8,
      },
      { offScreen: 'wide' },
    );
    const whole = { x: 0, y: 0, width: 1080, height: 1920 };
    for (const { panels } of near.segments) expect(panels).toMatchObject([{ output: whole }]);
    expect(isFramed(near, 150, 850, 75) && isFramed(near, 150, 1100, 75)).toBe(true);
  });

  test('reaction shows the face that listens longest', () => {
    const plan = planStage(
      duo(
        [
          [0, 2],
          [8, 10],
        ],
        [],
      ),
      { offScreen: 'reaction' },
    );
    const quiet = plan.segments.find(segment => segment.start_frame <= 100 && segment.end_frame > 100)!;
    expect(quiet.reason).toBe('reaction');
    expect(quiet.panels[0]!.face_id).toBe(1);
  });

  test('known voices tell silence from a voice off screen', () => {
    const speech = [{ startSec: 0, endSec: 2 }];
    expect(planStage(duo([[0, 2]], []), { offScreen: 'reaction' }, { speech }).segments).toHaveLength(1);
    const narrated = planStage(duo([], []), {}, { speech: [{ startSec: 0, endSec: 10 }] });
    expect(narrated.segments[0]!.reason).toBe('off_screen_speaker');
  });
});

describe('corrections', () => {
  const stage = duo([[0, 10]], []);

  test('a face, a box and a layout are shown for as long as asked, and the automatic plan around them', () => {
    const plan = planStage(stage, {
      overrides: [
        { startSec: 2, endSec: 4, faceId: 1 },
        { startSec: 5, endSec: 6, box: { x: 1000, y: 100, width: 200, height: 300 } },
        { startSec: 7, endSec: 8, layout: 'fit' },
      ],
    });
    expect(plan.segments.map(({ start_frame, reason, layout }) => [start_frame, reason, layout])).toEqual([
      [0, 'speaker', 'single'],
      [50, 'override', 'single'],
      [100, 'speaker', 'single'],
      [125, 'override', 'single'],
      [150, 'speaker', 'single'],
      [175, 'override', 'fit'],
      [200, 'speaker', 'single'],
    ]);
    expect(isFramed(plan, 75, right.x)).toBe(true);
    const box = windowAt(plan, 130);
    expect(box.x).toBeLessThanOrEqual(1000);
    expect(box.x + box.width).toBeGreaterThanOrEqual(1200 - 0.01);
    expect(box.y).toBeLessThanOrEqual(100);
    expect(box.y + box.height).toBeGreaterThanOrEqual(400 - 0.01);
  });

  test('a box with an end goes there in a straight line, in one size, and the next goes on from there', () => {
    const box = (x: number) => ({ x, y: 100, width: 300, height: 400 });
    const plan = planStage(stage, {
      overrides: [
        { startSec: 2, endSec: 4, box: box(100), endBox: box(900) },
        { startSec: 4, endSec: 6, box: box(900) },
      ],
    });
    const [from, half, to] = [windowAt(plan, 50), windowAt(plan, 75), windowAt(plan, 100)];
    expect(half.x).toBeCloseTo((from.x + to.x) / 2, 0);
    expect(half.width).toBeCloseTo(from.width, 1);
    expect(from.x + from.width / 2).toBeCloseTo(250, 0);
    expect(to.x + to.width / 2).toBeCloseTo(1050, 0);
    const wrong = [{ startSec: 0, endSec: 1, layout: 'fit' as const, endBox: box(0) }];
    expect(() => completePlanRequest({ overrides: wrong })).toThrow(/endBox goes with box/);
  });

  test('a later correction wins, and a face that is not there changes nothing', () => {
    const plan = planStage(stage, {
      overrides: [
        { startSec: 0, endSec: 10, layout: 'fit' },
        { startSec: 0, endSec: 10, faceId: 1 },
        { startSec: 0, endSec: 10, faceId: 77 },
      ],
    });
    expect(views(plan)).toEqual([[0, 1]]);
  });
});

describe('explanations', () => {
  test('each segment gives up to three alternatives, and is surer of a clear choice', () => {
    const people = [0, 1, 2, 3, 4].map(i => ({
      at: { x: 200 + i * 380, y: 500 },
      size: 200,
      speaks: i === 2 ? ([[0, 5]] as [number, number][]) : [],
    }));
    const [clear] = planStage({ people, durationSec: 5 }).segments;
    const [unclear] = planStage({
      people: people.map(({ at, size }) => ({ at, size })),
      durationSec: 5,
    }).segments;
    for (const segment of [clear!, unclear!]) {
      expect(segment.alternatives.length).toBeGreaterThan(0);
      expect(segment.alternatives.length).toBeLessThanOrEqual(3);
      expect(segment.alternatives.every(({ face_id }) => face_id !== segment.panels[0]!.face_id)).toBe(true);
    }
    expect(clear!.confidence).toBeGreaterThan(unclear!.confidence);
  });
});

describe('partial input', () => {
  const parts = analyse({ ...duo([[0, 4]], [[5, 9]]), cuts: [4.4] });
  const request = defaultPlanRequest;

  test('without decisions about speech there are subjects, without faces the whole picture', () => {
    const { active_speaker, ...noSpeech } = parts;
    expect(checked(planCrop(noSpeech, request)).segments.every(({ reason }) => reason === 'subject')).toBe(
      true,
    );
    const scenes = { scene_detection: parts.scene_detection };
    const plan = checked(planCrop(scenes, request, { size: { width: 1280, height: 720 } }));
    expect(plan.segments.map(({ layout }) => layout)).toEqual(['fit', 'fit']);
    expect(active_speaker.track_count).toBe(4);
  });

  test('without scenes the clip is one shot', () => {
    const { face_tracking_yolov8, active_speaker } = analyse(duo([[0, 4]], [[5, 9]]));
    expect(checked(planCrop({ face_tracking_yolov8, active_speaker }, request)).segments).toHaveLength(2);
  });

  test('parts that end early are planned to the end of the clip', () => {
    const early = {
      ...parts,
      scene_detection: { ...parts.scene_detection, scenes: parts.scene_detection.scenes.slice(0, 1) },
    };
    checked(planCrop(early, request));
  });

  test('a range is planned as part of the whole, on the same frame numbers', () => {
    const plan = checked(planCrop(parts, request, { firstFrame: 60, frameCount: 100 }));
    expect(plan).toMatchObject({ first_frame: 60, frame_count: 100, total_frames: 250 });
    expect(plan.segments.map(segment => segment.start_frame)).toEqual([60, 110]);
    expect(plan.segments[1]!.panels[0]!.face_id).toBe(faceId(1, 1));
  });

  test('what cannot be planned is refused by name', () => {
    expect(() => planCrop({}, request)).toThrow(TypeError);
    expect(() => planCrop({ scene_detection: parts.scene_detection }, request)).toThrow(/size/);
  });

  test('an empty clip has an empty plan', () => {
    expect(checked(planCrop(analyse({ people: [], durationSec: 0 }), request)).segments).toEqual([]);
  });
});

test('keyframes carry the true timestamps of a variable frame rate', () => {
  const timeOf = (frame: number) => frame / 25 + (frame > 60 ? 1.5 : 0) + (frame % 2 ? 0.01 : 0);
  const plan = planStage({ ...duo([[0, 4]], [[4, 9]]), timeOf });
  for (const { panels } of plan.segments)
    for (const { frame_number, timestamp } of panels[0]!.keyframes)
      expect(timestamp).toBeCloseTo(timeOf(frame_number), 6);
});
