import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePort, isPortFree } from './free-port.ts';

test('a port where somebody listens is passed over', async () => {
  const taken = await findFreePort();
  const server = createServer().listen(taken, '127.0.0.1');
  await once(server, 'listening');
  expect(await isPortFree(taken)).toBe(false);
  const draws = [(taken - 20_000) / 12_000, 0.9];
  expect(await findFreePort(() => draws.shift() ?? Math.random())).not.toBe(taken);
  server.close();
  await once(server, 'close');
  expect(await isPortFree(taken)).toBe(true);
});

test('ports lie below those that the system gives to outgoing connections', async () => {
  const port = await findFreePort();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(32_000);
});
