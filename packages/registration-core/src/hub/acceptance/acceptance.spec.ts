import { Annotation, Finalizer, Label, type ManagedCluster } from '@flotilla/api-types';
import { findCondition, hasFinalizer } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import { afterEach, describe, expect, it } from 'vitest';
import type { StartedDriver } from '../drivers/start-drivers.ts';
import { handlesOf, newCluster, newWork, type RunningHub, startHub, testDriver } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const hubAccepted = ({ status }: ManagedCluster): Partial<Condition> => {
  const { lastTransitionTime: _, ...said } = findCondition(status?.conditions, 'HubAcceptedManagedCluster') ?? {};
  return said;
};
const acceptedCondition = {
  type: 'HubAcceptedManagedCluster',
  status: 'True',
  reason: 'HubClusterAdminAccepted',
  message: 'Accepted by hub cluster admin',
};
const role = 'open-cluster-management:managedcluster:c1';
const registrationBinding = `c1/${role}:registration`;
const workBinding = `c1/${role}:work`;
const accept = newCluster('c1', { spec: { hubAcceptsClient: true } });

const setAccepted = async (accepted: boolean) => {
  const { clusters } = handlesOf(hub);
  await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: accepted } } });
  await hub.quiet();
};
const startAccepted = async (input: Parameters<typeof startHub>[0] = {}) => {
  hub = await startHub(input);
  await handlesOf(hub).clusters.create(accept);
  await hub.quiet();
  hub.takeWrites();
};

describe('accepting a cluster', () => {
  it('[registration-hub 2] leaves a cluster alone that is not decided about', async () => {
    hub = await startHub();
    const { clusters, namespaces } = handlesOf(hub);
    await clusters.create(newCluster('c1'));
    await hub.quiet();
    const cluster = await clusters.get('c1');
    expect(cluster.status?.conditions).toBeUndefined();
    expect(cluster.metadata?.finalizers).toEqual([Finalizer.ResourceCleanup]);
    expect(await namespaces.find('c1')).toBeUndefined();
    expect(hub.takeWrites().filter((write) => write.includes('rolebinding'))).toEqual([]);
  });

  it('[registration-hub 3] makes namespace, roles and bindings in order, then says so once', async () => {
    hub = await startHub();
    await handlesOf(hub).clusters.create(accept);
    await hub.quiet();
    const made = hub.writes.filter(({ method, path }) => method === 'POST' && !path.includes('managedclustersets'));
    const names = made.map(({ body }) => (body as ManagedCluster).metadata?.name);
    const own = names.filter((name) => name === 'c1' || name?.includes(':c1'));
    expect(own).toEqual(['c1', role, role, `${role}:registration`, `${role}:work`]);
    expect(hub.takeWrites().filter((write) => write === 'PATCH managedclusters/c1/status')).toHaveLength(1);
    expect(hubAccepted(await handlesOf(hub).clusters.get('c1'))).toEqual(acceptedCondition);
  });

  it('[registration-hub 12] grants exactly the four rules to the groups that the drivers name', async () => {
    const group = (name: string) => ({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name });
    const subjects = ['system:open-cluster-management:c1', 'open-cluster-management:c1'].map(group);
    const other = testDriver({ authType: 'other', subjects: () => subjects, clusterRules: () => [] });
    await startAccepted({ drivers: [testDriver(), other] });
    const { clusterRoles, clusterRoleBindings, roleBindings } = handlesOf(hub);
    const labels = { 'open-cluster-management.io/cluster-name': 'c1' };
    const roleRef = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
    const cluster = 'cluster.open-cluster-management.io';
    const clusterRole = await clusterRoles.get(role);
    expect(clusterRole.metadata?.labels).toEqual(labels);
    expect(clusterRole.rules).toEqual([
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests'],
        verbs: ['create', 'get', 'list', 'watch'],
      },
      {
        apiGroups: ['register.open-cluster-management.io'],
        resources: ['managedclusters/clientcertificates'],
        verbs: ['renew'],
      },
      {
        apiGroups: [cluster],
        resources: ['managedclusters'],
        resourceNames: ['c1'],
        verbs: ['get', 'list', 'update', 'watch'],
      },
      {
        apiGroups: [cluster],
        resources: ['managedclusters/status'],
        resourceNames: ['c1'],
        verbs: ['patch', 'update'],
      },
    ]);
    expect(await clusterRoleBindings.get(role)).toMatchObject({
      metadata: { labels },
      subjects,
      roleRef: roleRef(role),
    });
    const registration = roleRef('open-cluster-management:managedcluster:registration');
    expect(await roleBindings.get(registrationBinding)).toMatchObject({ subjects, roleRef: registration });
    const work = await roleBindings.get(workBinding);
    expect(work).toMatchObject({ subjects, roleRef: roleRef('open-cluster-management:managedcluster:work') });
    expect(work.metadata?.finalizers).toEqual(['cluster.open-cluster-management.io/manifest-work-cleanup']);
  });

  it('[registration-hub 4] writes nothing when all is there: neither a restart nor another reconcile does', async () => {
    await startAccepted();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
    await handlesOf(hub).clusters.patch('c1', { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } });
    await hub.quiet();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('[registration-hub 10, 11] puts extra labels on all objects it makes', async () => {
    const extra = { team: 'fleet', stage: 'test' };
    await startAccepted({ options: { labels: extra } });
    const { namespaces, clusterRoles, clusterRoleBindings, roleBindings } = handlesOf(hub);
    const common = ['registration', 'work'].map((part) =>
      clusterRoles.get(`open-cluster-management:managedcluster:${part}`),
    );
    const objects = await Promise.all([
      namespaces.get('c1'),
      clusterRoles.get(role),
      clusterRoleBindings.get(role),
      roleBindings.get(registrationBinding),
      roleBindings.get(workBinding),
      ...common,
    ]);
    for (const { metadata } of objects) expect(metadata?.labels).toMatchObject(extra);
  });

  it('[registration-hub 17] reports what went wrong, keeps trying, and fixes it', async () => {
    hub = await startHub();
    hub.failWith(({ method, path }) => (method === 'POST' && path.endsWith('/namespaces') ? 'Forbidden' : undefined));
    const { clusters } = handlesOf(hub);
    await clusters.create(accept);
    await hub.quiet();
    const said = hubAccepted(await clusters.get('c1'));
    expect(said).toMatchObject({ status: 'False', reason: 'Error' });
    expect(said.message).toContain('POST /api/v1/namespaces refused by the test');
    hub.failWith(undefined);
    await hub.pass(1000);
    expect(hubAccepted(await clusters.get('c1'))).toEqual(acceptedCondition);
  });

  it('[registration-hub 17, W1] does not say that a cluster is accepted while a role is missing', async () => {
    hub = await startHub();
    hub.failWith(({ path }) => (path.includes('clusterrolebindings') ? 'Forbidden' : undefined));
    await handlesOf(hub).clusters.create(accept);
    await hub.quiet();
    const said = hubAccepted(await handlesOf(hub).clusters.get('c1'));
    expect(said).toMatchObject({ status: 'False', reason: 'Error' });
    expect(said.message).toContain('clusterrolebindings');
  });

  it('[registration-hub 21] restores a role that is edited and a binding that is deleted', async () => {
    await startAccepted();
    const { clusterRoles, roleBindings } = handlesOf(hub);
    await clusterRoles.patch(role, { type: 'merge', body: { rules: [] } });
    await roleBindings.delete(registrationBinding);
    await hub.quiet();
    expect((await clusterRoles.get(role)).rules).toHaveLength(4);
    expect(await roleBindings.find(registrationBinding)).toBeDefined();
  });

  it('[registration-hub 22, 23] takes over a role without its label and keeps labels of others', async () => {
    hub = await startHub();
    const { clusters, clusterRoles, namespaces } = handlesOf(hub);
    await clusterRoles.create({ metadata: { name: role, labels: { mine: 'yes' } }, rules: [] });
    await namespaces.create({ metadata: { name: 'c1', labels: { owner: 'me' } } });
    await clusters.create(accept);
    await hub.quiet();
    const taken = await clusterRoles.get(role);
    expect(taken.metadata?.labels).toEqual({ mine: 'yes', [Label.ClusterName]: 'c1' });
    expect(taken.rules).toHaveLength(4);
    expect((await namespaces.get('c1')).metadata?.labels).toMatchObject({ owner: 'me', [Label.ClusterName]: 'c1' });
    expect(hubAccepted(await clusters.get('c1'))).toEqual(acceptedCondition);
  });

  it('[registration-hub W23] makes a binding anew whose role reference is wrong', async () => {
    hub = await startHub();
    const { clusters, clusterRoleBindings } = handlesOf(hub);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await clusterRoleBindings.create({ metadata: { name: role }, roleRef });
    await clusters.create(accept);
    await hub.quiet();
    expect((await clusterRoleBindings.get(role)).roleRef.name).toBe(role);
  });
});

describe('a hub with two auth types', () => {
  const authType = 'agent.open-cluster-management.io/registration-auth';
  const record = 'open-cluster-management.io/accepted-registration-auth';
  const weak = testDriver({
    authType: 'weak',
    accepts: ({ metadata }) => (metadata?.annotations?.[authType] === 'weak' ? 'refuse' : 'not mine'),
    subjects: (cluster) => [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: `weak:${cluster}` }],
    clusterRules: () => [],
  });
  const strong = testDriver({
    accepts: ({ metadata }) => (metadata?.annotations?.[authType] ? 'not mine' : 'accept'),
  });
  const bound = async () => (await handlesOf(hub).clusterRoleBindings.get(role)).subjects?.map(({ name }) => name);
  const reportJoined = async (type = 'ManagedClusterJoined') => {
    const reported = { type, status: 'True', reason: 'Reported', message: '' } as const;
    const conditions = [
      ...((await handlesOf(hub).clusters.get('c1')).status?.conditions ?? []),
      { ...reported, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    await handlesOf(hub).clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    await hub.quiet();
  };
  const declare = async (declared: string) => {
    const body = { metadata: { annotations: { [authType]: declared } } };
    await handlesOf(hub).clusters.patch('c1', { type: 'merge', body });
    await hub.quiet();
  };
  const recorded = async () => (await handlesOf(hub).namespaces.get('c1')).metadata?.annotations?.[record];
  const said = async () =>
    findCondition((await handlesOf(hub).clusters.get('c1')).status?.conditions, 'RegistrationAuthAccepted');

  it('binds a cluster to the subjects of the one that it was accepted by, and to no other', async () => {
    await startAccepted({ drivers: [strong, weak] });
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    await reportJoined();
    expect(await recorded()).toBe('test');
    await declare('weak');
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    expect(await said()).toMatchObject({ status: 'False', reason: 'ChangedSinceAcceptance' });
    expect((await said())?.message).toContain('was accepted to register by test and now declares weak');
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('accepts what a cluster declares now when an administrator denies it and accepts it again', async () => {
    await startAccepted({ drivers: [strong, weak] });
    await reportJoined();
    await declare('weak');
    await setAccepted(false);
    // The agent that joined can still read that it is denied.
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    await setAccepted(true);
    expect(await bound()).toEqual(['weak:c1']);
    expect(await recorded()).toBe('weak');
    expect(await said()).toMatchObject({ status: 'True' });
  });

  it('keeps a cluster that an earlier hub accepted, and does not bind it to a driver that is enabled since', async () => {
    const drivers = [strong];
    await startAccepted({ drivers });
    await reportJoined();
    await handlesOf(hub).namespaces.patch('c1', {
      type: 'merge',
      body: { metadata: { annotations: { [record]: null } } },
    });
    await hub.restart(() => drivers.push(weak));
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    expect(await recorded()).toBe('test');
  });

  it('keeps all drivers that an earlier hub bound, whatever its agent declares, and reports it until it is accepted again', async () => {
    const both = { ...strong, subjects: (name: string) => [...strong.subjects(name), ...weak.subjects(name)] };
    const drivers: StartedDriver[] = [both];
    await startAccepted({ drivers });
    await reportJoined();
    const body = { metadata: { annotations: { [record]: null } } };
    await handlesOf(hub).namespaces.patch('c1', { type: 'merge', body });
    await hub.restart(() => drivers.splice(0, 1, strong, weak));
    expect(await bound()).toEqual(['system:open-cluster-management:c1', 'weak:c1']);
    await reportJoined('ManagedClusterConditionAvailable');
    // The agent that is available may be the strong one, and the issuer of the weak one may have written this.
    await declare('weak');
    expect(await bound()).toEqual(['system:open-cluster-management:c1', 'weak:c1']);
    expect(await recorded()).toBe('test,weak');
    expect(await said()).toMatchObject({
      status: 'False',
      reason: 'SeveralAuthTypes',
      message:
        'ManagedCluster "c1" can register by each of test, weak and declares weak. To accept only what it declares now, set spec.hubAcceptsClient to false and to true again.',
    });
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
    await setAccepted(false);
    await setAccepted(true);
    expect(await bound()).toEqual(['weak:c1']);
    expect(await said()).toMatchObject({ status: 'True' });
  });

  it('records nothing of a removed cluster for the next one of its name', async () => {
    await startAccepted({ drivers: [strong, weak] });
    await reportJoined();
    await handlesOf(hub).clusters.delete('c1');
    await hub.quiet();
    const metadata = { name: 'c1', annotations: { [authType]: 'weak' } };
    await handlesOf(hub).clusters.create({ ...accept, metadata });
    await hub.quiet();
    expect(await bound()).toEqual(['weak:c1']);
    expect(await recorded()).toBe('weak');
  });

  it('binds the next cluster of a name to the drivers that claim it, also where the removed one had declared another', async () => {
    hub = await startHub({ drivers: [strong, weak] });
    const { clusters } = handlesOf(hub);
    await clusters.create({ ...accept, metadata: { name: 'c1', annotations: { [authType]: 'weak' } } });
    await hub.quiet();
    expect(await recorded()).toBe('weak');
    await clusters.delete('c1');
    await hub.quiet();
    expect(await recorded()).toBeUndefined();
    await clusters.create(accept);
    await hub.quiet();
    await hub.restart();
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    expect(await recorded()).toBeUndefined();
  });

  it('takes no record from a namespace that an earlier hub kept for a new acceptance', async () => {
    hub = await startHub({ drivers: [strong, weak] });
    const { clusters, namespaces } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'c1', annotations: { [record]: 'weak', note: 'kept' } } });
    await clusters.create(accept);
    await hub.quiet();
    await hub.restart();
    expect(await bound()).toEqual(['system:open-cluster-management:c1']);
    expect((await namespaces.get('c1')).metadata?.annotations).toEqual({ note: 'kept' });
  });
});

describe('the namespace of a cluster', () => {
  const mark = 'open-cluster-management.io/created-by-hub';

  it('is marked if the hub created it', async () => {
    await startAccepted();
    expect((await handlesOf(hub).namespaces.get('c1')).metadata?.annotations).toEqual({ [mark]: 'c1' });
  });

  it('is labelled and not marked if it was there before', async () => {
    hub = await startHub();
    const { clusters, namespaces } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'c1' } });
    await clusters.create(accept);
    await hub.quiet();
    await hub.restart();
    const { labels, annotations } = (await namespaces.get('c1')).metadata ?? {};
    expect(labels).toMatchObject({ [Label.ClusterName]: 'c1' });
    expect(annotations?.[mark]).toBeUndefined();
  });

  it.each(['default', 'kube-system', 'open-cluster-management-hub', 'managed-clusters'])(
    'is not %s: such a cluster is refused and says so, with auto-approval too',
    async (name) => {
      hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
      const { clusters, clusterRoles, roleBindings } = handlesOf(hub);
      await clusters.create(newCluster(name, { spec: { hubAcceptsClient: true } }));
      await hub.quiet();
      const { status, metadata } = await clusters.get(name);
      expect(findCondition(status?.conditions, 'ClusterNameAllowed')).toMatchObject({
        status: 'False',
        reason: 'SystemNamespace',
        message: `"${name}" cannot be the name of a cluster: a namespace, role or group of that name belongs to Kubernetes or Open Cluster Management. Join under a name other than default, kube-*, open-cluster-management*, registration, work and managed-clusters.`,
      });
      expect(findCondition(status?.conditions, 'HubAcceptedManagedCluster')).toBeUndefined();
      expect(metadata?.annotations).toBeUndefined();
      expect(await clusterRoles.find(`open-cluster-management:managedcluster:${name}`)).toBeUndefined();
      expect((await roleBindings.list({ namespace: name })).items).toEqual([]);
      await clusters.delete(name);
      await hub.quiet();
      expect(await clusters.find(name)).toBeUndefined();
    },
  );
});

describe('a cluster whose role would be one that all clusters share', () => {
  const commonRules = async () => {
    const names = ['registration', 'work'].map((part) => `open-cluster-management:managedcluster:${part}`);
    const roles = await Promise.all(names.map((name) => handlesOf(hub).clusterRoles.get(name)));
    return roles.map(({ metadata, rules }) => [metadata?.uid, rules]);
  };

  it.each([
    ['registration', false],
    ['registration', true],
    ['work', false],
    ['work', true],
  ])('named %s (accepted: %s) gets no permissions, and changes none of the others', async (name, hubAcceptsClient) => {
    await startAccepted();
    const before = await commonRules();
    const { clusters, clusterRoleBindings, roleBindings } = handlesOf(hub);
    await clusters.create(newCluster(name, { spec: { hubAcceptsClient } }));
    await hub.quiet();
    expect(findCondition((await clusters.get(name)).status?.conditions, 'ClusterNameAllowed')?.status).toBe('False');
    expect(await clusterRoleBindings.find(`open-cluster-management:managedcluster:${name}`)).toBeUndefined();
    expect((await roleBindings.list({ namespace: name })).items).toEqual([]);
    expect(await commonRules()).toEqual(before);
    await clusters.delete(name);
    await hub.quiet();
    expect(await clusters.find(name)).toBeUndefined();
    expect(await commonRules()).toEqual(before);
  });

  it('loses what an earlier hub gave it', async () => {
    await startAccepted();
    const { clusters, clusterRoleBindings } = handlesOf(hub);
    const name = 'open-cluster-management:managedcluster:work';
    await clusterRoleBindings.create({
      metadata: { name, labels: { [Label.ClusterName]: 'work' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:open-cluster-management:work' }],
    });
    const conditions = [{ ...acceptedCondition, lastTransitionTime: '2026-01-01T00:00:00Z' }] as Condition[];
    await clusters.create(newCluster('work', { spec: { hubAcceptsClient: true }, status: { conditions } }));
    await hub.quiet();
    expect(await clusterRoleBindings.find(name)).toBeUndefined();
  });

  it('takes nothing from the others when only a namespace says that it was there', async () => {
    await startAccepted();
    const before = await commonRules();
    await handlesOf(hub).namespaces.create({ metadata: { name: 'work', labels: { [Label.ClusterName]: 'work' } } });
    await hub.quiet();
    expect(await commonRules()).toEqual(before);
  });
});

describe('accepting without an administrator', () => {
  it('[registration-hub 8] annotates and accepts a new cluster in one patch', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await hub.quiet();
    const annotations = { [Annotation.AutomaticallyAcceptedOn]: '2026-01-01T00:00:00Z' };
    expect(hub.writes.map(({ body }) => body)).toContainEqual({
      metadata: { annotations },
      spec: { hubAcceptsClient: true },
    });
    expect(hubAccepted(await handlesOf(hub).clusters.get('c1'))).toEqual(acceptedCondition);
  });

  it('[registration-hub 9] only annotates a cluster that is accepted already', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
    await handlesOf(hub).clusters.create(accept);
    await hub.quiet();
    const annotations = { [Annotation.AutomaticallyAcceptedOn]: '2026-01-01T00:00:00Z' };
    expect(hub.writes.map(({ body }) => body)).toContainEqual({ metadata: { annotations } });
  });

  it('[registration-hub 26] lets an administrator deny for good what was accepted by itself', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true } });
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('c1'));
    await hub.quiet();
    await setAccepted(false);
    await hub.pass(10_000);
    const cluster = await clusters.get('c1');
    expect(cluster.spec?.hubAcceptsClient).toBe(false);
    expect(cluster.metadata?.annotations).toHaveProperty([Annotation.AutomaticallyAcceptedOn]);
    expect(hubAccepted(cluster)).toMatchObject({ status: 'False', reason: 'HubClusterAdminDenied' });
  });

  it.each([
    ['one of the drivers refuses', ['accept', 'refuse']],
    ['no driver claims', ['not mine', 'not mine']],
  ] as const)('[registration-hub 28] leaves a cluster to an administrator that %s', async (_, decisions) => {
    const drivers = decisions.map((decision) => testDriver({ accepts: () => decision }));
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true }, drivers });
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await hub.quiet();
    expect((await handlesOf(hub).clusters.get('c1')).spec?.hubAcceptsClient).toBe(false);
  });
});

describe('denying a cluster', () => {
  it('[registration-hub 5, 12] leaves it the right to see that it is denied', async () => {
    await startAccepted();
    const { clusters, clusterRoles, clusterRoleBindings, roleBindings, namespaces, leases } = handlesOf(hub);
    await setAccepted(false);
    expect((await clusterRoles.get(role)).rules).toEqual([
      {
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusters'],
        resourceNames: ['c1'],
        verbs: ['get', 'list', 'watch'],
      },
    ]);
    expect(await clusterRoleBindings.find(role)).toBeDefined();
    expect(await roleBindings.find(registrationBinding)).toBeUndefined();
    expect(await roleBindings.find(workBinding)).toBeUndefined();
    expect(await namespaces.find('c1')).toBeDefined();
    expect(await leases.find('c1/managed-cluster-lease')).toBeDefined();
    expect(hubAccepted(await clusters.get('c1'))).toEqual({
      type: 'HubAcceptedManagedCluster',
      status: 'False',
      reason: 'HubClusterAdminDenied',
      message: 'Denied by hub cluster admin',
    });
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);
  });

  it('[registration-hub 13, W3] takes all permissions at once, also those for works that remain', async () => {
    await startAccepted();
    const { clusters, roleBindings, works } = handlesOf(hub);
    await works.create(newWork('c1', 'w1'));
    await hub.quiet();
    await setAccepted(false);
    expect(hubAccepted(await clusters.get('c1'))).toMatchObject({ reason: 'HubClusterAdminDenied' });
    expect(await roleBindings.find(workBinding)).toBeUndefined();
    expect(await works.find('c1/w1')).toBeDefined();
  });

  it('[registration-hub 19, W24] restores all permissions when the cluster is accepted again, also while its works remain', async () => {
    await startAccepted();
    const { clusters, clusterRoles, roleBindings, works } = handlesOf(hub);
    await works.create(newWork('c1', 'w1'));
    await setAccepted(false);
    await setAccepted(true);
    expect((await clusterRoles.get(role)).rules).toHaveLength(4);
    expect(await roleBindings.find(registrationBinding)).toBeDefined();
    const work = await roleBindings.get(workBinding);
    expect(work.metadata?.deletionTimestamp).toBeUndefined();
    expect(hasFinalizer(work, Finalizer.ManifestWorkCleanup)).toBe(true);
    expect(hubAccepted(await clusters.get('c1'))).toEqual(acceptedCondition);
  });

  it('[registration-hub W4] takes rights away that a failed acceptance left', async () => {
    hub = await startHub();
    hub.failWith(({ path }) => (path.includes('rolebindings') ? 'Internal' : undefined));
    await handlesOf(hub).clusters.create(accept);
    await hub.quiet();
    hub.failWith(undefined);
    await setAccepted(false);
    expect((await handlesOf(hub).clusterRoles.get(role)).rules).toHaveLength(1);
  });
});
