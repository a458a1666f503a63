import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { realClock } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { Forward } from './forward.ts';

/** A port that nothing listens at now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

it('connects to its targets in turn, and to another one if the next does not accept', async () => {
  const host = '127.0.0.1';
  const server = createServer((socket) => socket.end('hello'));
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const forward = new Forward(realClock);
  const [dead, own] = [await freePort(), await freePort()];
  await forward.listen(host, own);
  forward.use([
    { host, port: dead },
    { host, port },
  ]);
  const ask = () => text(connect(own, host));
  expect([await ask(), await ask(), await ask()]).toEqual(['hello', 'hello', 'hello']);
  forward.use([]);
  expect(await ask().catch(() => '')).toBe('');
  await forward.close();
  server.close();
});
