import { expect, test } from 'vitest';
import { newestOnly } from '../../../demo/newest.js';

test('wishes that come during the work make it run once more, with what holds then', async () => {
  const seen: number[] = [];
  let now = 0;
  let finish = () => {};
  const wish = newestOnly(async () => {
    seen.push(now);
    await new Promise<void>(resolve => (finish = resolve));
  });
  const settle = async () => {
    finish();
    await new Promise(resolve => setImmediate(resolve));
  };
  for (now = 1; now <= 5; now++) wish();
  await settle();
  await settle();
  expect(seen).toEqual([1, 6]);
  now = 7;
  wish();
  expect(seen).toEqual([1, 6, 7]);
  await settle();
});
