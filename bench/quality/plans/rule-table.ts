import type { Plan } from '../../../src/schema/plan.js';
import { analyse, type Stage } from '../../../test/unit/core/plan/invented-scene.js';
import { type RuleScene, ruleScenes } from '../../../test/unit/core/plan/rule-scenes.js';
import { PlanView, round } from '../../harness/measure-geometry.js';
import type { Sheet } from '../../harness/sheet.js';
import type { Planner } from './planner.js';

/** A face lower than this share of the output is not seen to speak. */
const leastFaceRatio = 0.06;

/** One invented scene a rule: what each planner makes of it. */
export function tellRules(sheet: Sheet, planners: readonly Planner[]): void {
  sheet.say(
    `${'rule'.padEnd(36)}${'planner'.padEnd(9)}${'views/min'.padStart(10)}${'shortest'.padStart(10)}${'seen'.padStart(7)}  layouts`,
  );
  for (const { rule, stage, request } of Object.values(ruleScenes) as RuleScene[])
    planners.forEach((planner, i) => {
      const plan = planner.plan(analyse(stage), request);
      const figures = {
        viewsPerMin: round((plan.segments.length * 60) / stage.durationSec, 1),
        shortestSec: round(
          Math.min(...plan.segments.map(s => s.end_frame - s.start_frame)) / plan.video_fps,
          2,
        ),
        talkerSeen: talkerSeen(plan, stage),
      };
      const row = plan.segments.map(({ layout, panels }) => {
        const ids = panels.map(panel => panel.face_id).filter(id => id !== undefined);
        return ids.length ? `${layout} ${ids.join('+')}` : layout;
      });
      const layouts =
        row.length > 5 ? `${row.slice(0, 3).join(', ')} … (${row.length} views)` : row.join(', ');
      sheet.say(
        [
          (i ? '' : rule).padEnd(36),
          planner.name.padEnd(9),
          figures.viewsPerMin.toFixed(1).padStart(10),
          figures.shortestSec.toFixed(2).padStart(10),
          (figures.talkerSeen === undefined ? '–' : figures.talkerSeen.toFixed(2)).padStart(7),
          `  ${layouts}`,
        ].join(''),
      );
      sheet.keep({ what: rule, planner: planner.name, ...figures, layouts: row });
    });
}

/** Share of the speech of a scene whose talker a window shows, large enough; nothing where nobody speaks. */
function talkerSeen(plan: Plan, { people, durationSec }: Stage): number | undefined {
  const view = new PlanView(plan);
  const fps = plan.video_fps;
  let [spoken, seen] = [0, 0];
  for (let frame = 0; frame < Math.round(durationSec * fps); frame++) {
    const sec = frame / fps;
    for (const { at, size = 250, speaks = [] } of people) {
      if (!speaks.some(([from, to]) => from <= sec && sec < to)) continue;
      const middle = typeof at === 'function' ? at(sec) : at;
      const box = [middle.x - 0.375 * size, middle.y - size / 2, 0.75 * size, size] as const;
      spoken++;
      const isSeen = view
        .windows(frame)
        .some(window => view.holdsWidth(box, window) && view.sizeOf(box, window) >= leastFaceRatio);
      if (isSeen) seen++;
    }
  }
  return spoken ? seen / spoken : undefined;
}
