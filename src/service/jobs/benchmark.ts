import type { Pipeline } from './steps.js';

/** Seconds of work that are watched before the speed is called. */
const watchSec = 2;

/**
 * Predicts how long jobs take here: analyses a source for two seconds and sees how far the analysis gets.
 * Loading models does not count.
 *
 * @param source - What is to be analysed later, or a sample like it.
 * @returns Seconds of work for one second of media; rendering is not included.
 * @throws ReframeError whatever the analysis throws before it has run so long.
 */
export async function measureSpeed(
  { analyse }: Pick<Pipeline, 'analyse'>,
  source: Blob | string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const enough = new AbortController();
  let startMs: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let processedSec = 0;
  const run = analyse(source, {
    signal: signal ? AbortSignal.any([signal, enough.signal]) : enough.signal,
    onProgress(progress) {
      if (progress.stage !== 'analyse') return;
      processedSec = Math.max(processedSec, progress.processedSec);
      startMs ??= performance.now();
      timer ??= setTimeout(() => enough.abort(), watchSec * 1000);
    },
  });
  try {
    const { diagnostics } = await run;
    processedSec = diagnostics.mediaSec;
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  const spentSec = (performance.now() - (startMs ?? performance.now())) / 1000;
  return processedSec > 0 ? spentSec / processedSec : Number.POSITIVE_INFINITY;
}
