import type { StepName } from '../../schema/job.js';
import { type Ledger, openHolds } from './credits.js';
import type { Records } from './records.js';
import { isUnfinished, moveSteps, type Video } from './state.js';

/** What a request asks of a new video. */
export type NewVideo = Pick<Video, 'source' | 'resumable'> &
  Partial<Pick<Video, 'startSec' | 'endSec' | 'notes' | 'job'>>;

/** The record of a video that nothing was done for yet. */
export function toVideo({ notes = [], ...given }: NewVideo, nowMs: number): Video {
  return {
    ...given,
    id: crypto.randomUUID(),
    notes,
    steps: { ingest: { status: 'pending' } },
    latest: 'ingest',
    createdMs: nowMs,
    updatedMs: nowMs,
  };
}

/**
 * Puts a store in order in which a page was closed or killed: holds without an open job are released, and steps that
 * were under way are to be done.
 *
 * @returns The videos that are unfinished.
 */
export async function takeUp(records: Records, ledger: Ledger): Promise<Video[]> {
  for (const id of openHolds(ledger.entries).keys()) {
    const video = records.videos.get(id);
    if (!video?.job || !isUnfinished(video)) await records.write(ledger.release(id, 'left over'));
  }
  const open: Video[] = [];
  for (const { waitingFor: _again, ...video } of records.videos.values()) {
    if (!isUnfinished(video)) continue;
    const cut = Object.entries(video.steps).filter(([, { status }]) => status === 'processing');
    const steps = cut.map(([step]) => step as StepName);
    const pending = moveSteps(video, steps, { status: 'pending' }, Date.now());
    await records.save(pending);
    open.push(pending);
  }
  return open;
}
