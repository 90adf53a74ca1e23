import type { Progress } from '../src/schema/progress.js';

const names: Record<Progress['stage'], string> = {
  models: 'loading models',
  probe: 'opening',
  analyse: 'finding the speaker',
  plan: 'planning',
  render: 'rendering',
  audio: 'sound',
};

/**
 * Shows progress on standard error: one line that is drawn again in a terminal, else a line per tenth.
 *
 * @returns The receiver of progress, and `end` to leave the line.
 */
export function createProgressBar(stream: NodeJS.WriteStream = process.stderr) {
  let lastTenth = -1;
  return {
    report({ stage, doneRatio, etaSec }: Progress): void {
      const percent = `${Math.floor(doneRatio * 100)}`.padStart(3);
      const eta = etaSec === undefined || doneRatio >= 1 ? '' : `, ${clock(etaSec)} left`;
      if (stream.isTTY) {
        const filled = Math.round(doneRatio * 30);
        stream.write(
          `\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${percent} % ${names[stage]}${eta}`,
        );
        return;
      }
      const tenth = Math.floor(doneRatio * 10);
      if (tenth === lastTenth) return;
      lastTenth = tenth;
      stream.write(`${percent} % ${names[stage]}${eta}\n`);
    },
    end(): void {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}

/** Seconds as `m:ss`. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
