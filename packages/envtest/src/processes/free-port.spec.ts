import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePort, isPortFree, startOnPort } from './free-port.ts';

test('a port that is in use is skipped', async () => {
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

test('a start that loses the race for a port is tried on another', async () => {
  const lost = createServer().listen(await findFreePort(), '127.0.0.1');
  await once(lost, 'listening');
  const { port: taken } = lost.address() as AddressInfo;
  const free = await findFreePort();
  const candidates = [taken, taken, free];
  const tried: number[] = [];
  const start = async (port: number) => {
    tried.push(port);
    if (port === taken) throw new Error('address already in use');
  };
  await startOnPort(undefined, start, async () => candidates.shift() ?? free);
  expect(tried).toEqual([taken, taken, free]);
  await expect(startOnPort(taken, start)).rejects.toThrow(`PortInUse: port ${taken} of 127.0.0.1 is taken`);
  await expect(startOnPort(undefined, start, async () => taken)).rejects.toThrow('address already in use');
  lost.close();
});

test('a start that fails for another reason is not tried again', async () => {
  let tries = 0;
  const start = async () => {
    tries += 1;
    throw new Error('unknown flag');
  };
  await expect(startOnPort(undefined, start)).rejects.toThrow('unknown flag');
  expect(tries).toBe(1);
});
