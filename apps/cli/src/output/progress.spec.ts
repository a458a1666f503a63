import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { startProgress } from './progress.ts';

const written = (isTTY: boolean) => {
  const chunks: string[] = [];
  return { chunks, err: { isTTY, write: (text: string) => chunks.push(text) }, clock: new FakeClock() };
};

it('writes a line in a log when the reason changes, and then every ten seconds', async () => {
  const { chunks, ...context } = written(false);
  using progress = startProgress(context);
  for (let second = 0; second < 25; second += 1) {
    progress.update(second < 12 ? 'Waiting for a: not there' : 'Waiting for a: held');
    await context.clock.advance(1000);
  }
  progress.done('a is there');
  expect(chunks).toEqual([
    'Waiting for a: not there\n',
    'Waiting for a: not there\n',
    'Waiting for a: held\n',
    'Waiting for a: held\n',
    'a is there\n',
  ]);
});

it('writes in a log only that something is done, not that it begins', () => {
  const { chunks, ...context } = written(false);
  using progress = startProgress(context);
  progress.busy('Checking a');
  progress.done('a passed');
  expect(chunks).toEqual(['a passed\n']);
});

it('does not repeat what is waited for at the same time', async () => {
  const { chunks, ...context } = written(false);
  using progress = startProgress(context);
  for (let round = 0; round < 40; round += 1) {
    progress.update('Waiting for a');
    progress.update('Waiting for b');
    await context.clock.advance(200);
  }
  expect(chunks).toEqual(['Waiting for a\n', 'Waiting for b\n']);
});

it('keeps a spinner in one row of a narrow terminal, and hides the cursor while it turns', async () => {
  const { chunks, ...context } = written(true);
  {
    using progress = startProgress({ ...context, err: { ...context.err, columns: 20 } });
    progress.update('Waiting for something whose name is long\nand for more');
    await context.clock.advance(200);
  }
  const drawn = chunks.filter((chunk) => chunk.includes('Waiting'));
  expect(drawn.length).toBeGreaterThan(2);
  expect(drawn.map((chunk) => [...chunk].length)).toEqual(drawn.map(() => 19));
  expect(drawn[0]).toMatch(/ Waiting for some…$/);
  expect([chunks[0], chunks.at(-1)]).toEqual(['\x1b[?25l', '\x1b[?25h']);
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
  expect(text.endsWith('\r\x1b[K\x1b[?25h')).toBe(true);
  const before = chunks.length;
  await context.clock.advance(1000);
  expect(chunks).toHaveLength(before);
});

it('leaves the row and the cursor to a question, and turns again at what comes after it', async () => {
  const { chunks, ...context } = written(true);
  using progress = startProgress(context);
  progress.busy('Checking a');
  progress.pause();
  expect(chunks.at(-1)).toBe('\x1b[?25h');
  const asked = chunks.length;
  await context.clock.advance(1000);
  expect(chunks).toHaveLength(asked);
  progress.busy('Installing a');
  await context.clock.advance(80);
  expect(chunks.slice(asked).filter((chunk) => chunk.includes('Installing a'))).toHaveLength(2);
});
