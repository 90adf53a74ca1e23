import type { Plan } from '../schema/plan.js';

/** Frames per second as an exact fraction, and how timecode counts them. */
export type TimelineRate = {
  readonly numerator: number;
  readonly denominator: number;
  /** Frames that one second of timecode counts: 30 for 29.97. */
  readonly nominal: number;
  /** Whether timecode leaves numbers out, so that it keeps to the clock: 29.97, 59.94 and 119.88. */
  readonly isDropFrame: boolean;
};

/** Rates that cameras and editors have beside whole numbers: these divided by 1.001. */
const pulledDown: readonly number[] = [24, 30, 48, 60, 120];
/** What editors offer, from low to high. */
const standard = [24, 25, 30, 50, 60, 100, 120].flatMap(nominal =>
  pulledDown.includes(nominal) ? [rateOf(nominal, 1001), rateOf(nominal, 1)] : [rateOf(nominal, 1)],
);
/** Averages are rounded and files leave a frame out; 29.97 and 30 are 1/1000 apart. */
const tolerance = 2e-4;

function rateOf(nominal: number, denominator: 1 | 1001): TimelineRate {
  const numerator = denominator === 1 ? nominal : nominal * 1000;
  return { numerator, denominator, nominal, isDropFrame: denominator === 1001 && nominal % 30 === 0 };
}

/**
 * The rate of a timeline for a plan.
 *
 * @param asked - Hz; default by the plan's own clock.
 * @throws RangeError for a rate that is not above 0.
 */
export function timelineRate(plan: Plan, asked: number = plan.video_fps): TimelineRate {
  if (!(asked > 0 && asked <= 1000)) throw new RangeError(`frameRateHz must lie in 0–1000, not ${asked}.`);
  const exact = [1001, 1].flatMap(denominator => {
    const nominal = Math.round((asked * denominator) / (denominator === 1 ? 1 : 1000));
    const isKnown = denominator === 1 || pulledDown.includes(nominal);
    const rate = rateOf(nominal, denominator as 1 | 1001);
    return nominal > 0 && isKnown && Math.abs(hz(rate) / asked - 1) < tolerance ? [rate] : [];
  })[0];
  if (exact) return exact;
  const above = standard.find(rate => hz(rate) >= asked) ?? rateOf(Math.ceil(asked), 1);
  if (asked !== plan.video_fps || !isEven(plan)) return above;
  // A steady clock that nobody sells, such as 12.5 Hz: thousandths are what containers know.
  return {
    ...{ numerator: Math.round(asked * 1000), denominator: 1000 },
    ...{ nominal: Math.ceil(asked), isDropFrame: false },
  };
}

/** Frames per second. */
export const hz = ({ numerator, denominator }: TimelineRate): number => numerator / denominator;

/** Whether the plan's frames come at a steady rate, as far as its keyframes tell. */
function isEven({ segments, video_fps }: Plan): boolean {
  const keys = segments.flatMap(({ panels }) => panels[0]!.keyframes);
  const [first] = keys;
  return keys.every(key => {
    const expected = first!.timestamp + (key.frame_number - first!.frame_number) / video_fps;
    return Math.abs(key.timestamp - expected) < 0.5 / video_fps;
  });
}

/** The frame of a timeline that is shown at a time. */
export const frameAt = (timeSec: number, rate: TimelineRate): number => Math.round(timeSec * hz(rate));

/** `HH:MM:SS:FF`; with `;` before the frames where numbers are left out (SMPTE ST 12-1). */
export function timecode(frame: number, { nominal, isDropFrame }: TimelineRate): string {
  let count = frame;
  if (isDropFrame) {
    // Two numbers of 30 go in each minute but every tenth.
    const dropped = nominal / 15;
    const perMinute = nominal * 60 - dropped;
    const perTen = perMinute * 10 + dropped;
    const tens = Math.floor(frame / perTen);
    const rest = frame % perTen;
    const minutes = rest < nominal * 60 ? 0 : 1 + Math.floor((rest - nominal * 60) / perMinute);
    count += dropped * (9 * tens + minutes);
  }
  const seconds = Math.floor(count / nominal);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  return `${clock}${isDropFrame ? ';' : ':'}${two(count % nominal)}`;
}

/**
 * The frame that a timecode names.
 *
 * @throws RangeError for text that is no timecode, and for numbers that drop-frame timecode leaves out.
 */
export function frameOfTimecode(text: string, { nominal, isDropFrame }: TimelineRate): number {
  const match = /^(\d\d):(\d\d):(\d\d)([:;.,])(\d{2,3})$/.exec(text);
  const [hours, minutes, seconds, frames] = [1, 2, 3, 5].map(i => Number(match?.[i])) as [
    number,
    number,
    number,
    number,
  ];
  const isDropped = match !== null && match[4] !== ':';
  const dropped = isDropFrame && isDropped ? nominal / 15 : 0;
  const isLeftOut = seconds === 0 && frames < dropped && minutes % 10 !== 0;
  if (!match || minutes > 59 || seconds > 59 || frames >= nominal || isLeftOut)
    throw new RangeError(`startTimecode must be HH:MM:SS:FF at ${nominal} frames a second, not ${text}.`);
  const passed = hours * 60 + minutes;
  return nominal * (passed * 60 + seconds) + frames - dropped * (passed - Math.floor(passed / 10));
}
