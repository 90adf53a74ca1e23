/** Does a piece of work one time at a time: however often it is wished for meanwhile, once more follows. */
export function newestOnly(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWished = false;
  const run = async () => {
    isRunning = true;
    while (isWished) {
      isWished = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isWished = true;
    if (!isRunning) void run();
  };
}
