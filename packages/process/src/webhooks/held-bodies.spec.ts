import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
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
