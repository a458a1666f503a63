import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { realClock, silentLogger } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import { listenTls } from './tls-listener.ts';

/** A connection that holds back what follows the first message of the client until it is released. */
async function heldConnection(port: number) {
  const socket = connectTcp(port, '127.0.0.1');
  await once(socket, 'connect');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  let written = 0;
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      written += 1;
      if (written === 1) return void socket.write(chunk, done);
      hold();
      void released.then(() => socket.write(chunk, done));
    },
  });
  socket.on('data', (chunk) => stream.push(chunk));
  socket.on('close', () => stream.destroy());
  socket.on('error', () => stream.destroy());
  return { stream, held, release };
}

it('refuses a client whose authority is dropped during its handshake', async () => {
  const [before, after] = await Promise.all([
    createAuthority('before', realClock),
    createAuthority('after', realClock),
  ]);
  const serving = await issueCertificate(after, { usage: 'server', hosts: ['127.0.0.1'] }, realClock);
  const member = await issueCertificate(before, { usage: 'client', name: 'agent' }, realClock);
  const accepted: TLSSocket[] = [];
  const listener = await listenTls({
    ...{ host: '127.0.0.1', port: 0, maxConnections: 10, handshakeTimeoutMs: 10_000, log: silentLogger },
    tls: { ...serving, clientCa: before.certificate },
    onConnection: (socket) => accepted.push(socket),
  });
  const { stream, held, release } = await heldConnection(listener.port);
  const { certificate: cert, key } = member;
  const client = connect({
    socket: stream,
    ca: after.certificate,
    cert,
    key,
    host: '127.0.0.1',
    ALPNProtocols: ['h2'],
  });
  client.on('error', () => undefined);
  await held;
  listener.update({ ...serving, clientCa: after.certificate });
  const closed = once(client, 'close');
  release();
  await closed;
  expect(accepted).toEqual([]);
  await listener.close();
});
