import { expect, test } from 'vitest';
import { takeTurn } from '../../../../src/service/tabs/lock.js';

/** As much of the browser's lock manager as is used: one lock, waiting takers in order. */
function createLocks(): LockManager {
  let held = false;
  const waiting: (() => void)[] = [];
  const request = async (
    _name: string,
    { ifAvailable, signal }: LockOptions,
    take: (lock: Lock | null) => Promise<unknown>,
  ) => {
    if (held && ifAvailable) return take(null);
    if (held) {
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => {
          waiting.splice(waiting.indexOf(resolve), 1);
          reject(signal.reason);
        });
      });
    }
    held = true;
    try {
      return await take({ mode: 'exclusive', name: '' });
    } finally {
      held = false;
      waiting.shift()?.();
    }
  };
  return { request, query: async () => ({}) } as unknown as LockManager;
}

test('one has the turn, the next gets it when the first lets go', async () => {
  const locks = createLocks();
  const first = takeTurn('jobs', locks);
  await first.mine;
  const second = takeTurn('jobs', locks);
  await new Promise(resolve => setTimeout(resolve));
  expect([first.isElsewhere(), second.isElsewhere()]).toEqual([false, true]);
  first.release();
  await second.mine;
  expect(second.isElsewhere()).toBe(false);
  second.release();
});

test('who stops waiting is not given the turn', async () => {
  const locks = createLocks();
  const first = takeTurn('jobs', locks);
  await first.mine;
  const second = takeTurn('jobs', locks);
  await new Promise(resolve => setTimeout(resolve));
  second.release();
  await expect(second.mine).rejects.toThrow();
  first.release();
  await takeTurn('jobs', locks).mine;
});

test('without a name nobody is in the way', async () => {
  const turn = takeTurn(undefined, createLocks());
  await turn.mine;
  expect(turn.isElsewhere()).toBe(false);
});
