import type { AnalysisParts } from '../../../src/schema/result.js';
import { analyse } from '../../../test/unit/core/plan/invented-scene.js';
import type { Sheet } from '../../harness/sheet.js';
import { createRandom } from './flip-evidence.js';
import type { Planner } from './planner.js';

/** Time of one plan with four faces, on this machine: the processor's, best of five, whatever else runs beside it. */
export function tellPlanTime(sheet: Sheet, planners: readonly Planner[]): void {
  sheet.say();
  sheet.say(
    `${'plan of four faces'.padEnd(40)}${planners.map(({ name }) => `${name}, ms`.padStart(12)).join('')}`,
  );
  for (const cutEverySec of [8, undefined])
    for (const minutes of [10, 120]) {
      const parts = conversation(minutes * 60, cutEverySec);
      const name = `${minutes} min, ${cutEverySec === undefined ? 'one shot' : `a cut every ${cutEverySec} s`}`;
      const times = planners.map(planner =>
        Math.min(
          ...Array.from({ length: 5 }, () => {
            const before = process.cpuUsage();
            planner.plan(parts);
            const { user, system } = process.cpuUsage(before);
            return (user + system) / 1000;
          }),
        ),
      );
      sheet.say(`${name.padEnd(40)}${times.map(ms => ms.toFixed(0).padStart(12)).join('')}`);
      sheet.keep({
        what: name,
        ...Object.fromEntries(planners.map((planner, i) => [planner.name, times[i]])),
      });
    }
}

/** Four people in a row, who speak in turns of 0.8 to 5.8 s. */
function conversation(durationSec: number, cutEverySec: number | undefined): AnalysisParts {
  const random = createRandom(7);
  const cuts: number[] = [];
  for (let sec = cutEverySec ?? durationSec; sec < durationSec; sec += cutEverySec!) cuts.push(sec);
  const people = [0, 1, 2, 3].map(i => ({
    at: (sec: number) => ({ x: 300 + 440 * i + 20 * Math.sin(0.7 * sec + i), y: 480 }),
    size: 200,
  }));
  const parts = analyse({ people, durationSec, cuts });
  const talker = new Int8Array(parts.active_speaker.total_frames).fill(-1);
  for (let sec = 0.5, who = 0; sec < durationSec; who = Math.floor(4 * random())) {
    const endSec = sec + 0.8 + 5 * random();
    talker.fill(who, Math.round(sec * 25), Math.round(endSec * 25));
    sec = endSec + 0.4 * random();
  }
  for (const { face_id, scores } of parts.active_speaker.tracks)
    for (const score of scores) {
      score.speaking = talker[score.frame_number] === face_id % 100;
      score.score = score.speaking ? 2 : -2;
    }
  return parts;
}
