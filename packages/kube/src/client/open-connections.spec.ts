import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openConnections } from './open-connections.ts';

it('ends connections whose TLS handshake is not over, which Node leaves', async () => {
  const server = createServer();
  const connections = openConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const silent = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(server, 'connection')]);
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  expect(await Promise.race([closed, setImmediate('open')])).toBe('open');
  connections.destroy();
  await closed;
  silent.destroy();
});
