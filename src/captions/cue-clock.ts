/** A time as cues write it: `HH:MM:SS`, the mark, milliseconds. */
export function cueClock(timeSec: number, mark: '.' | ','): string {
  const ms = Math.round(Math.max(0, timeSec) * 1000);
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  const clock = parts.map(part => String(part).padStart(2, '0')).join(':');
  return `${clock}${mark}${String(ms % 1000).padStart(3, '0')}`;
}
