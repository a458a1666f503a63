import { managedClusters } from '@flotilla/api-types';
import { createKubeClient, type KubeClient, KubeError, staticAccess } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUndecided } from './administrator.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { crimeNames, type Draft, type Forgery, forgery, genuine, signed, trustedUser } from './forgeries.ts';
import { apply, serverKinds, startServer } from './servers.ts';

const perBatch = 30;
const batches = 8;

describe.each(serverKinds)('on %s, the hub', (kind) => {
  let fleet: Fleet;
  const senders = new Map<string, KubeClient>();
  const forged: { readonly name: string; readonly wrong: string }[] = [];

  /** A client of whoever a draft is sent by. */
  const sender = ({ user, groups }: Draft): KubeClient => {
    const id = JSON.stringify([user, groups]);
    const impersonate = { user, groups: [...groups, 'system:authenticated'] };
    const client = senders.get(id) ?? createKubeClient({ access: staticAccess({ ...fleet.hub.access, impersonate }) });
    senders.set(id, client);
    return client;
  };
  const send = async (draft: Draft): Promise<CertificateSigningRequest> =>
    sender(draft)
      .resource(certificateSigningRequests)
      .create(await signed(draft));
  /** A name that the server gave, or nothing if the server itself refuses such a request. */
  const sendForged = async ({ draft, wrong }: Forgery): Promise<void> => {
    try {
      forged.push({ name: (await send(draft)).metadata?.name ?? '', wrong });
    } catch (error) {
      // Forbidden: no request may ask for the group system:masters.
      if (!KubeError.is(error, 'Invalid', 'BadRequest', 'Forbidden')) throw error;
    }
  };
  const approved = ({ metadata }: CertificateSigningRequest) =>
    fleet.admin.seen.until(
      certificateSigningRequests,
      `the approval of ${metadata?.name}`,
      (request) => request.metadata?.name === metadata?.name && !isUndecided(request),
    );

  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    fleet.startHub(['--feature-gates=ManagedClusterAutoApproval=true', `--auto-approved-csr-users=${trustedUser}`]);
    const identity = { 'agent.open-cluster-management.io/cluster-identity': 'the-one-and-only' };
    for (const name of ['c1', 'c10']) {
      const annotations = name === 'c1' ? identity : {};
      await fleet.hub.client.resource(managedClusters).create({ metadata: { name, annotations }, spec: {} });
      await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'True');
    }
    // Whether a user may send requests at all is not under test here.
    const name = 'e2e:anybody-asks';
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const rules = [
      { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create'] },
    ];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }];
    await apply(fleet.hub, { apiVersion, kind: 'ClusterRole', metadata: { name }, ...{ rules } });
    await apply(fleet.hub, { apiVersion, kind: 'ClusterRoleBinding', metadata: { name }, ...{ roleRef, subjects } });
  });
  afterAll(async () => {
    await Promise.all([...senders.values()].map((client) => client.close()));
    await fleet?.[Symbol.asyncDispose]();
  });

  it('never approves a forged request, while it approves the genuine ones in between', {
    timeout: 300_000,
  }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(forgery, { minLength: perBatch, maxLength: perBatch }),
        fc.constantFrom('c1', 'c10'),
        async (batch, cluster) => {
          await Promise.all(batch.map(sendForged));
          for (const { wrong } of batch) for (const crime of crimeNames) if (wrong.includes(crime)) seen.add(crime);
          // Sent after them, so that the hub has had all of them before it.
          const renewal = await send(genuine(cluster, 'itself'));
          const first = await send(genuine(cluster, 'trusted user'));
          await Promise.all([approved(renewal), approved(first)]);
          const decided = await decidedOf(forged.map(({ name }) => name));
          expect(forged.filter(({ name }) => decided.has(name))).toEqual([]);
        },
      ),
      { numRuns: batches, endOnFailure: true },
    );
    console.log(
      `${kind}: ${forged.length} forged requests of ${perBatch * batches} got as far as the hub; none was approved`,
    );
    expect([...seen].sort()).toEqual([...crimeNames].sort());
    expect(forged.length).toBeGreaterThan((perBatch * batches) / 2);
  });

  it('approves no first certificate of a cluster that has joined and reports, until an administrator allows one', async () => {
    const clusters = fleet.hub.client.resource(managedClusters);
    const name = 'reports';
    await clusters.create({ metadata: { name }, spec: {} });
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'True');
    const said = ['ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map((type) => ({
      type,
      status: 'True' as const,
      reason: 'E2E',
      message: '',
      lastTransitionTime: new Date().toISOString().replace(/\.\d+/, ''),
    }));
    const conditions = [...((await clusters.get(name)).status?.conditions ?? []), ...said];
    await clusters.status.patch(name, { type: 'merge', body: { status: { conditions } } });
    const stolen = await send(genuine(name, 'trusted user'));
    // Sent after it, so that the hub has had it before.
    await approved(await send(genuine(name, 'itself')));
    await approved(await send(genuine('c1', 'trusted user')));
    expect(await decidedOf([stolen.metadata?.name ?? ''])).toEqual(new Set());
    const annotations = { 'open-cluster-management.io/rebootstrap-allowed': 'true' };
    await clusters.patch(name, { type: 'merge', body: { metadata: { annotations } } });
    await approved(stolen);
    expect((await clusters.get(name)).metadata?.annotations).not.toHaveProperty(Object.keys(annotations));
  });

  const decidedOf = async (names: readonly string[]): Promise<Set<string>> => {
    const { items } = await fleet.hub.client.resource(certificateSigningRequests).list();
    const wanted = new Set(names);
    return new Set(
      items
        .filter((request) => wanted.has(request.metadata?.name ?? '') && !isUndecided(request))
        .map(({ metadata }) => metadata?.name ?? ''),
    );
  };
});
