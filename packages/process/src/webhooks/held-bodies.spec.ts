import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { serverLimits } from '../serving/limits.ts';
import { HeldBodies } from './held-bodies.ts';

const megabytes = (count: number) =>
  Readable.from(Array.from({ length: count }, () => Buffer.alloc(1024 * 1024, 'x'))) as unknown as IncomingMessage;

it('holds no more of all bodies together than it can, and goes on when they are answered', async () => {
  const bodies = new HeldBodies(serverLimits.maxConversionBytes);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let read = 0;
  const reply = async () => {
    read += 1;
    await answered;
    return { status: 200, body: '' };
  };
  const largest = serverLimits.maxConversionBytes / 1024 / 1024;
  const count = serverLimits.maxHeldBytes / serverLimits.maxConversionBytes;
  const held = Array.from({ length: count }, () => bodies.answer(megabytes(largest), reply));
  await expect.poll(() => read).toBe(count);
  expect(await bodies.answer(megabytes(1), reply)).toMatchObject({ status: 503 });
  answer();
  for (const { status } of await Promise.all(held)) expect(status).toBe(200);
  expect(await bodies.answer(megabytes(1), reply)).toMatchObject({ status: 200 });
  expect(await bodies.answer(megabytes(largest + 1), reply)).toMatchObject({ status: 413 });
});

it('gives up the oldest bodies that do not arrive whole rather than refuse a new one', async () => {
  const bodies = new HeldBodies(serverLimits.maxConversionBytes);
  const reply = (body: string) => ({ status: 200, body: String(body.length) });
  const unfinished = Array.from({ length: 3 }, () => new PassThrough({ highWaterMark: serverLimits.maxHeldBytes }));
  const half = Buffer.alloc(serverLimits.maxHeldBytes / 2 - 1, 'x');
  const [silent, oldest, next] = unfinished.map((stream) => bodies.answer(stream as unknown as IncomingMessage, reply));
  for (const stream of unfinished.slice(1)) {
    stream.write(half);
    await expect.poll(() => stream.readableLength).toBe(0);
  }
  expect(await bodies.answer(megabytes(1), reply)).toMatchObject({ status: 200 });
  expect(await oldest).toMatchObject({ status: 503 });
  for (const stream of unfinished) stream.end('y');
  expect(await Promise.all([silent, next])).toMatchObject([{ body: '1' }, { body: String(half.length + 1) }]);
  expect(await bodies.answer(megabytes(64), reply)).toMatchObject({ status: 200 });
});
