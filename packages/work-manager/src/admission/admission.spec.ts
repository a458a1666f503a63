import { type ManifestWork, ServiceAccountName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createKubeClient } from '@flotilla/kube';
import type { AdmissionDecision, AdmissionUser, Webhook } from '@flotilla/kube/admission';
import { namespaces, roleBindings, roles, type SubjectAccessReview } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { workWebhooks } from './webhooks.ts';

const executeAs = (name: string) => ({
  apiGroups: ['work.open-cluster-management.io'],
  resources: ['manifestworks'],
  resourceNames: [name],
  verbs: ['execute-as'],
});

/** Who may let works run as whom, in cluster1. */
const rights = {
  test1: [executeAs('system:serviceaccount:ns1:executor1'), executeAs('system:serviceaccount::klusterlet-work-sa')],
  test2: [],
};

let plane: ControlPlane;
let webhook: Webhook;
let strict: Webhook;
let reviews: SubjectAccessReview['spec'][];

beforeAll(async () => {
  const clock = new FakeClock();
  plane = await startControlPlane({ listen: false, clock });
  await plane.client.resource(namespaces).create({ metadata: { name: 'cluster1' } });
  for (const [name, rules] of Object.entries(rights)) {
    const metadata = { namespace: 'cluster1', name };
    await plane.client.resource(roles).create({ metadata, rules });
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];
    const roleRef = { kind: 'Role', apiGroup: 'rbac.authorization.k8s.io', name };
    await plane.client.resource(roleBindings).create({ metadata, subjects, roleRef });
  }
  const { transport } = plane.client;
  const client = createKubeClient({
    clock,
    transport: {
      ...transport,
      request(request) {
        if (typeof request.body === 'string') reviews.push(JSON.parse(request.body).spec);
        return transport.request(request);
      },
    },
  });
  const [first] = workWebhooks({ client });
  const [second] = workWebhooks({ client, gates: { NilExecutorValidating: true } });
  if (!first || !second) throw new Error('there is no webhook');
  webhook = first;
  strict = second;
});
afterAll(() => plane.stop());
beforeEach(() => {
  reviews = [];
});

const configMap = (name: string, parts: { namespace?: string; kind?: string; data?: string } = {}) => ({
  apiVersion: 'v1',
  kind: parts.kind ?? 'ConfigMap',
  metadata: { namespace: parts.namespace ?? 'default', name },
  ...(parts.data !== undefined && { data: { test: parts.data } }),
});

type Manifest = NonNullable<NonNullable<NonNullable<ManifestWork['spec']>['workload']>['manifests']>[number];

const work = (manifests: readonly Manifest[], spec: ManifestWork['spec'] = {}): ManifestWork => ({
  metadata: { namespace: 'cluster1', name: 'w1' },
  spec: { workload: { manifests: [...manifests] }, ...spec },
});

const runAs = (namespace: string, name: string): ManifestWork['spec'] => ({
  executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace, name } } },
});

const ask = async (
  object: unknown,
  { old, user = { username: 'nobody' }, by = webhook }: { old?: unknown; user?: AdmissionUser; by?: Webhook } = {},
): Promise<AdmissionDecision> =>
  by.decide(
    { uid: 'r1', operation: old === undefined ? 'CREATE' : 'UPDATE', userInfo: user, object, oldObject: old },
    new AbortController().signal,
  );

const refusalOf = async (...question: Parameters<typeof ask>): Promise<string> => {
  const decision = await ask(...question);
  if (decision.allowed) throw new Error('it was allowed');
  expect(decision.code).toBe(400);
  expect(decision.warnings).toHaveLength(1);
  expect(decision.causes?.[0]?.field).toMatch(/^spec\./);
  return decision.message;
};

const ki = 1024;
const secret = (name: string, data: string) => ({
  apiVersion: 'v1',
  data,
  kind: 'Secret',
  metadata: { name, namespace: 'test' },
});
const filled = (name: string, kibibytes: number) => secret(name, 'a'.repeat(kibibytes * ki));

describe('validation of the manifests', () => {
  it('is served where OCM serves it', () => {
    expect(webhook.path).toBe('/validate-work-open-cluster-management-io-v1-manifestwork');
  });

  it.each([
    ['no manifests', [], 'manifests should not be empty'],
    ['a manifest without a name', [configMap('')], 'name must be set in manifest'],
    [
      'the same object twice',
      [configMap('test1'), configMap('test2'), configMap('test1', { data: 'other' })],
      'duplicate manifest for resource default/test1 with resource type v1.ConfigMap',
    ],
  ])('[work 18.M-170, 18.M-172] refuses %s', async (_, manifests, message) => {
    expect(await refusalOf(work(manifests))).toBe(message);
  });

  it('refuses a generated name, and what is not an object of Kubernetes', async () => {
    const generated = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', generateName: 'a-' } };
    expect(await refusalOf(work([generated]))).toBe('generateName must not be set in manifest');
    expect(await refusalOf(work([{ apiVersion: 'v1', kind: '', metadata: { name: 'a' } }]))).toBe(
      `Object 'Kind' is missing in '{"apiVersion":"v1","kind":"","metadata":{"name":"a"}}'`,
    );
  });

  it('names the manifest and the fix where it changes no wire', async () => {
    expect(await ask(work([configMap('a'), configMap('b'), configMap('a')]))).toMatchObject({
      causes: [{ field: 'spec.workload.manifests[2]', reason: 'FieldValueDuplicate' }],
      warnings: ['spec.workload.manifests[2]: it is the same object as [0]; leave one of them out'],
    });
    const decision = await ask(work([configMap('small'), filled('large', 501)]));
    expect(decision.warnings?.[0]).toContain('the largest is [1], v1 Secret test/large, with 513120');
  });

  it.each([
    ['another namespace', configMap('test1', { namespace: 'other' })],
    ['another kind', configMap('test1', { kind: 'Secret' })],
  ])('[work 18.M-172] allows the same name in %s', async (_, other) => {
    expect(await ask(work([configMap('test1'), other]))).toEqual({ allowed: true });
  });

  it('[work 18.M-171] counts 300 Ki and 200 Ki together as protobuf does, and refuses', async () => {
    // 92 bytes of JSON around the data and 4 of framing, twice.
    const manifests = [filled('test1', 300), filled('test2', 200)];
    expect(await refusalOf(work(manifests))).toBe(
      'the size of manifests is 512192 bytes which exceeds the 512000 limit',
    );
  });

  it('allows exactly the limit, and not one byte more', async () => {
    const rest = (extra: number) => secret('test2', 'a'.repeat(200 * ki - 192 + extra));
    expect(await ask(work([filled('test1', 300), rest(0)]))).toEqual({ allowed: true });
    expect(await refusalOf(work([filled('test1', 300), rest(1)]))).toBe(
      'the size of manifests is 512001 bytes which exceeds the 512000 limit',
    );
  });

  it('takes another limit', async () => {
    const [small] = workWebhooks({ client: plane.client, manifestLimit: 10 });
    expect(await refusalOf(work([configMap('a')]), { by: small })).toMatch(/which exceeds the 10 limit$/);
  });

  it('[work 18.M-173] refuses an update to a nameless manifest, or to 5 times 100 Ki', async () => {
    const old = work([configMap('a')]);
    expect(await refusalOf(work([configMap('a'), configMap('')]), { old })).toBe('name must be set in manifest');
    const large = [1, 2, 3, 4, 5].map((number) => filled(`large${number}`, 100));
    expect(await refusalOf(work(large), { old })).toMatch(/^the size of manifests is 512485 bytes which exceeds/);
  });

  it('lets finalizers of a work go that came in under other rules', async () => {
    const bad = work([configMap('')]);
    const generation = (number: number) => ({ ...bad, metadata: { ...bad.metadata, generation: number } });
    expect(await ask(generation(2), { old: generation(2) })).toEqual({ allowed: true });
    expect(await refusalOf(generation(3), { old: generation(2) })).toBe('name must be set in manifest');
  });

  it('allows every deletion', async () => {
    const request = { uid: 'r1', operation: 'DELETE', userInfo: {}, oldObject: work([]) } as const;
    expect(await webhook.decide(request, new AbortController().signal)).toEqual({ allowed: true });
  });

  it.each([['a text'], [{}], [{ metadata: {}, spec: { workload: { manifests: 'a' } } }]])(
    'refuses what is not a work: %j',
    async (object) => {
      const refused = { allowed: false, code: 400, message: 'Request manifestwork obj format is not right' };
      expect(await ask(object)).toEqual(refused);
      expect(await ask(work([configMap('a')]), { old: object })).toEqual(refused);
    },
  );
});

describe('validation of the executor', () => {
  const manifests = [configMap('a')];
  const user = (username: string): AdmissionUser => ({ username, groups: ['g'], uid: 'u' });

  it('[work 18.M-174] asks about works without one where the gate says so', async () => {
    expect(await ask(work(manifests), { user: user('test2') })).toEqual({ allowed: true });
    expect(await ask(work(manifests), { user: user('test1'), by: strict })).toEqual({ allowed: true });
    expect(await refusalOf(work(manifests), { user: user('test2'), by: strict })).toBe(
      `user test2 cannot manipulate the Manifestwork with executor /${ServiceAccountName.DefaultExecutor} in namespace cluster1`,
    );
  });

  it('[work 18.M-175] asks whether the sender may, with all that is known of them', async () => {
    const object = work(manifests, runAs('ns1', 'executor1'));
    const sender = { ...user('test1'), extra: { scopes: ['read', 'write'] } };
    expect(await ask(object, { user: sender })).toEqual({ allowed: true });
    expect(reviews).toEqual([
      {
        user: 'test1',
        uid: 'u',
        groups: ['g'],
        extra: { scopes: ['read', 'write'] },
        resourceAttributes: {
          group: 'work.open-cluster-management.io',
          resource: 'manifestworks',
          verb: 'execute-as',
          namespace: 'cluster1',
          name: 'system:serviceaccount:ns1:executor1',
        },
      },
    ]);
    expect(await refusalOf(object, { user: user('test2') })).toBe(
      'user test2 cannot manipulate the Manifestwork with executor ns1/executor1 in namespace cluster1',
    );
    expect((await ask(object, { user: user('test2') })).warnings?.[0]).toContain(
      'kubectl create role NAME -n cluster1 --verb=execute-as --resource=manifestworks.work.open-cluster-management.io --resource-name=system:serviceaccount:ns1:executor1',
    );
  });

  it('[work 18.M-175] asks on an update only if it changes', async () => {
    const old = work(manifests, runAs('ns1', 'executor1'));
    const same = work([configMap('b')], runAs('ns1', 'executor1'));
    expect(await ask(same, { old, user: user('test2') })).toEqual({ allowed: true });
    expect(reviews).toEqual([]);
    const other = work(manifests, runAs('ns1', 'executor2'));
    expect(await refusalOf(other, { old, user: user('test1') })).toContain('with executor ns1/executor2');
    expect(await ask(old, { old: other, user: user('test1') })).toEqual({ allowed: true });
    expect(reviews).toHaveLength(2);
  });

  it('refuses a service account that is not named, or that would be read as another', async () => {
    const object = work(manifests, { executor: { subject: { type: 'ServiceAccount' } } });
    expect(await refusalOf(object)).toBe('executor service account can not be nil');
    await expect(ask(work(manifests, runAs('a:b', 'c')))).rejects.toThrow();
    expect(reviews).toEqual([]);
  });
});

describe('warnings', () => {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name: 'web-1' } };
  const warningsFor = async (group: string, resource: string, namespace: string, name: string) =>
    (await ask(work([deployment], { manifestConfigs: [{ resourceIdentifier: { group, resource, namespace, name } }] })))
      .warnings ?? [];

  it.each([
    ['apps', 'deployments', 'default', 'web-1'],
    ['apps', 'deployments', '*', 'web-*'],
    ['apps', 'deployments', 'def*', '*'],
  ])('says nothing of a config that means a manifest: %s %s %s/%s', async (...identifier) => {
    expect(await warningsFor(...identifier)).toEqual([]);
  });

  it.each([
    ['another group', '', 'deployments', 'default', 'web-1'],
    ['the kind for the resource', 'apps', 'Deployment', 'default', 'web-1'],
    ['the singular for the plural', 'apps', 'deployment', 'default', 'web-1'],
    ['another namespace', 'apps', 'deployments', '', 'web-1'],
    ['another name', 'apps', 'deployments', 'default', 'web'],
    ['a name that is not a pattern', 'apps', 'deployments', 'default', 'web.1'],
  ])('warns of a config without effect: %s', async (_, ...identifier) => {
    expect(await warningsFor(...identifier)).toEqual([expect.stringContaining('is none of the manifests')]);
  });

  const orphaning = async (rule: { group: string; resource: string; namespace: string; name: string }) => {
    const selectivelyOrphans = { orphaningRules: [rule] };
    const deleteOption = { propagationPolicy: 'SelectivelyOrphan' as const, selectivelyOrphans };
    return (await ask(work([deployment], { deleteOption }))).warnings ?? [];
  };

  it('says nothing of an orphaning rule that names an object', async () => {
    expect(await orphaning({ group: 'apps', resource: 'deployments', namespace: 'default', name: 'web-1' })).toEqual(
      [],
    );
  });

  it('warns of an orphaning rule with an asterisk, which would not keep what it seems to keep', async () => {
    expect(await orphaning({ group: 'apps', resource: 'deployments', namespace: 'default', name: 'web-*' })).toEqual([
      'spec.deleteOption.selectivelyOrphans.orphaningRules[0].name: "web-*" is not a wildcard, so the rule keeps no object; ' +
        'name each object to keep, or set propagationPolicy to Orphan to keep all',
    ]);
  });
});
