import { clamp } from '../../series.js';
import { contain, even, isUpright, type LayoutShape } from './layout-shape.js';

/** The part of the output's longer side that a screen gets at least and at most, whatever its aspect. */
const [leastRatio, mostRatio] = [0.3, 0.64];

/**
 * Slides or a screen on top, whole and as wide as the output; the face fills what is left below. In a wide output the
 * screen is on the left.
 */
export const screenSpeaker: LayoutShape = {
  faces: [1, 1],
  hasScreen: true,
  panels({ output, gapPx, content = { width: 16, height: 9 } }) {
    const { width, height } = output;
    const gap = even(gapPx);
    if (isUpright(output)) {
      const whole = even(
        clamp((width * content.height) / content.width, leastRatio * height, mostRatio * height),
      );
      const screen = contain(content, { x: 0, y: 0, width, height: whole });
      return [screen, { x: 0, y: whole + gap, width, height: height - whole - gap }];
    }
    const whole = even(
      clamp((height * content.width) / content.height, leastRatio * width, mostRatio * width),
    );
    const screen = contain(content, { x: 0, y: 0, width: whole, height });
    return [screen, { x: whole + gap, y: 0, width: width - whole - gap, height }];
  },
};
