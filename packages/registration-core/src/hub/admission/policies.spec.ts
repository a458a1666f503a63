import {
  Annotation,
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnV1alpha1,
  type ManagedClusterSetBinding,
  managedClusterAddOns,
  managedClusterAddOnsV1alpha1,
  managedClusterSetBindings,
  managedClusters,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import type { Webhook } from '@flotilla/kube/admission';
import { type ClusterRole, clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clusterIdentityAnnotation,
  forcedRemovalAnnotation,
  rebootstrapAllowedAnnotation,
  sharedIdentityAnnotation,
} from '../../contract/index.ts';
import { hubPolicies } from './policies.ts';
import { hubWebhooks } from './webhooks.ts';

const clusterGroup = 'cluster.open-cluster-management.io';
const [clustersPath, bindingsPath] = [
  '/validate-cluster-open-cluster-management-io-v1-managedcluster',
  '/validate-cluster-open-cluster-management-io-v1beta2-managedclustersetbinding',
];
const write = ['create', 'update', 'get'];
const writing = [
  { apiGroups: [clusterGroup], resources: ['managedclusters', 'managedclustersetbindings'], verbs: write },
  { apiGroups: ['addon.open-cluster-management.io'], resources: ['managedclusteraddons'], verbs: write },
];
const joining = (set: string) => ({
  apiGroups: [clusterGroup],
  resources: ['managedclustersets/join'],
  resourceNames: [set],
  verbs: ['create'],
});

/** What each user may do beside writing clusters and bindings. */
const users: Readonly<Record<string, NonNullable<ClusterRole['rules']>>> = {
  unprivileged: [],
  acceptor: [
    { apiGroups: ['register.open-cluster-management.io'], resources: ['managedclusters/accept'], verbs: ['update'] },
  ],
  host: [{ apiGroups: ['work.open-cluster-management.io'], resources: ['manifestworks'], verbs: ['create'] }],
  joiner1: [joining('s1')],
  joiner12: [joining('s1'), joining('s2')],
  binder: [{ apiGroups: [clusterGroup], resources: ['managedclustersets/bind'], verbs: ['create'] }],
};

let plane: ControlPlane;
let webhooks: readonly Webhook[];

/** All kinds in all versions. The older one is stored, as it has each field that the policies read, so that nothing needs a conversion. */
const crds = customResourceDefinitions({ url: 'https://127.0.0.1/convert', caBundle: '' }).map(({ spec, ...crd }) => {
  const versions = spec.versions.map((version, at) => ({ ...version, storage: at === 0 }));
  return { ...crd, spec: { ...spec, versions, conversion: { strategy: 'None' } } };
});

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, crds });
  webhooks = hubWebhooks({ client: plane.client, clock: new FakeClock() });
  for (const [name, rules] of Object.entries(users)) {
    await plane.client.resource(clusterRoles).create({ metadata: { name }, rules: [...writing, ...rules] });
    await plane.client.resource(clusterRoleBindings).create({
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
      roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name },
    });
  }
  for (const object of hubPolicies()) {
    const { apiVersion = '', kind = '' } = object;
    await (await plane.client.dynamic({ apiVersion, kind })).create(object);
  }
});
afterAll(() => plane.stop());

/** What the webhook answers: undefined if it allows the request. */
async function webhookRefusal(
  path: string,
  username: string,
  object: object,
  oldObject?: object,
  groups: string[] = [],
) {
  const webhook = webhooks.find((one) => one.path === path);
  const operation = oldObject ? ('UPDATE' as const) : ('CREATE' as const);
  const request = { uid: 'u', operation, userInfo: { username, groups }, object, ...(oldObject && { oldObject }) };
  const decision = await webhook?.decide(request, new AbortController().signal);
  return decision?.allowed === false ? decision.message : undefined;
}

/** What the API server answers by its policies. */
async function policyRefusal(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    const { message = '' } = (error instanceof KubeError && error.apiStatus) || {};
    const [, why] = /denied request: (.*)$/.exec(message) ?? [];
    if (why === undefined) throw error;
    return why;
  }
}

const maybe = <T>(...values: T[]) => fc.constantFrom<T | undefined>(undefined, ...values);

/** Clusters that differ in all that is guarded. */
const anyCluster: fc.Arbitrary<ManagedCluster> = fc
  .record({
    accepts: fc.boolean(),
    set: maybe('s1', 's2', ''),
    identity: maybe('id1', 'id2'),
    forced: maybe('true', 'false'),
    shared: maybe('true', 'false'),
    rebootstrap: maybe('true', 'false'),
    hosting: maybe('c1', 'c2', ''),
    values: maybe('{}'),
    capi: maybe('ns/c1', 'ns/c2', ''),
    withheld: maybe('true', 'false', ''),
    registries: maybe('{}', '{"registries":[]}', ''),
    url: maybe('https://c1:6443', 'http://c1', 'c1', '/path'),
  })
  .map(({ accepts, set, identity, forced, shared, rebootstrap, withheld, hosting, values, capi, registries, url }) => ({
    metadata: {
      name: 'c1',
      ...(set !== undefined && { labels: { [Label.ClusterSet]: set } }),
      annotations: {
        other: 'annotation',
        ...(identity !== undefined && { [clusterIdentityAnnotation]: identity }),
        ...(forced !== undefined && { [forcedRemovalAnnotation]: forced }),
        ...(shared !== undefined && { [sharedIdentityAnnotation]: shared }),
        ...(rebootstrap !== undefined && { [rebootstrapAllowedAnnotation]: rebootstrap }),
        ...(withheld !== undefined && { [Annotation.RenewalWithheld]: withheld }),
        ...(hosting !== undefined && { [Annotation.HostingClusterName]: hosting }),
        ...(values !== undefined && { [Annotation.AddOnValues]: values }),
        ...(capi !== undefined && { [Annotation.ClusterApiCluster]: capi }),
        ...(registries !== undefined && { [Annotation.ImageRegistries]: registries }),
      },
    },
    spec: { hubAcceptsClient: accepts, ...(url !== undefined && { managedClusterClientConfigs: [{ url }] }) },
  }));

const key = Annotation.HostingClusterName;
const anyUser = fc.constantFrom(...Object.keys(users));

describe('the policies of the hub decide as its webhooks do, in the same words', () => {
  const clustersOf = (user: string) => plane.clientOf({ name: user, groups: [] }).resource(managedClusters);
  const bindingsOf = (user: string) => plane.clientOf({ name: user, groups: [] }).resource(managedClusterSetBindings);

  it('about new clusters', async () => {
    await fc.assert(
      fc.asyncProperty(anyUser, anyCluster, async (user, cluster) => {
        const refused = await policyRefusal(() => clustersOf(user).create(cluster, { dryRun: true }));
        expect(refused).toBe(await webhookRefusal(clustersPath, user, cluster));
      }),
      { numRuns: 200 },
    );
  });

  it('about holders of a join token, who register the cluster that it is for and no other', async () => {
    const groups = ['system:bootstrappers', 'system:bootstrappers:managedcluster:mine'];
    const holder = plane.clientOf({ name: 'unprivileged', groups }).resource(managedClusters);
    const answers: (string | undefined)[] = [];
    for (const name of ['mine', 'other', 'mine-too', 'min']) {
      const cluster = { metadata: { name }, spec: {} };
      const refused = await policyRefusal(() => holder.create(cluster, { dryRun: true }));
      expect(refused).toBe(await webhookRefusal(clustersPath, 'unprivileged', cluster, undefined, groups));
      answers.push(refused);
    }
    expect(answers[0]).toBeUndefined();
    expect(answers[1]).toBe(
      'managedclusters.cluster.open-cluster-management.io "other" is forbidden: user "unprivileged" holds a join token for another cluster',
    );
    expect(answers.slice(2)).not.toContain(undefined);
  });

  it('about names of clusters', async () => {
    const names = [
      'default',
      'defaults',
      'kube-system',
      'kube',
      'akube-b',
      'open-cluster-management',
      'my-default',
      'work',
      'works',
    ];
    for (const name of names) {
      const cluster = { metadata: { name }, spec: { hubAcceptsClient: false } };
      const refused = await policyRefusal(() => clustersOf('acceptor').create(cluster, { dryRun: true }));
      expect([name, refused]).toEqual([name, await webhookRefusal(clustersPath, 'acceptor', cluster)]);
    }
    const reserved = { metadata: { name: 'kube-system' }, spec: { hubAcceptsClient: false } };
    const refusal = await policyRefusal(() => clustersOf('acceptor').create(reserved, { dryRun: true }));
    expect(refusal).toContain(
      '"kube-system" cannot be the name of a cluster: a namespace, role or group of that name belongs to',
    );
  });

  it('about changes of clusters', async () => {
    const good = anyCluster.filter(
      ({ spec }) => spec?.managedClusterClientConfigs?.every(({ url }) => url.startsWith('https')) ?? true,
    );
    await fc.assert(
      fc.asyncProperty(anyUser, good, anyCluster, async (user, old, cluster) => {
        const admin = plane.client.resource(managedClusters);
        const { metadata } = await admin.create(old);
        const next = {
          ...cluster,
          metadata: { ...cluster.metadata, resourceVersion: metadata?.resourceVersion ?? '' },
        };
        const refused = await policyRefusal(() => clustersOf(user).replace(next, { dryRun: true })).finally(() =>
          admin.delete('c1'),
        );
        expect(refused).toBe(await webhookRefusal(clustersPath, user, cluster, old));
      }),
      { numRuns: 200 },
    );
  });

  it('about annotations of add-ons, which only those who decide about clusters add, change and remove', async () => {
    const admin = plane.client.resource(managedClusters);
    const annotated = (annotations?: Record<string, string>): ManagedCluster => ({
      metadata: { name: 'c2', ...(annotations && { annotations }) },
      spec: {},
    });
    const [none, one, other] = [annotated(), annotated({ [key]: 'c1' }), annotated({ [key]: 'c3' })];
    const beside = annotated({ [key]: 'c1', 'example.com/colour': 'blue' });
    const refusal =
      'managedclusters/accept.cluster.open-cluster-management.io "c2" is forbidden: user "unprivileged" cannot change ' +
      'add-on annotations (addon.open-cluster-management.io…)';
    expect(await policyRefusal(() => clustersOf('unprivileged').create(one))).toBe(refusal);
    const changes = [
      ['adds one', none, one, refusal],
      ['changes one', one, other, refusal],
      ['removes one', one, none, refusal],
      ['keeps one, and adds another annotation', one, beside, undefined],
      ['has none', none, none, undefined],
    ] as const;
    for (const [what, old, next, expected] of changes) {
      for (const [user, wanted] of [['unprivileged', expected] as const, ['acceptor', undefined] as const]) {
        const { metadata } = await admin.create(old);
        const resourceVersion = metadata?.resourceVersion ?? '';
        const body = { ...next, metadata: { ...next.metadata, resourceVersion } };
        const refused = await policyRefusal(() => clustersOf(user).replace(body)).finally(() => admin.delete('c2'));
        expect([what, user, refused]).toEqual([what, user, wanted]);
        expect(await webhookRefusal(clustersPath, user, next, old)).toBe(wanted);
      }
    }
  });

  it('about the hosting cluster of an add-on, which those choose who may write works there', async () => {
    const path = '/validate-addon-open-cluster-management-io-v1beta1-managedclusteraddon';
    const addons = (user: string) => plane.clientOf({ name: user, groups: [] }).resource(managedClusterAddOns);
    const admin = plane.client.resource(managedClusterAddOns);
    const hostedOn = (hosting?: string): ManagedClusterAddOn => ({
      metadata: { namespace: 'default', name: 'a1', ...(hosting && { annotations: { [key]: hosting } }) },
      spec: {},
    });
    const configs = [
      {
        group: 'addon.open-cluster-management.io',
        resource: 'addondeploymentconfigs',
        namespace: 'default',
        name: 'own',
      },
    ];
    const configured = (addon: ManagedClusterAddOn): ManagedClusterAddOn => ({ ...addon, spec: { configs } });
    const withAnnotation = (name: string, value: string): ManagedClusterAddOn => ({
      metadata: { ...hostedOn('c1').metadata, annotations: { [key]: 'c1', [name]: value } },
      spec: {},
    });
    const record = '["addondeploymentconfigs.addon.open-cluster-management.io/victim/registries"]';
    const refusal = (hosting: string) =>
      `manifestworks.work.open-cluster-management.io "${hosting}" is forbidden: user "unprivileged" cannot let an add-on run on ` +
      'this cluster (annotation addon.open-cluster-management.io/hosting-cluster-name)';
    expect(await policyRefusal(() => addons('unprivileged').create(hostedOn('c1')))).toBe(refusal('c1'));
    const changes = [
      ['adds one', hostedOn(), hostedOn('c1'), refusal('c1')],
      ['changes one', hostedOn('c1'), hostedOn('c2'), refusal('c2')],
      ['keeps one', hostedOn('c1'), hostedOn('c1'), undefined],
      ['removes one', hostedOn('c1'), hostedOn(), undefined],
      ['chooses what runs there', hostedOn('c1'), configured(hostedOn('c1')), refusal('c1')],
      [
        'chooses values of what runs there',
        hostedOn('c1'),
        withAnnotation(Annotation.AddOnValues, '{"image":"x"}'),
        refusal('c1'),
      ],
      ['records what the hub chose', hostedOn('c1'), withAnnotation(Annotation.ChosenConfigs, record), refusal('c1')],
      ['removes that record', withAnnotation(Annotation.ChosenConfigs, record), hostedOn('c1'), refusal('c1')],
      [
        'chooses the namespace',
        hostedOn('c1'),
        withAnnotation(Annotation.LegacyInstallNamespace, 'kube-system'),
        refusal('c1'),
      ],
      ['annotates it otherwise', hostedOn('c1'), withAnnotation('example.com/colour', 'blue'), undefined],
      ['keeps what runs there', configured(hostedOn('c1')), configured(hostedOn('c1')), undefined],
      ['configures one that is not hosted', hostedOn(), configured(hostedOn()), undefined],
    ] as const;
    for (const [what, old, next, expected] of changes) {
      for (const [user, wanted] of [['unprivileged', expected] as const, ['host', undefined] as const]) {
        const { metadata } = await admin.create(old);
        const resourceVersion = metadata?.resourceVersion ?? '';
        const body = { ...next, metadata: { ...next.metadata, resourceVersion } };
        const refused = await policyRefusal(() => addons(user).replace(body)).finally(() => admin.delete('default/a1'));
        expect([what, user, refused]).toEqual([what, user, wanted]);
        expect(await webhookRefusal(path, user, next, old)).toBe(wanted);
      }
    }
  });

  it('about the namespace of a hosted add-on in v1alpha1, which is a field of its spec', async () => {
    const path = '/validate-addon-open-cluster-management-io-v1beta1-managedclusteraddon';
    const admin = plane.client.resource(managedClusterAddOnsV1alpha1);
    const inNamespace = (installNamespace: string): ManagedClusterAddOnV1alpha1 => ({
      metadata: { namespace: 'default', name: 'a1', annotations: { [key]: 'c1' } },
      spec: { installNamespace },
    });
    const { metadata } = await admin.create(inNamespace('own'));
    const answers: (string | undefined)[] = [];
    for (const [user, namespace] of [
      ['unprivileged', 'kube-system'] as const,
      ['unprivileged', 'own'] as const,
      ['host', 'kube-system'] as const,
    ]) {
      const addons = plane.clientOf({ name: user, groups: [] }).resource(managedClusterAddOnsV1alpha1);
      const next = inNamespace(namespace);
      const body = { ...next, metadata: { ...metadata, ...next.metadata } };
      const refused = await policyRefusal(() => addons.replace(body, { dryRun: true }));
      expect(refused).toBe(await webhookRefusal(path, user, next, inNamespace('own')));
      answers.push(refused);
    }
    await admin.delete('default/a1');
    expect(answers).toEqual([
      expect.stringContaining('cannot let an add-on run on this cluster'),
      undefined,
      undefined,
    ]);
  });

  it('about the cluster that it is imported from, which neither a new cluster nor its agent chooses', async () => {
    const chosen = (capi: string): ManagedCluster => ({
      metadata: { name: 'c3', annotations: { [Annotation.ClusterApiCluster]: capi } },
      spec: { hubAcceptsClient: true },
    });
    const refusal =
      'managedclusters/accept.cluster.open-cluster-management.io "c3" is forbidden: user "unprivileged" cannot choose the ' +
      'cluster that it is imported from (annotation cluster.x-k8s.io/cluster)';
    const waiting = { ...chosen('ns/victim'), spec: {} };
    expect(await policyRefusal(() => clustersOf('unprivileged').create(waiting))).toBe(refusal);
    const { metadata } = await plane.client.resource(managedClusters).create(chosen('ns/own'));
    const body = { ...chosen('ns/victim'), metadata: { ...metadata, ...chosen('ns/victim').metadata } };
    expect(await policyRefusal(() => clustersOf('unprivileged').replace(body))).toBe(refusal);
    expect(await policyRefusal(() => clustersOf('acceptor').replace(body))).toBeUndefined();
    await plane.client.resource(managedClusters).delete('c3');
  });

  it('about the name of a cluster, which may have dots only if it had them before', async () => {
    const dotted: ManagedCluster = { metadata: { name: 'a.b' }, spec: {} };
    const refused = await policyRefusal(() => clustersOf('unprivileged').create(dotted));
    expect(refused).toBe(await webhookRefusal(clustersPath, 'unprivileged', dotted));
    expect(refused).toContain('metadata.name format is not correct');
  });

  it('about bindings of sets', async () => {
    const binding = (name: string, clusterSet: string): ManagedClusterSetBinding => ({
      metadata: { namespace: 'default', name },
      spec: { clusterSet },
    });
    const cases = [
      ['unprivileged', binding('s1', 's1')],
      ['binder', binding('s1', 's1')],
      ['binder', binding('s1', 's2')],
    ] as const;
    const refusals: (string | undefined)[] = [];
    for (const [user, object] of cases) {
      const refused = await policyRefusal(() => bindingsOf(user).create(object, { dryRun: true }));
      expect(refused).toBe(await webhookRefusal(bindingsPath, user, object));
      refusals.push(refused);
    }
    expect(refusals).toEqual([
      'managedclustersets/bind.cluster.open-cluster-management.io "s1" is forbidden: user "unprivileged" is not allowed to bind cluster set "s1"',
      undefined,
      'The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet',
    ]);
  });
});
