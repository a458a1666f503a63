import { expect, it } from 'vitest';
import { runTogether } from './run-together.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

it('ends all parts when one fails, and rejects with its error once they have ended', async () => {
  const ended: string[] = [];
  const slow = async (signal: AbortSignal) => {
    await untilAborted(signal);
    await new Promise((resolve) => setImmediate(resolve));
    ended.push('slow');
  };
  const failing = async () => {
    throw new Error('no access');
  };
  const running = runTogether([slow, failing], new AbortController().signal);
  await expect(running).rejects.toThrow('no access');
  expect(ended).toEqual(['slow']);
});

it('resolves when the signal aborts and all parts have ended', async () => {
  const end = new AbortController();
  const running = runTogether([untilAborted, untilAborted], end.signal);
  end.abort();
  await running;
});
