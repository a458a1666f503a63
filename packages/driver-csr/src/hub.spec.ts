import { Label, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, runControllers, silentLogger } from '@flotilla/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  namespaces,
  setApproval,
} from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { type CertificateSubject, createCertificateRequest, createKey } from '@flotilla/registration-core/certificates';
import { joinTokenKey, joinTokenRecord, rebootstrapAllowedAnnotation } from '@flotilla/registration-core/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCsrHub } from './hub.ts';

const prefix = 'system:open-cluster-management:';
const signerName = 'kubernetes.io/kube-apiserver-client';
const authenticated = 'system:authenticated';

let plane: ControlPlane;
const end = new AbortController();
let running: Promise<void>;

const subjectOf = (cluster: string, agent: string, changes: Partial<CertificateSubject> = {}): CertificateSubject => ({
  user: `${prefix}${cluster}:${agent}`,
  groups: [`${prefix}${cluster}`, `${prefix}managed-clusters`],
  organizationUnits: [],
  dnsNames: [],
  ...changes,
});

interface Sent {
  readonly as: { readonly name: string; readonly groups: readonly string[] };
  readonly label: string;
  readonly subject: CertificateSubject;
  readonly usages?: string[];
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

const agentUser = (cluster: string, agent: string) => ({
  name: `${prefix}${cluster}:${agent}`,
  groups: [`${prefix}${cluster}`, `${prefix}managed-clusters`, authenticated],
});
const bootstrapUser = { name: 'system:serviceaccount:ocm:bootstrap', groups: [authenticated] };
const requests = () => plane.client.resource(certificateSigningRequests);

async function send({ as, label, subject, usages, labels, annotations = {} }: Sent): Promise<string> {
  const pem = await createCertificateRequest(createKey(), subject);
  const created = await plane
    .clientOf({ name: as.name, groups: [...as.groups] })
    .resource(certificateSigningRequests)
    .create({
      metadata: { generateName: 'c-', labels: { [Label.ClusterName]: label, ...labels }, annotations },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName,
        usages: usages ?? ['digital signature', 'key encipherment', 'client auth'],
      },
    });
  return created.metadata?.name ?? '';
}

const conditionsOf = async (name: string): Promise<string[]> =>
  ((await requests().get(name)) satisfies CertificateSigningRequest).status?.conditions?.map(({ type }) => type) ?? [];

/** The controller works in order of arrival, so once a good request is approved, those before it were decided. */
async function allSeen(): Promise<void> {
  const name = await send({ as: bootstrapUser, label: 'seen', subject: subjectOf('seen', 'a') });
  await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
}

beforeAll(async () => {
  const clock = new FakeClock();
  plane = await startControlPlane({
    listen: false,
    clock,
    crds: customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedCluster'),
  });
  const rules = [
    { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create', 'get'] },
  ];
  const renew = {
    apiGroups: ['register.open-cluster-management.io'],
    resources: ['managedclusters/clientcertificates'],
    verbs: ['renew'],
  };
  const group = (name: string) => [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name }];
  const roleRef = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
  await plane.client.resource(clusterRoles).create({ metadata: { name: 'ask' }, rules });
  await plane.client.resource(clusterRoles).create({ metadata: { name: 'renew' }, rules: [renew] });
  const bindings = plane.client.resource(clusterRoleBindings);
  await bindings.create({ metadata: { name: 'ask' }, roleRef: roleRef('ask'), subjects: group(authenticated) });
  await bindings.create({ metadata: { name: 'renew' }, roleRef: roleRef('renew'), subjects: group(`${prefix}c1`) });
  const informers = createInformers({ client: plane.client, clock });
  const driver = createCsrHub({
    client: plane.client,
    informers,
    clock,
    log: silentLogger,
    signal: end.signal,
    gates: { ManagedClusterAutoApproval: true },
    options: {
      autoApprovedCsrUsers: [bootstrapUser.name, 'system:bootstrap:abcdef'],
      clusterAutoApprovalUsers: ['ignored'],
    },
  });
  running = runControllers(driver.controllers, { signal: end.signal, clock }).finally(() => informers.close());
});

afterAll(async () => {
  end.abort();
  await running;
  await plane.stop();
});

describe('the approval of requests on the hub', () => {
  it('[registration-hub 19.3-35, 19.3-49] approves a renewal by an agent that may renew', async () => {
    const name = await send({ as: agentUser('c1', 'a1'), label: 'c1', subject: subjectOf('c1', 'a1') });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
    const { status } = await requests().get(name);
    expect(status?.conditions?.[0]).toMatchObject({
      type: 'Approved',
      status: 'True',
      reason: 'AutoApprovedByHubCSRApprovingController',
      message: 'Auto approving Managed cluster agent certificate after SubjectAccessReview.',
    });
  });

  it('[registration-hub 19.3-36] approves it also without the group of all clusters', async () => {
    const subject = { ...subjectOf('c1', 'a1'), groups: [`${prefix}c1`] };
    const name = await send({ as: agentUser('c1', 'a1'), label: 'c1', subject });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
  });

  it('[registration-hub 19.2-25, 19.3-37] approves the first request of a trusted user', async () => {
    const name = await send({ as: bootstrapUser, label: 'c2', subject: subjectOf('c2', 'a1') });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
  });

  describe('by a join token', () => {
    const restricted = 'system:bootstrappers:managedcluster-restricted';
    const holder = (...groups: string[]) => ({
      name: 'system:bootstrap:abcdef',
      groups: [authenticated, restricted, ...groups],
    });
    const from = (cluster: string, ...groups: string[]) =>
      send({ as: holder(...groups), label: cluster, subject: subjectOf(cluster, 'a') });
    const records = () => plane.client.resource(configMaps);

    it('approves the cluster that it is for and no other, as often as it may be used, and nothing once it is gone', async () => {
      await plane.client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-hub' } });
      await records().create(joinTokenRecord({ id: 'abcdef', clusterName: 'bound', maxUses: 1 }));
      const group = 'system:bootstrappers:managedcluster:bound';
      const other = await from('other', group);
      const first = await from('bound', group);
      await vi.waitFor(async () => expect(await conditionsOf(first)).toContain('Approved'));
      const second = await from('bound', group);
      await allSeen();
      expect(await conditionsOf(second)).toEqual([]);
      await records().delete(joinTokenKey('abcdef'));
      const third = await from('bound', group);
      await allSeen();
      expect([await conditionsOf(third), await conditionsOf(other)]).toEqual([[], []]);
    });
  });

  it('leaves requests of another cluster under the same name to an administrator', async () => {
    const annotation = 'agent.open-cluster-management.io/cluster-identity';
    const metadata = { name: 'c4', annotations: { [annotation]: 'uid-1' } };
    await plane.client.resource(managedClusters).create({ metadata });
    const from = (uid: string) =>
      send({ as: bootstrapUser, label: 'c4', subject: subjectOf('c4', 'a'), annotations: { [annotation]: uid } });
    const [other, same] = [await from('uid-2'), await from('uid-1')];
    await vi.waitFor(async () => expect(await conditionsOf(same)).toContain('Approved'));
    await allSeen();
    expect(await conditionsOf(other)).toEqual([]);

    // [registration-hub 19.3-31, 19.3-32] What is decided is not decided again, also when it is correct later on.
    const denied = { type: 'Denied', reason: 'no', message: 'no' } as const;
    await setApproval(plane.client, await requests().get(other), denied, {
      now: Date.parse('2026-01-01T00:00:00Z'),
    });
    for (const name of [other, same]) {
      await requests().patch(name, { type: 'merge', body: { metadata: { annotations: { [annotation]: 'uid-1' } } } });
    }
    await allSeen();
    expect(await conditionsOf(other)).toEqual(['Denied']);
    expect(await conditionsOf(same)).toEqual(['Approved']);
  });

  describe('for a cluster that has joined and reports', () => {
    const clusters = () => plane.client.resource(managedClusters);
    const condition = (type: string, status: 'True' | 'Unknown') => ({
      type,
      status,
      reason: 'x',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const report = (name: string, available: 'True' | 'Unknown') => {
      const conditions = [
        condition('ManagedClusterJoined', 'True'),
        condition('ManagedClusterConditionAvailable', available),
      ];
      return clusters().status.patch(name, { type: 'merge', body: { status: { conditions } } });
    };
    const startJoined = async (name: string): Promise<string> => {
      await clusters().create({ metadata: { name }, spec: { hubAcceptsClient: true } });
      await report(name, 'True');
      const request = await send({ as: bootstrapUser, label: name, subject: subjectOf(name, 'a1') });
      await allSeen();
      expect(await conditionsOf(request)).toEqual([]);
      return request;
    };

    it('leaves the request of a trusted user until its heartbeats end', async () => {
      const request = await startJoined('silent');
      await report('silent', 'Unknown');
      await vi.waitFor(async () => expect(await conditionsOf(request)).toContain('Approved'));
    });

    it('approves one request of a trusted user when an administrator allows it, and not the next', async () => {
      const request = await startJoined('moved');
      const annotations = { [rebootstrapAllowedAnnotation]: 'true' };
      await clusters().patch('moved', { type: 'merge', body: { metadata: { annotations } } });
      await vi.waitFor(async () => expect(await conditionsOf(request)).toContain('Approved'));
      expect((await clusters().get('moved')).metadata?.annotations ?? {}).toEqual({});
      const next = await send({ as: bootstrapUser, label: 'moved', subject: subjectOf('moved', 'a1') });
      await allSeen();
      expect(await conditionsOf(next)).toEqual([]);
    });

    it('approves none while requests for different keys wait for what an administrator allows', async () => {
      const request = await startJoined('claimed');
      const competing = await send({ as: bootstrapUser, label: 'claimed', subject: subjectOf('claimed', 'a2') });
      const annotations = { [rebootstrapAllowedAnnotation]: 'true' };
      await clusters().patch('claimed', { type: 'merge', body: { metadata: { annotations } } });
      await allSeen();
      expect([await conditionsOf(request), await conditionsOf(competing)]).toEqual([[], []]);
      expect((await clusters().get('claimed')).metadata?.annotations).toEqual(annotations);
      // As soon as an administrator has decided about one of them, the other is the only one.
      const denied = { type: 'Denied', reason: 'no', message: 'no' } as const;
      await setApproval(plane.client, await requests().get(competing), denied, {
        now: Date.parse('2026-01-01T00:00:00Z'),
      });
      await vi.waitFor(async () => expect(await conditionsOf(request)).toContain('Approved'));
    });

    it('approves neither a renewal nor another first request while an administrator withholds them', async () => {
      const annotations = { 'open-cluster-management.io/renewal-withheld': 'true' };
      await clusters().create({ metadata: { name: 'c1', annotations }, spec: { hubAcceptsClient: true } });
      await report('c1', 'Unknown');
      const renewal = await send({ as: agentUser('c1', 'a1'), label: 'c1', subject: subjectOf('c1', 'a1') });
      const first = await send({ as: bootstrapUser, label: 'c1', subject: subjectOf('c1', 'a2') });
      await allSeen();
      expect([await conditionsOf(renewal), await conditionsOf(first)]).toEqual([[], []]);
      const body = { metadata: { annotations: { 'open-cluster-management.io/renewal-withheld': null } } };
      await clusters().patch('c1', { type: 'merge', body });
      await vi.waitFor(async () => expect(await conditionsOf(first)).toContain('Approved'));
      await vi.waitFor(async () => expect(await conditionsOf(renewal)).toContain('Approved'));
      await clusters().delete('c1');
    });

    it('approves its renewals', async () => {
      await clusters().create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } });
      await report('c1', 'True');
      const name = await send({ as: agentUser('c1', 'a1'), label: 'c1', subject: subjectOf('c1', 'a1') });
      await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
      await clusters().delete('c1');
    });
  });

  const left: Record<string, Sent> = {
    '[registration-hub 19.3-34, 19.3-51] a renewal by the agent of a denied cluster': {
      as: agentUser('c3', 'a1'),
      label: 'c3',
      subject: subjectOf('c3', 'a1'),
    },
    '[registration-hub 19.3-48] the certificate of a similar name': {
      as: agentUser('c1', 'a1'),
      label: 'c1',
      subject: subjectOf('c10', 'a1'),
    },
    'the certificate of another agent of the same cluster': {
      as: agentUser('c1', 'a1'),
      label: 'c1',
      subject: subjectOf('c1', 'a2'),
    },
    'the certificate of another cluster': { as: agentUser('c1', 'a1'), label: 'c2', subject: subjectOf('c2', 'a1') },
    'a first request of an unknown user': {
      as: { name: 'unknown', groups: [authenticated] },
      label: 'c1',
      subject: subjectOf('c1', 'a1'),
    },
    '[registration-hub 153] a user of the deprecated list, where the other one is set': {
      as: { name: 'ignored', groups: [authenticated] },
      label: 'c5',
      subject: subjectOf('c5', 'a1'),
    },
    '[registration-hub 19.3-50] the request of an add-on': {
      as: bootstrapUser,
      label: 'c1',
      subject: subjectOf('c1', 'a1'),
      labels: { [Label.AddOnName]: 'work' },
    },
    'a trusted user with the name of a host': {
      as: bootstrapUser,
      label: 'c1',
      subject: subjectOf('c1', 'a1', { dnsNames: ['hub.example.com'] }),
    },
  };
  it('leaves all other requests to an administrator', async () => {
    const names = await Promise.all(Object.values(left).map(send));
    await allSeen();
    expect(await Promise.all(names.map(conditionsOf))).toEqual(names.map(() => []));
  });

  it('never approves a forged request, whoever sends it', async () => {
    const cluster = fc.constantFrom('c1', 'c10', 'c', 'c1-1', 'managed-clusters');
    const organization = fc.oneof(
      cluster.map((name) => `${prefix}${name}`),
      // The API server itself refuses system:masters.
      fc.constantFrom('system:nodes', 'open-cluster-management:c1'),
    );
    const forged = fc
      .record({
        as: fc.constantFrom(agentUser('c1', 'a1'), bootstrapUser),
        label: cluster,
        user: fc.oneof(
          fc.tuple(cluster, fc.constantFrom('a1', 'a10', 'a1:x')).map(([name, agent]) => `${prefix}${name}:${agent}`),
          fc.constantFrom('kubernetes-admin', 'system:admin', `${prefix}c1`),
        ),
        groups: fc.array(organization, { minLength: 1, maxLength: 3 }),
        dnsNames: fc.constantFrom<string[]>([], ['hub']),
        usages: fc.constantFrom<string[]>(['client auth'], ['client auth', 'server auth'], ['digital signature']),
      })
      .filter(({ as, label, user, groups, dnsNames, usages }) => {
        const [named, agent, ...rest] = user.slice(prefix.length).split(':');
        const own = groups.filter((group) => group !== `${prefix}managed-clusters`);
        const honest =
          named === label &&
          agent !== undefined &&
          rest.length === 0 &&
          user.startsWith(prefix) &&
          label !== 'managed-clusters' &&
          own.length > 0 &&
          own.every((group) => group === `${prefix}${label}`) &&
          (as === bootstrapUser || user === as.name);
        return !(honest && dnsNames.length === 0 && usages.join() === 'client auth');
      });
    await fc.assert(
      fc.asyncProperty(fc.array(forged, { minLength: 5, maxLength: 10 }), async (forgeries) => {
        const names = await Promise.all(
          forgeries.map(({ as, label, user, groups, dnsNames, usages }) =>
            send({ as, label, usages, subject: { user, groups, dnsNames, organizationUnits: [] } }),
          ),
        );
        await allSeen();
        for (const name of names) expect(await conditionsOf(name)).not.toContain('Approved');
      }),
      { numRuns: 5 },
    );
  });
});
