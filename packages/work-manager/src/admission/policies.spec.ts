import { type ManifestWork, manifestWorkReplicaSets, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import type { Webhook } from '@flotilla/kube/admission';
import { clusterRoleBindings, clusterRoles } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workPolicies } from './policies.ts';
import { workWebhooks } from './webhooks.ts';

const group = 'work.open-cluster-management.io';
const user = { name: 'deployer', groups: [] };
let plane: ControlPlane;
let webhook: Webhook | undefined;

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  const { name } = user;
  await plane.client.resource(clusterRoles).create({
    metadata: { name },
    rules: [
      {
        apiGroups: [group],
        resources: ['manifestworks', 'manifestworkreplicasets'],
        verbs: ['create', 'update', 'get'],
      },
      {
        apiGroups: [group],
        resources: ['manifestworks'],
        verbs: ['execute-as'],
        resourceNames: ['system:serviceaccount:apps:own'],
      },
    ],
  });
  await plane.client.resource(clusterRoleBindings).create({
    metadata: { name },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
    roleRef: { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name },
  });
  for (const object of workPolicies()) {
    const { apiVersion = '', kind = '' } = object;
    await (await plane.client.dynamic({ apiVersion, kind })).create(object);
  }
  [webhook] = workWebhooks({ client: plane.client });
});
afterAll(() => plane.stop());

const noAccount = { subject: { type: 'ServiceAccount' as const } };
const as = (name: string) => ({ subject: { ...noAccount.subject, serviceAccount: { namespace: 'apps', name } } });

const work = (executor: ReturnType<typeof as> | typeof noAccount | undefined, data = 'a'): ManifestWork => ({
  metadata: { namespace: 'default', name: 'w' },
  spec: {
    workload: {
      manifests: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'm' }, data: { data } },
      ],
    },
    ...(executor && { executor }),
  },
});

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

async function webhookRefusal(object: ManifestWork, oldObject?: ManifestWork): Promise<string | undefined> {
  const operation = oldObject ? ('UPDATE' as const) : ('CREATE' as const);
  const userInfo = { username: user.name, groups: [] };
  const request = { uid: 'u', operation, userInfo, object, ...(oldObject && { oldObject }) };
  const decision = await webhook?.decide(request, new AbortController().signal);
  return decision?.allowed === false ? decision.message : undefined;
}

const other = 'user deployer cannot manipulate the Manifestwork with executor apps/other in namespace default';

describe('the policy of works decides about executors as the webhook does, in the same words', () => {
  it.each([
    ['without an executor', work(undefined), undefined],
    ['with one that the sender may execute as', work(as('own')), undefined],
    ['with another one', work(as('other')), other],
    ['with one that has no account', work(noAccount), 'executor service account can not be nil'],
  ])('about a new work %s', async (_, object, message) => {
    const works = plane.clientOf(user).resource(manifestWorks);
    expect(await policyRefusal(() => works.create(object, { dryRun: true }))).toBe(message);
    expect(await webhookRefusal(object)).toBe(message);
  });

  it.each([
    ['that keeps the executor', work(as('other')), work(as('other'), 'b'), undefined],
    ['that names another executor', work(as('own')), work(as('other')), other],
    ['that names an executor for the first time', work(undefined), work(as('other')), other],
    ['that takes the executor away', work(as('other')), work(undefined), undefined],
  ])('about a change %s', async (_, old, next, message) => {
    const admin = plane.client.resource(manifestWorks);
    const { metadata } = await admin.create(old);
    const object = { ...next, metadata: { ...next.metadata, resourceVersion: metadata?.resourceVersion ?? '' } };
    const works = plane.clientOf(user).resource(manifestWorks);
    const refused = await policyRefusal(() => works.replace(object, { dryRun: true })).finally(() =>
      admin.delete('default/w'),
    );
    expect(refused).toBe(message);
    expect(await webhookRefusal(next, old)).toBe(message);
  });
});

it('a replica set is refused whose author may not execute as its executor in all namespaces', async () => {
  const replicaSet = (name: string) => ({
    metadata: { namespace: 'default', name: 'r' },
    spec: {
      placementRefs: [{ name: 'p' }],
      cascadeDeletionPolicy: 'Background' as const,
      manifestWorkTemplate: work(as(name)).spec ?? { workload: { manifests: [] } },
    },
  });
  const handle = plane.clientOf(user).resource(manifestWorkReplicaSets);
  const create = (name: string) => policyRefusal(() => handle.create(replicaSet(name), { dryRun: true }));
  expect(await create('other')).toBe(
    'user deployer cannot manipulate the ManifestWorkReplicaSet with executor apps/other in all namespaces',
  );
  expect(await create('own')).toBeUndefined();
});
