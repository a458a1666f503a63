import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { ClusterProxyApi, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { createInformers, realClock, silentLogger } from '@flotilla/kube';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { makeServingPair, type ServingPair } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import type { Member } from '../member/member.ts';
import { Members } from './members.ts';
import { leaseOf } from './tunnel-record.policy.ts';
import { Tunnels } from './tunnels.ts';

const fingerprint = ({ certificate }: ServingPair) => new X509Certificate(certificate).fingerprint256;
const cluster: ManagedCluster = { metadata: { name: 'a' }, spec: { hubAcceptsClient: true } };

it('shows other replicas a certificate that they know, while they get a new one at different times', async () => {
  await using cleanup = new AsyncDisposableStack();
  const old = await makeServingPair(['proxy'], { now: Date.now(), lifeMs: 600_000 });
  const next = await makeServingPair(['proxy'], { now: Date.now(), lifeMs: 600_000, previous: old.ca });
  const shown: (string | undefined)[] = [];
  // The other replica has the new one already.
  const peer = createServer({ cert: next.certificate, key: next.key, requestCert: true, rejectUnauthorized: false });
  peer.on('request', (request, response) => {
    shown.push((request.socket as TLSSocket).getPeerCertificate().fingerprint256);
    response.end('ok');
  });
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  cleanup.defer(() => {
    peer.closeAllConnections();
    peer.close();
  });
  const address = `127.0.0.1:${(peer.address() as AddressInfo).port}`;

  const plane = cleanup.adopt(await startControlPlane({ listen: false, crds: customResourceDefinitions() }), (one) =>
    one.stop(),
  );
  await plane.client.resource(namespaces).create({ metadata: { name: 'a' } });
  await plane.client.resource(managedClusters).create(cluster);
  await plane.client.resource(leases).create(leaseOf('a', { identity: 'other', address }, Date.now()));
  const informers = cleanup.use(createInformers({ client: plane.client, clock: realClock }));
  const clusters = informers.resource(managedClusters);
  const records = informers.resource(leases, { fieldSelector: `metadata.name=${ClusterProxyApi.lease}` });
  await Promise.all([clusters.whenSynced(), records.whenSynced()]);

  const clock = new FakeClock();
  const tunnels = cleanup.adopt(new Tunnels(clock, silentLogger), (one) => one.close());
  const replica = { identity: 'own', address: '127.0.0.1:1' };
  const members = cleanup.adopt(
    new Members({ clusters, leases: records, tunnels, replica, serverName: 'proxy', clock }),
    (one) => one.close(),
  );
  const call = async () => {
    const user = { name: 'bob', groups: [], extra: {} };
    const request = { method: 'GET', path: '/', headers: [], user, signal: AbortSignal.timeout(10_000) } as const;
    await text((await members.find('a', false).request(request)).body);
  };
  members.useCertificate({ ...old, ca: next.ca });
  await call();
  members.useCertificate(next);
  await call();
  await clock.advance(180_000);
  await call();
  expect(shown).toEqual([fingerprint(old), fingerprint(old), fingerprint(next)]);
});

it('ends what is under way to a cluster that the hub reaches by itself, when it is denied, and nothing of others', async () => {
  const signals: Record<string, AbortSignal> = {};
  const clusters = { get: (name: string) => ({ ...cluster, metadata: { name } }) };
  const direct = ({ metadata }: ManagedCluster): Member => ({
    request: () => Promise.reject(new Error('not asked for')),
    async upgrade({ signal }) {
      signals[metadata?.name ?? ''] = signal;
      return { switched: true, headers: [], socket: new PassThrough() };
    },
  });
  const clock = new FakeClock();
  const tunnels = new Tunnels(clock, silentLogger);
  const replica = { identity: 'own', address: '127.0.0.1:1' };
  const members = new Members({
    clusters,
    leases: { get: () => undefined },
    tunnels,
    replica,
    direct,
    serverName: 'proxy',
    clock,
  });
  const user = { name: 'bob', groups: [], extra: {} };
  const open = (name: string) =>
    members.find(name, false).upgrade({
      ...{ method: 'POST', path: '/exec', headers: [], user, protocol: 'SPDY/3.1' },
      signal: new AbortController().signal,
    });
  await Promise.all([open('a'), open('b')]);
  members.deny('a');
  expect([signals.a?.aborted, signals.b?.aborted]).toEqual([true, false]);
  // Accepted again, it can be reached again.
  await open('a');
  expect(signals.a?.aborted).toBe(false);
});

it('does not reach a cluster that is being deleted, whose finalizers may take long', () => {
  const leaving: ManagedCluster = {
    metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/held'] },
    spec: { hubAcceptsClient: true },
  };
  const clock = new FakeClock();
  const members = new Members({
    clusters: { get: () => leaving },
    leases: { get: () => undefined },
    tunnels: new Tunnels(clock, silentLogger),
    replica: { identity: 'own', address: '127.0.0.1:1' },
    direct: () => ({ request: () => Promise.reject(), upgrade: () => Promise.reject() }),
    serverName: 'proxy',
    clock,
  });
  expect(() => members.find('a', false)).toThrow('managed cluster a is being deleted');
  expect(members.refusalOf('a')).toMatchObject({ code: 'Forbidden' });
});
