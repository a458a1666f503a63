import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { startProgress } from './progress.ts';

const written = (isTTY: boolean) => {
  const chunks: string[] = [];
  return { chunks, err: { isTTY, write: (text: string) => chunks.push(text) }, clock: new FakeClock() };
};

it('writes each state once as a plain line in a log', () => {
  const { chunks, ...context } = written(false);
  using progress = startProgress(context);
  progress.update('Waiting for a');
  progress.update('Waiting for a');
  progress.done('a is there');
  expect(chunks).toEqual(['Waiting for a\n', 'a is there\n']);
});

it('turns a spinner on a terminal, and leaves the lines that stay', async () => {
  const { chunks, ...context } = written(true);
  {
    using progress = startProgress(context);
    progress.update('Waiting for a');
    await context.clock.advance(200);
    progress.done('a is there');
  }
  const text = chunks.join('');
  expect(text.match(/Waiting for a/g)?.length).toBeGreaterThan(2);
  expect(text).toContain('a is there\n');
  expect(text.endsWith('\r\x1b[K')).toBe(true);
  const before = chunks.length;
  await context.clock.advance(1000);
  expect(chunks).toHaveLength(before);
});
