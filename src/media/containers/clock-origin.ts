/**
 * Containers whose clock begins anywhere, by the names that both demuxers have for them: broadcasts, recordings of live
 * streams. All others have a timeline of their own, with a 0.
 */
const startsAnywhere = /transport stream|mpegts|^mpeg$|^flv$|live streaming/i;

/**
 * What counts as 0 s: the 0 of the container's timeline, as a `<video>` element has it, also where nothing is shown or
 * heard until later; without a timeline the first sample.
 *
 * @param firstSamplesUs - When picture and sound begin, in µs on the container's clock.
 * @returns µs on the container's clock.
 */
export const clockOriginUs = (container: string, firstSamplesUs: readonly number[]): number =>
  startsAnywhere.test(container) ? Math.min(...firstSamplesUs) : 0;
