import type { KubeClient } from '@flotilla/kube';
import type { AdmissionRequest } from '@flotilla/kube/admission';
import { describe, expect, it } from 'vitest';
import { replicaSetWebhook } from './replica-sets.validation.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const replicaSetOf = (manifests: unknown, executor?: object, generation = 1) => ({
  metadata: { namespace: 'ns', name: 'web', generation },
  spec: { manifestWorkTemplate: { workload: { manifests }, ...(executor && { executor }) } },
});
const executorOf = (name: string) => ({
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name } },
});

/** Asks the webhook; `admin` may execute as all accounts in all namespaces. */
function ask(input: Partial<AdmissionRequest> & { readonly user?: string }, checksMissingExecutor = false) {
  const reviews: unknown[] = [];
  const create = async (review: { spec: { user: string; resourceAttributes: object } }) => {
    reviews.push(review.spec.resourceAttributes);
    return { ...review, status: { allowed: review.spec.user === 'admin' } };
  };
  // What the webhook does not use is left out.
  const client = { resource: () => ({ create }) } as unknown as Pick<KubeClient, 'resource'>;
  const { user = 'tenant', ...parts } = input;
  const request = { operation: 'CREATE', userInfo: { username: user }, ...parts } as AdmissionRequest;
  const webhook = replicaSetWebhook({ client, manifestLimit: 1000, checksMissingExecutor });
  return { reviews, answer: webhook.decide(request, AbortSignal.timeout(1000)) };
}
const decide = (object: unknown, parts: Partial<AdmissionRequest> & { readonly user?: string } = {}) =>
  ask({ ...parts, object: object as AdmissionRequest['object'] }).answer;

describe('[work 18.M-176] a replica set', () => {
  it('with manifests is accepted', async () => {
    expect(await decide(replicaSetOf([configMap('a')]))).toEqual({ allowed: true });
  });

  it.each<[string, unknown, string]>([
    ['without manifests', replicaSetOf([]), 'Workload manifests should not be empty'],
    ['without a template', { metadata: {}, spec: {} }, 'Workload manifests should not be empty'],
    ['with a manifest twice', replicaSetOf([configMap('a'), configMap('a')]), 'duplicate manifest for resource'],
    ['that is none', null, 'Request manifestwork obj format is not right'],
  ])('%s is refused', async (_, object, message) => {
    expect(await decide(object)).toMatchObject({
      allowed: false,
      code: 400,
      message: expect.stringContaining(message),
    });
  });

  it('is accepted with warnings of parts of its template that have no effect', async () => {
    const { metadata, spec } = replicaSetOf([configMap('a')]);
    const orphaningRules = [{ resource: 'configmaps', namespace: 'default', name: '*' }];
    const manifestWorkTemplate = {
      ...spec.manifestWorkTemplate,
      deleteOption: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } },
      manifestConfigs: [{ resourceIdentifier: { group: '', resource: 'configmaps', namespace: '', name: 'b' } }],
    };
    const wasteful = { metadata, spec: { manifestWorkTemplate } };
    expect(await decide(wasteful)).toEqual({
      allowed: true,
      warnings: [
        expect.stringContaining('spec.manifestWorkTemplate.manifestConfigs[0]: configmaps b is none of the manifests'),
        expect.stringContaining(
          'spec.manifestWorkTemplate.deleteOption.selectivelyOrphans.orphaningRules[0].name: "*" is not a wildcard',
        ),
      ],
    });
    const old = wasteful as unknown as AdmissionRequest['object'];
    expect(await decide(wasteful, { operation: 'UPDATE', oldObject: old })).toEqual({ allowed: true });
  });

  it('that was created under other rules can lose its finalizers, and be deleted', async () => {
    const old = replicaSetOf([]) as unknown as AdmissionRequest['object'];
    expect(await decide(old, { operation: 'UPDATE', oldObject: old })).toEqual({ allowed: true });
    expect(await decide(undefined, { operation: 'DELETE' })).toEqual({ allowed: true });
  });
});

describe('the executor of a replica set', () => {
  const named = replicaSetOf([configMap('a')], executorOf('deployer'));

  it('is named by those who may execute as it in all namespaces', async () => {
    const { answer, reviews } = ask({ user: 'admin', object: named as unknown as AdmissionRequest['object'] });
    expect(await answer).toEqual({ allowed: true });
    expect(reviews).toEqual([
      {
        group: 'work.open-cluster-management.io',
        resource: 'manifestworks',
        verb: 'execute-as',
        name: 'system:serviceaccount:default:deployer',
      },
    ]);
  });

  it('is refused to others, on creation and on change', async () => {
    const refused = {
      allowed: false,
      message: expect.stringContaining(
        'user tenant cannot manipulate the ManifestWorkReplicaSet with executor default/deployer in all namespaces',
      ),
    };
    expect(await decide(named)).toMatchObject(refused);
    const other = replicaSetOf([configMap('a')], executorOf('other'), 0) as unknown as AdmissionRequest['object'];
    expect(await decide(named, { operation: 'UPDATE', oldObject: other })).toMatchObject(refused);
  });

  it('that was set before an update is not checked again', async () => {
    const old = replicaSetOf([configMap('b')], executorOf('deployer'), 0) as unknown as AdmissionRequest['object'];
    expect(await decide(named, { operation: 'UPDATE', oldObject: old })).toEqual({ allowed: true });
  });

  it('is checked where it is missing if the gate NilExecutorValidating asks for that', async () => {
    const object = replicaSetOf([configMap('a')]) as unknown as AdmissionRequest['object'];
    expect(await ask({ object }, true).answer).toMatchObject({ allowed: false });
    expect(await ask({ object, user: 'admin' }, true).answer).toEqual({ allowed: true });
  });
});
