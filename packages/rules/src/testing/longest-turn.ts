import { setTimeout as sleep } from 'node:timers/promises';

/** Processor time of this thread so far, in milliseconds. Not the time that passed: other programs and threads must not count. */
const spent = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** How long the event loop was held up at most while something ran: the longest time between two of its turns. */
async function longestTurnOf(run: () => unknown): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = spent();
  const turns = async (): Promise<void> => {
    while (!isOver) {
      await sleep(1);
      const now = spent();
      longest = Math.max(longest, now - before);
      before = now;
    }
  };
  const watching = turns();
  await sleep(1);
  await run();
  isOver = true;
  await watching;
  return longest;
}

/** The same, the least of several runs: the compiler and the garbage collector hold up the loop at times of their own. */
export async function longestTurn(run: () => unknown, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs && least > acceptableMs / 2; count++)
    least = Math.min(least, await longestTurnOf(run));
  return least;
}

/** Within this time a server still answers, and renews its leases. */
export const acceptableMs = 50;
