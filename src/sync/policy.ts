import type { ReframeRequest } from '../schema/job.js';

/** Where a job may run. */
export type Place = 'local' | 'remote';

/** What decides where jobs run. */
export type SyncPolicy = {
  /** `auto`: on this device, unless it is predicted to be too slow. Default `auto`. */
  readonly where?: Place | 'auto';
  /**
   * Seconds of work that one second of media takes on this device; `measureSpeed` of `edge-reframe/service` tells.
   * Asked for `auto` only.
   */
  readonly benchmark?: () => Promise<number>;
  /** With `auto`, a device that takes longer than this many times the clip's length is too slow. Default 4. */
  readonly slowerThan?: number;
};

/** Why a job runs where it does. */
export type PlaceReason =
  | 'asked' // the caller or the policy named the place
  | 'not_allowed' // the caller did not allow that this job goes remote
  | 'remote_needs_url' // the source has no public address
  | 'fast_enough'
  | 'too_slow'
  | 'not_measured';

/** What was decided about a job. */
export type Decision = {
  /** Where the job runs. */
  readonly where: Place;
  /** Why the job runs there. */
  readonly reason: PlaceReason;
  /** Seconds of work per second of media that were measured; only with `auto`. */
  readonly measured?: number;
  /** The bound that `measured` was held against: `slowerThan` of the policy. */
  readonly bound?: number;
  /** Predicted minutes; only where the clip's length is known. */
  readonly predictedMin?: number;
};

/** Whether another machine can fetch an address. */
export function isPublic(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const isNear =
    /^(localhost|.*\.(localhost|local|internal)|\[.*\]|127\..*|10\..*|192\.168\..*|169\.254\..*|172\.(1[6-9]|2\d|3[01])\..*|0\.0\.0\.0)$/;
  return (protocol === 'https:' || protocol === 'http:') && !isNear.test(hostname);
}

/**
 * Decides where a job runs. Only a job that its caller allowed to, and whose source others can fetch, goes remote.
 *
 * @param durationSec - Length of the source, where it is known; only for the prediction in minutes.
 */
export async function choosePlace(
  request: ReframeRequest,
  { where = 'auto', benchmark, slowerThan = 4 }: SyncPolicy,
  { allowRemote, durationSec }: { readonly allowRemote: boolean; readonly durationSec?: number | undefined },
): Promise<Decision> {
  if (where === 'local') return { where, reason: 'asked' };
  if (!isPublic(request.url)) return { where: 'local', reason: 'remote_needs_url' };
  if (!allowRemote) return { where: 'local', reason: 'not_allowed' };
  if (where === 'remote') return { where, reason: 'asked' };
  if (!benchmark) return { where: 'local', reason: 'not_measured' };
  const measured = await benchmark();
  const endSec = request.end_time ?? durationSec;
  const clipSec = endSec === undefined ? undefined : endSec - (request.start_time ?? 0);
  const tooSlow = measured > slowerThan;
  return {
    where: tooSlow ? 'remote' : 'local',
    reason: tooSlow ? 'too_slow' : 'fast_enough',
    measured,
    bound: slowerThan,
    ...(clipSec !== undefined && { predictedMin: (clipSec * measured) / 60 }),
  };
}
