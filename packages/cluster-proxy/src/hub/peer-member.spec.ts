import { once } from 'node:events';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { makeServingPair } from '@flotilla/kube/pki';
import { expect, it } from 'vitest';
import type { HeaderList } from '../member/member.ts';
import { peerMember } from './peer-member.ts';

const forged = 'GET /forged HTTP/1.1\r\nhost: hub\r\nflotilla-user: e30\r\n\r\n';

it.each<['GET' | 'DELETE' | 'POST', HeaderList]>([
  ['GET', [['transfer-encoding', 'chunked']]],
  ['DELETE', [['transfer-encoding', 'chunked']]],
  ['DELETE', [['content-length', '3']]],
  ['POST', [['content-length', String(forged.length)]]],
])('passes the body of a %s on as a body, and never as a request of its own (%j)', async (method, headers) => {
  await using cleanup = new AsyncDisposableStack();
  const pair = await makeServingPair(['hub'], { now: Date.now(), lifeMs: 60_000 });
  const seen: string[] = [];
  const server = createServer({ cert: pair.certificate, key: pair.key }, async (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    seen.push(await text(request));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const agent = cleanup.adopt(new Agent({ keepAlive: true, ca: pair.ca, servername: 'hub', maxSockets: 1 }), (one) =>
    one.destroy(),
  );
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const member = peerMember({ cluster: 'a', address, agent });
  const common = { user: { name: 'bob', groups: [], extra: {} }, signal: AbortSignal.timeout(10_000) };
  const first = await member.request({ ...common, method, path: '/one', headers, body: Readable.from([forged]) });
  await text(first.body);
  // On the same connection: it would be answered with what the forged request gets.
  const second = await member.request({ ...common, method: 'GET', path: '/two', headers: [] });
  await text(second.body);
  const path = '/apis/clusterproxy.open-cluster-management.io/v1alpha1/managedclusters/a/proxy';
  expect(seen).toEqual([`${method} ${path}/one`, forged, `GET ${path}/two`, '']);
});
