import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type KubeClient, realClock, silentLogger } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { defaultLimits } from '../limits.ts';
import type { Member } from '../member/member.ts';
import { proxyRequest } from './proxy-handler.ts';
import { RequestCounter } from './request-counter.ts';

/** A cluster that wants the credentials of those who reach it. */
const luring: Member = {
  request: async () => ({ status: 307, headers: [['location', 'https://elsewhere']], body: Readable.from(['x']) }),
  upgrade: () => Promise.reject(new Error('not asked for')),
};

it('does not let a cluster send its users elsewhere', async () => {
  const counter = new RequestCounter(defaultLimits);
  const client = {} as KubeClient;
  const deps = { members: { find: () => luring }, counter, client, clock: realClock, auditLog: silentLogger };
  const caller = { user: { name: 'alice', groups: [], extra: {} }, isReplica: false };
  const server = createServer((request, response) => {
    void proxyRequest(deps, { caller, cluster: 'a', path: '/' }, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
  expect([answer.status, answer.headers.get('location')]).toEqual([502, null]);
  expect(await answer.json()).toMatchObject({ kind: 'Status', code: 502 });
  server.closeAllConnections();
  server.close();
});
