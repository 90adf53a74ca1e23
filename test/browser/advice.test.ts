import { expect, test } from 'vitest';
import { createReframer } from '../../src/index.js';
import { regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { analyse } from '../unit/core/plan/invented-scene.js';

test('an advisor that asks for it is shown a frame of its moment with the numbered boxes', async () => {
  const { blob } = await drawnClip({
    size: { width: 640, height: 360 },
    timesSec: regularTimes(25, 50),
    shots: [{ startFrame: 0, discs: [150, 490].map(x => ({ x, y: 160, radius: 40 })) }],
  });
  const parts = analyse({
    ...{ width: 640, height: 360, durationSec: 2 },
    people: [150, 490].map(x => ({ at: { x, y: 160 }, size: 100, speaks: [[0, 2]], confidence: () => 0.5 })),
  });
  const reframer = createReframer({ device: 'wasm', threads: 1 });
  let picture: Blob | undefined;
  const advised = await reframer.advise(
    { parts },
    {},
    async (_question, call) => {
      picture = await call.picture!();
      return { layout: 'fit', faces: [], reason: 'seen', confidence: 1 };
    },
    { source: blob },
  );
  reframer.close();
  expect(advised.notes).toHaveLength(2);
  expect(advised.overrides).toMatchObject([{ layout: 'fit', source: 'advisor' }]);
  expect(picture!.type).toBe('image/jpeg');
  expect(picture!.size).toBeLessThan(60_000);
  const drawn = await createImageBitmap(picture!);
  expect([drawn.width, drawn.height]).toEqual([640, 360]);
  const context = new OffscreenCanvas(640, 360).getContext('2d')!;
  context.drawImage(drawn, 0, 0);
  const redness = (x: number, y: number) => {
    const [red, , blue] = context.getImageData(x, y, 1, 1).data;
    return red! - blue!;
  };
  // The left edges of both boxes, 37 pixels beside the middles: the first is yellow, the second cyan.
  const between = redness(320, 180);
  expect(redness(112, 180) - between).toBeGreaterThan(60);
  expect(between - redness(452, 180)).toBeGreaterThan(60);
});
