import { execFileSync } from 'node:child_process';
import type { FaceTracking } from '../../src/schema/result.js';

const cellPx = 96;
const mostColumns = 14;

/** Draws a row for each person with all of the person's faces, each from the middle of its track, for whoever wants to look. */
export function drawPeople(file: string, { tracks }: FaceTracking, to: string): void {
  const people = new Map<number | string, FaceTracking['tracks'][number][]>();
  for (const track of tracks) {
    const key = track.person_id ?? `face ${track.face_id}`;
    people.set(key, [...(people.get(key) ?? []), track]);
  }
  const rows = [...people.values()].sort((a, b) => b.length - a.length);
  const columns = Math.min(mostColumns, rows[0]?.length ?? 0);
  if (!columns) return;
  const cells = rows.flatMap((row, y) => row.slice(0, columns).map((track, x) => ({ track, x, y })));
  const split = `[0:v]split=${cells.length}${cells.map((_, i) => `[s${i}]`).join('')}`;
  const cut = cells.map(({ track: { boxes } }, i) => {
    const { frame_number, x, y, width, height } = boxes[boxes.length >> 1]!;
    const side = Math.round(1.4 * Math.max(width, height));
    const [left, top] = [Math.round(x + width / 2 - side / 2), Math.round(y + height / 2 - side / 2)];
    // Padding first: faces reach over edges.
    const crop = `pad=iw+${2 * side}:ih+${2 * side}:${side}:${side},crop=${side}:${side}:${left + side}:${top + side}`;
    return `[s${i}]select='eq(n,${frame_number})',${crop},scale=${cellPx}:${cellPx},setsar=1,setpts=0[c${i}]`;
  });
  const layout = cells.map(({ x, y }) => `${x * cellPx}_${y * cellPx}`).join('|');
  const stack = `${cells.map((_, i) => `[c${i}]`).join('')}xstack=inputs=${cells.length}:layout=${layout}:fill=gray`;
  const whole = cells.length > 1 ? stack : '[c0]null';
  const filters = [split, ...cut, whole].join(';');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', file, '-filter_complex', filters, '-frames:v', '1', to]);
}
