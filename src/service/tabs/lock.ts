/**
 * A lock that one page at a time holds; other pages wait, and one of them has the lock when the holder goes
 * away.
 */
export type Turn = {
  /** Settles when this page has the lock. */
  readonly mine: Promise<void>;
  /** Settles as soon as it is known whether another page has the lock. */
  readonly known: Promise<void>;
  /** Whether this page has the lock. */
  readonly isMine: () => boolean;
  /** Whether another page has the lock. */
  readonly isElsewhere: () => boolean;
  /** Gives the lock up, or stops waiting for it. */
  release(): void;
};

/**
 * Takes a turn at what only one page may do.
 *
 * @param name - Of the lock; undefined where nobody else can be in the way.
 */
export function takeTurn(
  name: string | undefined,
  locks: LockManager | undefined = globalThis.navigator?.locks,
): Turn {
  if (name === undefined || !locks)
    return {
      mine: Promise.resolve(),
      known: Promise.resolve(),
      isMine: () => true,
      isElsewhere: () => false,
      release: () => undefined,
    };
  const gone = new AbortController();
  let elsewhere = false;
  let isMine = false;
  let tell = () => {};
  const known = new Promise<void>(resolve => (tell = resolve));
  let release = () => gone.abort();
  const mine = new Promise<void>((resolve, reject) => {
    const held = new Promise<void>(end => {
      release = () => {
        gone.abort();
        end();
      };
    });
    const hold = () => {
      elsewhere = false;
      isMine = true;
      resolve();
      return held;
    };
    locks
      .request(name, { ifAvailable: true }, lock => {
        elsewhere = !lock;
        tell();
        return lock ? hold() : undefined;
      })
      .then(() => (elsewhere ? locks.request(name, { signal: gone.signal }, hold) : undefined))
      .catch(reject)
      .finally(tell);
  });
  mine.catch(() => undefined);
  return { mine, known, isMine: () => isMine, isElsewhere: () => elsewhere, release: () => release() };
}
