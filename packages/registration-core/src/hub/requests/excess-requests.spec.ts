import { Label } from '@flotilla/api-types';
import { createInformers } from '@flotilla/kube';
import { certificateSigningRequests, events } from '@flotilla/kube/kinds';
import { afterEach, expect, it } from 'vitest';
import { createCertificateRequest, createKey, maxUndecidedOfAgent, requestCache } from '../../certificates/index.ts';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const user = 'system:open-cluster-management:c1:agent';

/** What the agent of c1 does with nothing but its own rights. */
const flood = async (count: number, bytes: number) => {
  const agent = hub.plane.clientOf({
    name: user,
    groups: ['system:open-cluster-management:c1', 'system:authenticated'],
  });
  const subject = { user, groups: ['system:open-cluster-management:c1'], organizationUnits: [], dnsNames: [] };
  const request = Buffer.from(await createCertificateRequest(createKey(), subject)).toString('base64');
  const create = (index: number) =>
    agent.resource(certificateSigningRequests).create({
      metadata: { name: `r${index}`, labels: { [Label.ClusterName]: 'c1' }, annotations: { note: 'x'.repeat(bytes) } },
      spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    });
  await Promise.all(Array.from({ length: count }, (_, index) => create(index)));
  await hub.quiet();
};

const accepted = async () => {
  hub = await startHub();
  await handlesOf(hub).clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
  await hub.quiet();
};

it('names an agent that creates more requests than the hub acts on, once', async () => {
  await accepted();
  await flood(maxUndecidedOfAgent + 5, 10);
  const { items } = await hub.plane.client.resource(events).list({ namespace: 'c1' });
  expect(items.filter(({ reason }) => reason === 'TooManyCertificateRequests')).toMatchObject([
    { type: 'Warning', regarding: { kind: 'ManagedCluster', name: 'c1' }, note: expect.stringContaining(user) },
  ]);
});

it('keeps no body of a request in memory: one agent holds less than 2 kB of the hub for each request', async () => {
  await accepted();
  await flood(20, 200_000);
  using informers = createInformers({ client: hub.plane.client, clock: hub.clock });
  const cache = requestCache(informers);
  await cache.whenSynced();
  expect(cache.list()).toHaveLength(20);
  expect(JSON.stringify(cache.list()).length / 20).toBeLessThan(2000);
});
