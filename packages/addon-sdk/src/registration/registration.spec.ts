import type { AddOnRegistration } from '@flotilla/api-types';
import { clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { customSigner, kubeClient } from '../definition/registration.ts';
import { enableProbe, runProbe, stopAfterEach } from '../fixtures/one-addon.ts';
import { registrationsFor } from './registration.policy.ts';

stopAfterEach();

const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
const agent = 'system:open-cluster-management:cluster:c1:addon:probe:agent:probe-agent';
const groups = ['system:open-cluster-management:cluster:c1:addon:probe', 'system:open-cluster-management:addon:probe'];
const rbac = 'rbac.authorization.k8s.io';
/** Without the group of the agents of all clusters. */
const subjects = [
  { apiGroup: rbac, kind: 'User', name: agent },
  { apiGroup: rbac, kind: 'Group', name: groups[0] },
];

describe('the registration of an add-on', () => {
  it('[addons 109] waits for the owner of the add-on', async () => {
    const { enable, addon } = await runProbe([]);
    await enable('c1', 'probe', { metadata: { ownerReferences: [] } });
    expect((await addon('c1', 'probe'))?.status).toBeUndefined();
  });

  it('[addons 110] that needs no access is configured at once', async () => {
    const { condition, addon } = await enableProbe([]);
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toBe(
      'True NilRegistration: Registration of the addon agent is configured',
    );
    expect((await addon('c1', 'probe'))?.status?.registrations ?? []).toEqual([]);
  });

  it.each<[string, string | undefined, string | undefined, string]>([
    ['the definition', 'default2', 'default3', 'default3'],
    ['the annotation of the add-on', 'default2', '', 'default2'],
    ['neither', undefined, undefined, 'open-cluster-management-agent-addon'],
  ])('[addons 111] goes to the namespace of %s', async (_, annotation, chosen, namespace) => {
    const { enable, addon } = await runProbe([], { installNamespace: chosen });
    const key = 'addon.open-cluster-management.io/v1alpha1-install-namespace';
    await enable('c1', 'probe', { metadata: annotation ? { annotations: { [key]: annotation } } : {} });
    expect((await addon('c1', 'probe'))?.status?.namespace).toBe(namespace);
  });

  it('gives the agent its permissions in the namespace of its cluster, and to no agent of another', async () => {
    const { condition, addon, hub } = await enableProbe([], {
      registration: [kubeClient({ permissions: (p) => p.inClusterNamespace(rules) })],
    });
    expect((await addon('c1', 'probe'))?.status?.registrations).toEqual([
      { type: 'kubeClient', kubeClient: { subject: { user: agent, groups } } },
    ]);
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toBe(
      'True SetPermissionApplied: Registration of the addon agent is configured',
    );
    const role = await hub.roles.get('c1/open-cluster-management:probe:agent');
    expect(role.rules).toEqual(rules);
    expect(role.metadata?.ownerReferences).toMatchObject([{ kind: 'ManagedClusterAddOn', blockOwnerDeletion: true }]);
    const binding = await hub.roleBindings.get('c1/open-cluster-management:probe:agent');
    expect(binding.roleRef).toMatchObject({ kind: 'Role', name: 'open-cluster-management:probe:agent' });
    expect(binding.subjects).toEqual(subjects);
  });

  it('[addons 112] is pending while a token has no subject, and then bound to the user alone', async () => {
    const { condition, addon, hub, quiet, enable } = await runProbe([], {
      registration: [kubeClient({ permissions: (p) => p.inClusterNamespace(rules) })],
    });
    await enable('c1', 'probe');
    const setKubeClient = async (kubeClientStatus: AddOnRegistration['kubeClient']) => {
      const registrations = [{ type: 'kubeClient', kubeClient: kubeClientStatus }];
      await hub.addons.status.patch('c1/probe', { type: 'merge', body: { status: { registrations } } });
      await quiet();
    };
    await setKubeClient({ driver: 'token' });
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toBe(
      'False PermissionConfigPending: registration subject not ready',
    );
    const user = 'system:serviceaccount:c1:probe-agent';
    await setKubeClient({ driver: 'token', subject: { user } });
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain('True SetPermissionApplied');
    expect((await hub.roleBindings.get('c1/open-cluster-management:probe:agent')).subjects).toEqual([
      { apiGroup: rbac, kind: 'User', name: user },
    ]);
    expect((await addon('c1', 'probe'))?.status?.registrations).toEqual([
      { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user } } },
    ]);
  });

  it('[addons 112] reports permissions that cannot be set, and tries again', async () => {
    const { condition, refuse, enable, pass } = await runProbe([], {
      registration: [kubeClient({ permissions: (p) => p.inClusterNamespace(rules) })],
    });
    refuse('/roles');
    await enable('c1', 'probe');
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toBe(
      'False SetPermissionFailed: Failed to set permission for hub agent: Internal: POST namespaces/c1/roles refused by the test',
    );
    refuse(undefined);
    await pass(1000);
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain('True SetPermissionApplied');
  });

  it('reports what its author throws', async () => {
    const { condition } = await enableProbe([], {
      registration: () => {
        throw new Error('no template');
      },
    });
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toBe(
      'False SetPermissionFailed: Failed to set permission for hub agent: no template',
    );
  });

  it('[addons Q12] binds roles that exist, each by a binding of its own', async () => {
    const { hub, addCluster, enable, quiet } = await enableProbe([], {
      registration: [
        kubeClient({
          permissions: (p) => [
            p.bindClusterRole('view'),
            p.bindClusterRole('edit', { labels: { extra: 'yes' } }),
            p.inNamespace('shared', { kind: 'Role', name: 'reader' }),
          ],
        }),
      ],
    }).then(async (probe) => {
      await probe.hub.namespaces.create({ metadata: { name: 'shared' } });
      await probe.pass(1000);
      return probe;
    });
    const bindings = (await hub.roleBindings.list({ namespace: 'c1' })).items;
    expect(bindings.map(({ metadata, roleRef }) => [metadata?.name, roleRef.name])).toEqual([
      ['open-cluster-management:probe:clusterrole:agent', 'view'],
      [expect.stringMatching(/^open-cluster-management:probe:clusterrole:agent-[0-9a-f]{8}$/), 'edit'],
    ]);
    expect(bindings[1]?.metadata?.labels).toEqual({ 'open-cluster-management.io/addon-name': 'probe', extra: 'yes' });
    const shared = 'shared/open-cluster-management:probe:role:agent';
    expect((await hub.roleBindings.get(shared)).metadata?.ownerReferences).toBeUndefined();
    await addCluster('c2');
    await enable('c2', 'probe');
    const clusters = async () =>
      (await hub.roleBindings.find(shared))?.subjects?.filter(({ kind }) => kind === 'User').map(({ name }) => name);
    const other = agent.replace('c1', 'c2');
    expect(await clusters()).toEqual([agent, other]);
    await hub.addons.delete('c1/probe');
    await quiet();
    expect(await clusters()).toEqual([other]);
    await hub.addons.delete('c2/probe');
    await quiet();
    expect(await clusters()).toBeUndefined();
  });
});

describe('permissions that a definition no longer declares', () => {
  const everything = kubeClient({
    permissions: (p) => [
      p.inClusterNamespace(rules),
      p.bindClusterRole('view'),
      p.inNamespace('shared', { kind: 'Role', name: 'reader' }),
    ],
  });
  const start = async () => {
    const declared: Record<string, (typeof everything)[]> = {};
    const probe = await runProbe([], {
      registration: ({ cluster }) => declared[cluster.metadata?.name ?? ''] ?? [everything],
    });
    await probe.hub.namespaces.create({ metadata: { name: 'shared' } });
    // What a function may declare is not known to the rules of the fixture.
    const { client } = probe.plane;
    const subjects = [{ apiGroup: rbac, kind: 'User', name: 'author' }];
    const metadata = { name: 'author-grants' };
    const all = [...rules, { apiGroups: [rbac], resources: ['roles', 'clusterroles'], verbs: ['bind'] }];
    await client.resource(clusterRoles).create({ metadata, rules: all });
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'author-grants' };
    await client.resource(clusterRoleBindings).create({ metadata, roleRef, subjects });
    await probe.addCluster('c2');
    for (const cluster of ['c1', 'c2']) await probe.enable(cluster, 'probe');
    const left = async (namespace: string) => [
      ...(await probe.hub.roles.list({ namespace })).items.map(({ metadata: m }) => `role ${m?.name}`),
      ...(await probe.hub.roleBindings.list({ namespace })).items.map(({ metadata: m }) => `binding ${m?.name}`),
    ];
    const declare = async (cluster: string, registrations: (typeof everything)[]) => {
      declared[cluster] = registrations;
      probe.engine.trigger(cluster, 'probe');
      await probe.quiet();
    };
    return { ...probe, left, declare };
  };
  const own = 'open-cluster-management:probe:agent';
  const shared = 'open-cluster-management:probe:role:agent';

  it('are taken back from its cluster, and those of other add-ons and tokens stay', async () => {
    const { hub, left, declare } = await start();
    expect(await left('c1')).toEqual([
      `role ${own}`,
      `binding ${own}`,
      'binding open-cluster-management:probe:clusterrole:agent',
    ]);
    const ownerReferences = (await hub.roles.get(`c1/${own}`)).metadata?.ownerReferences ?? [];
    const roleRef = { apiGroup: rbac, kind: 'Role', name: 'x' };
    for (const [name, labels] of [
      ['other', { 'open-cluster-management.io/addon-name': 'other' }],
      ['token', { 'addon.open-cluster-management.io/token-infrastructure': 'true' }],
    ] as const) {
      await hub.roleBindings.create({ metadata: { namespace: 'c1', name, labels, ownerReferences }, roleRef });
    }
    await declare('c1', [kubeClient({ permissions: (p) => p.bindClusterRole('view') })]);
    expect(await left('c1')).toEqual([
      'binding open-cluster-management:probe:clusterrole:agent',
      'binding other',
      'binding token',
    ]);
    expect(await left('c2')).toHaveLength(3);
  });

  it('are taken back also when nothing is declared any more', async () => {
    const { left, declare, condition } = await start();
    expect(await left('c1')).toHaveLength(3);
    await declare('c1', []);
    expect(await left('c1')).toEqual([]);
    expect(await condition('c1', 'probe', 'RegistrationApplied')).toContain('True NilRegistration');
  });

  it('are taken from the agent of its cluster where agents of several share them', async () => {
    const { hub, left, declare } = await start();
    const users = async () =>
      (await hub.roleBindings.get(`shared/${shared}`)).subjects
        ?.filter(({ kind }) => kind === 'User')
        .map(({ name }) => name);
    const other = agent.replace('c1', 'c2');
    expect(await users()).toEqual([agent, other]);
    await declare('c1', [kubeClient()]);
    expect(await users()).toEqual([other]);
    await declare('c2', [kubeClient()]);
    expect(await left('shared')).toEqual([]);
  });

  it('[addons Q12] stay bound for clusters that still have them, while others share another role', async () => {
    const { hub, declare } = await start();
    const bound = async () =>
      (await hub.roleBindings.list({ namespace: 'shared' })).items.map(
        ({ metadata, roleRef, subjects: all = [] }) =>
          `${metadata?.name} ${roleRef.name} ${all.flatMap(({ name }) => /cluster:(c\d):addon:probe:/.exec(name)?.[1] ?? [])}`,
      );
    const { uid } = (await hub.roleBindings.get(`shared/${shared}`)).metadata ?? {};
    const writer = kubeClient({ permissions: (p) => p.inNamespace('shared', { kind: 'Role', name: 'writer' }) });
    await declare('c2', [writer]);
    const suffixed = expect.stringMatching(new RegExp(`^${shared}-[0-9a-f]{8} writer c2$`));
    expect(await bound()).toEqual([`${shared} reader c1`, suffixed]);
    await declare('c1', [everything]);
    expect(await bound()).toEqual([`${shared} reader c1`, suffixed]);
    expect((await hub.roleBindings.get(`shared/${shared}`)).metadata?.uid).toBe(uid);
    await declare('c1', [writer]);
    expect(await bound()).toEqual([expect.stringMatching(/-[0-9a-f]{8} writer c1,c2$/)]);
    for (const cluster of ['c1', 'c2']) await declare(cluster, [writer]);
    expect(await bound()).toEqual([`${shared} writer c1,c2`]);
  });
});

describe('the registrations in the status', () => {
  const scope = { cluster: 'c1', addOn: 'probe' };
  const user = 'system:serviceaccount:c1:probe-agent';
  const undeclared = kubeClient({ subject: {} });
  it.each<[string, Parameters<typeof registrationsFor>[0], AddOnRegistration['kubeClient'] | undefined, object]>([
    [
      'keep the subject that a token was given',
      [kubeClient()],
      { driver: 'token', subject: { user } },
      { driver: 'token', subject: { user } },
    ],
    [
      'have no subject if a token claims to be another service account',
      [kubeClient()],
      { driver: 'token', subject: { user: 'system:serviceaccount:c2:probe-agent' } },
      { driver: 'token' },
    ],
    [
      'have no subject if a token claims to be in a group',
      [kubeClient()],
      { driver: 'token', subject: { user, groups: ['system:masters'] } },
      { driver: 'token' },
    ],
    [
      'have no subject if a token claims to be a group',
      [kubeClient()],
      { driver: 'token', subject: { groups: ['system:masters'] } },
      { driver: 'token' },
    ],
    ['have no subject while a token has none', [kubeClient()], { driver: 'token' }, { driver: 'token' }],
    [
      'have the default subject for a certificate if none is declared',
      [undeclared],
      { driver: 'csr' },
      { driver: 'csr', subject: { user: 'system:open-cluster-management:cluster:c1:addon:probe:agent:probe', groups } },
    ],
    [
      'have the declared subject for a certificate',
      [kubeClient({ subject: { user: 'u' } })],
      { driver: 'csr' },
      { driver: 'csr', subject: { user: 'u' } },
    ],
    ['have no subject while none is declared and no driver is chosen', [undeclared], undefined, {}],
  ])('[addons 113] %s', (_, declared, present, expected) => {
    const existing: AddOnRegistration[] = present ? [{ type: 'kubeClient', kubeClient: present }] : [];
    expect(registrationsFor(declared, existing, scope)).toEqual([{ type: 'kubeClient', kubeClient: expected }]);
  });

  it('have custom signers as they are declared', () => {
    const subject = { user: 'u', groups: ['g'], organizationUnits: ['o'] };
    expect(registrationsFor([customSigner({ signerName: 'example.com/s', subject })], [], scope)).toEqual([
      { type: 'customSigner', customSigner: { signerName: 'example.com/s', subject } },
    ]);
  });
});
