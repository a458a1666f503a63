import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../manifest.ts';
import { genericRule, sameBody } from './generic-rule.ts';
import { csiDriverSpecHash, serviceSpecHash } from './go-json.ts';
import { mergeMetadata, metadataForCreation } from './metadata.ts';
import type { UpdateStep } from './rule.ts';
import { includes, isUntouched, otherWriters } from './trust.ts';
import { creationFormOf, typedRuleOf } from './typed-rules.ts';

const owner = { apiVersion: 'work.open-cluster-management.io/v1', kind: 'AppliedManifestWork', name: 'w', uid: 'u' };

const object = (kind: string, body: Record<string, unknown> = {}, apiVersion = 'v1'): Manifest => ({
  apiVersion,
  kind,
  metadata: { namespace: 'ns', name: 'n' },
  ...body,
});

const stepFor = (required: Manifest, live: Manifest): UpdateStep['kind'] =>
  (typedRuleOf(required) ?? genericRule)(required, live).kind;

const written = (required: Manifest, live: Manifest): Manifest | undefined => {
  const step = (typedRuleOf(required) ?? genericRule)(required, live);
  return step.kind === 'replace' ? step.object : undefined;
};

describe('[work 18.D-52] metadata', () => {
  it('is merged, and what others set is kept', () => {
    const live = { labels: { theirs: '1' }, annotations: { theirs: '1' } };
    const merged = mergeMetadata(live, { labels: { ours: '2' }, annotations: { ours: '2' } });
    expect(merged).toEqual({ labels: { theirs: '1', ours: '2' }, annotations: { theirs: '1', ours: '2' } });
  });

  it('loses the keys whose removal is asked for', () => {
    const live = { labels: { a: '1', b: '2' } };
    expect(mergeMetadata(live, { labels: { 'a-': '' } })).toEqual({ labels: { b: '2' } });
    expect(mergeMetadata(live, { labels: { 'c-': '' } })).toBe(live);
    // Every object of JavaScript has this one.
    expect(mergeMetadata(live, { labels: { 'constructor-': '' } })).toBe(live);
  });

  it('[work 18.D-50] is created without what is to be removed', () => {
    const removal = { ...owner, uid: 'u-' };
    expect(metadataForCreation({ name: 'n', labels: { 'a-': '', b: '1' }, ownerReferences: [removal] })).toEqual({
      name: 'n',
      labels: { b: '1' },
    });
    expect(metadataForCreation({ name: 'n', ownerReferences: [owner] }).ownerReferences).toEqual([owner]);
  });
});

describe('kinds without a rule of their own', () => {
  const required = object('Gadget', { spec: { a: 1 } }, 'example.com/v1');

  it('[work 18.D-49] are the same if nothing but metadata and status differs', () => {
    expect(
      sameBody(required, { ...required, status: { ready: true }, metadata: { ...required.metadata, uid: 'x' } }),
    ).toBe(true);
    expect(sameBody(required, { ...required, spec: { a: 2 } })).toBe(false);
    expect(sameBody(required, { ...required, kind: 'Other' })).toBe(false);
    expect(sameBody(required, { ...required, metadata: { ...required.metadata, namespace: 'other' } })).toBe(false);
  });

  it('[work 18.D-53] [work 18.D-54] keep their finalizers, and are not written for them', () => {
    const live = { ...required, metadata: { ...required.metadata, finalizers: ['theirs'], resourceVersion: '7' } };
    const withFinalizer = { ...required, metadata: { ...required.metadata, finalizers: ['ours'] } };
    expect(stepFor(withFinalizer, live)).toBe('nothing');
    const changed = written({ ...withFinalizer, spec: { a: 2 } }, live);
    expect(changed?.metadata).toMatchObject({ finalizers: ['theirs'], resourceVersion: '7' });
  });
});

describe('kinds with a rule of their own', () => {
  it.each(['Namespace', 'Pod', 'ServiceAccount'])('a changed body of a %s is not applied', (kind) => {
    expect(stepFor(object(kind, { spec: { a: 1 } }), object(kind, { spec: { a: 2 } }))).toBe('nothing');
    const labelled = { ...object(kind), metadata: { namespace: 'ns', name: 'n', labels: { a: 'b' } } };
    expect(stepFor(labelled, object(kind))).toBe('replace');
  });

  it('the data of a ConfigMap is exact', () => {
    expect(stepFor(object('ConfigMap', { data: {} }), object('ConfigMap'))).toBe('nothing');
    const step = written(
      object('ConfigMap', { data: { a: '1' } }),
      object('ConfigMap', { data: { a: '1', b: '2' }, immutable: false }),
    );
    expect(step).toMatchObject({ data: { a: '1' }, immutable: false });
    expect(written(object('ConfigMap'), object('ConfigMap', { data: { a: '1' } }))).not.toHaveProperty('data');
  });

  it('certificates that OpenShift injects are kept', () => {
    const required = {
      ...object('ConfigMap'),
      metadata: { name: 'n', labels: { 'config.openshift.io/inject-trusted-cabundle': 'true' } },
    };
    const live = { ...required, data: { 'ca-bundle.crt': 'PEM' } };
    expect(stepFor(required, live)).toBe('nothing');
  });

  it('stringData of a Secret is data', () => {
    const live = object('Secret', { type: 'Opaque', data: { a: 'Yg==' } });
    expect(stepFor(object('Secret', { stringData: { a: 'b' } }), live)).toBe('nothing');
    expect(written(object('Secret', { stringData: { a: 'c' } }), live)?.data).toEqual({ a: 'Yw==' });
    expect(stepFor(object('Secret', { stringData: { constructor: 'b' } }), live)).toBe('replace');
    expect(() => stepFor(object('Secret', { stringData: { a: 'b' }, data: { a: 'eA==' } }), live)).toThrow(
      'Secret.stringData["a"] conflicts with Secret.data["a"]',
    );
  });

  it('a Secret of another type is recreated, one of a service account keeps its token', () => {
    expect(stepFor(object('Secret', { type: 'a/b' }), object('Secret', { type: 'Opaque' }))).toBe('recreate');
    const type = 'kubernetes.io/service-account-token';
    expect(stepFor(object('Secret', { type }), object('Secret', { type, data: { token: 'dA==' } }))).toBe('nothing');
  });

  it('a Service is compared by the hash of its spec, its selector and its type', () => {
    const required = object('Service', { spec: { ports: [{ port: 80 }] } });
    const live: Manifest = {
      ...creationFormOf(required),
      spec: { ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }], clusterIP: '10.0.0.1', type: 'ClusterIP' },
    };
    expect(stepFor(required, live)).toBe('nothing');
    expect(written(object('Service', { spec: { ports: [{ port: 81 }] } }), live)?.spec).toEqual({
      ports: [{ port: 81 }],
    });
    expect(stepFor(required, { ...live, spec: { type: 'NodePort' } })).toBe('replace');
  });

  it('specs hash as OCM hashes them: what Go prints of the structs', () => {
    expect(serviceSpecHash({ selector: { b: '2', a: '<x>&' }, ports: [{ port: 80 }] })).toBe(
      'b7d12212aedde03aed58a54544b6b988e29d83330b4c5bb10bfd38733880a271',
    );
    expect(
      serviceSpecHash({
        type: 'ClusterIP',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 443, targetPort: 'https', name: 'x', appProtocol: '' }],
        publishNotReadyAddresses: false,
      }),
    ).toBe('8e073eaec5665514486349e9e6d646d2b3ff57ca53db14a91c6e8ab6f541d2ba');
    expect(csiDriverSpecHash({ attachRequired: false, podInfoOnMount: true, tokenRequests: [{ audience: 'a' }] })).toBe(
      'd1413c9a8452d6aa1384c89bafdcfe535e31ca3fc9162fd9929e68d512ffd8d2',
    );
  });

  it('a binding is the same with the API groups that the server fills in', () => {
    const rbac = 'rbac.authorization.k8s.io';
    const required = object(
      'RoleBinding',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
      `${rbac}/v1`,
    );
    const live = object(
      'RoleBinding',
      { roleRef: { apiGroup: rbac, kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u', apiGroup: rbac }] },
      `${rbac}/v1`,
    );
    expect(stepFor(required, live)).toBe('nothing');
  });

  it('rules of an aggregated ClusterRole are the server’s', () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const required = object('ClusterRole', { aggregationRule: { clusterRoleSelectors: [{}] }, rules: [] }, apiVersion);
    const live = object(
      'ClusterRole',
      { aggregationRule: { clusterRoleSelectors: [{}] }, rules: [{ verbs: ['get'] }] },
      apiVersion,
    );
    expect(stepFor(required, live)).toBe('nothing');
  });

  it('a definition is the same with the names and the conversion that the server fills in', () => {
    const apiVersion = 'apiextensions.k8s.io/v1';
    const required = object(
      'CustomResourceDefinition',
      { spec: { names: { kind: 'Gadget', plural: 'gadgets' } } },
      apiVersion,
    );
    const names = { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' };
    const live = object('CustomResourceDefinition', { spec: { names, conversion: { strategy: 'None' } } }, apiVersion);
    expect(stepFor(required, live)).toBe('nothing');
  });

  it('webhooks keep the CA bundle that another writer injected', () => {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const hook = (caBundle?: string) => ({
      name: 'h',
      clientConfig: { url: 'https://x', ...(caBundle && { caBundle }) },
    });
    const required = object('ValidatingWebhookConfiguration', { webhooks: [hook()] }, apiVersion);
    expect(stepFor(required, object('ValidatingWebhookConfiguration', { webhooks: [hook('CA')] }, apiVersion))).toBe(
      'nothing',
    );
  });

  it('a StorageClass whose fields differ is recreated, and the default one stays the default one', () => {
    const apiVersion = 'storage.k8s.io/v1';
    const live = {
      ...object(
        'StorageClass',
        { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
        apiVersion,
      ),
      metadata: { name: 'n', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    };
    const required = {
      ...object('StorageClass', { provisioner: 'p' }, apiVersion),
      metadata: { name: 'n', annotations: { 'storageclass.kubernetes.io/is-default-class': 'false' } },
    };
    expect(stepFor(required, live)).toBe('nothing');
    expect(stepFor({ ...required, provisioner: 'other' }, live)).toBe('recreate');
  });
});

describe('an object that no other writer wrote', () => {
  const required = object('Job', { spec: { template: { spec: { containers: [{ name: 'a' }] } } } }, 'batch/v1');
  const managed = (manager: string, fields: string[], subresource?: string) => ({
    manager,
    ...(subresource && { subresource }),
    fieldsV1: Object.fromEntries(fields.map((field) => [field, {}])),
  });
  const live = (...managedFields: ReturnType<typeof managed>[]): Manifest => ({
    ...object(
      'Job',
      { spec: { backoffLimit: 6, template: { spec: { containers: [{ name: 'a', image: 'x' }] } } } },
      'batch/v1',
    ),
    metadata: { namespace: 'ns', name: 'n', managedFields },
  });

  it('is not written for what the server filled in', () => {
    expect(
      isUntouched(
        required,
        live(managed('work-agent', ['f:spec']), managed('kube-controller-manager', ['f:status'], 'status')),
      ),
    ).toBe(true);
  });

  it('is written when another writer wrote to it', () => {
    expect(isUntouched(required, live(managed('work-agent', ['f:spec']), managed('kubectl-edit', ['f:spec'])))).toBe(
      false,
    );
    expect(otherWriters(live(managed('kubectl-label', ['f:metadata']), managed('kubectl-edit', ['f:spec'])))).toEqual([
      'kubectl-edit',
    ]);
  });

  it('is left to an autoscaler as far as the manifest does not say how many replicas', () => {
    const scaled = live(managed('work-agent', ['f:spec']), managed('kube-controller-manager', ['f:spec'], 'scale'));
    expect(isUntouched(required, scaled)).toBe(true);
    expect(isUntouched({ ...required, spec: { replicas: 1 } }, { ...scaled, spec: { replicas: 1 } })).toBe(false);
  });

  it('includes what is required item by item', () => {
    expect(includes({ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] })).toBe(true);
    expect(includes({ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 1 }] })).toBe(false);
    expect(includes({}, { a: null })).toBe(true);
    expect(includes({ a: 1 }, { a: 2 })).toBe(false);
  });
});
