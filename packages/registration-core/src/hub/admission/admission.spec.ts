import {
  Annotation,
  Label,
  type ManagedCluster,
  type ManagedClusterSetBinding,
  type ManagedClusterTaint,
} from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import type { AdmissionDecision, AdmissionRequest, Webhook } from '@flotilla/kube/admission';
import { clusterRoleBindings, clusterRoles, namespaces } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clusterIdentityAnnotation,
  forcedRemovalAnnotation,
  rebootstrapAllowedAnnotation,
  sharedIdentityAnnotation,
} from '../../contract/index.ts';
import { hubWebhooks } from './webhooks.ts';

const mutate = '/mutate-cluster-open-cluster-management-io-v1-managedcluster';
const validate = '/validate-cluster-open-cluster-management-io-v1-managedcluster';
const validateBinding = '/validate-cluster-open-cluster-management-io-v1beta2-managedclustersetbinding';

let plane: ControlPlane;
let webhooks: readonly Webhook[];
const clock = new FakeClock('2026-01-01T00:00:00Z');

/** A user for each right, and one who has them all. */
const rights = {
  acceptor: [
    { apiGroups: ['register.open-cluster-management.io'], resources: ['managedclusters/accept'], verbs: ['update'] },
  ],
  joiner1: [
    {
      apiGroups: ['cluster.open-cluster-management.io'],
      resources: ['managedclustersets/join'],
      resourceNames: ['s1'],
      verbs: ['create'],
    },
  ],
  joiner2: [
    {
      apiGroups: ['cluster.open-cluster-management.io'],
      resources: ['managedclustersets/join'],
      resourceNames: ['s2'],
      verbs: ['create'],
    },
  ],
  binder: [
    { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclustersets/bind'], verbs: ['create'] },
  ],
  all: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
};

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, clock });
  const { client } = plane;
  for (const [name, rules] of Object.entries(rights)) {
    await client.resource(clusterRoles).create({ metadata: { name }, rules });
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }];
    const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name };
    await client.resource(clusterRoleBindings).create({ metadata: { name }, subjects, roleRef });
  }
  await client.resource(namespaces).create({ metadata: { name: 'living' } });
  await client.resource(namespaces).create({ metadata: { name: 'dying' }, spec: { finalizers: ['example.com/hold'] } });
  await client.resource(namespaces).delete('dying');
  webhooks = hubWebhooks({ client, clock });
});
afterAll(() => plane.stop());

const cluster = (parts: Partial<ManagedCluster> = {}): ManagedCluster => ({
  ...parts,
  metadata: { name: 'c1', ...parts.metadata },
  spec: { ...parts.spec },
});
const inSet = (set: string | undefined): ManagedCluster =>
  cluster(set === undefined ? {} : { metadata: { labels: { [Label.ClusterSet]: set } } });
const accepted = (name: string): ManagedCluster => cluster({ metadata: { name }, spec: { hubAcceptsClient: true } });

const decide = async (
  among: readonly Webhook[],
  path: string,
  request: Omit<AdmissionRequest, 'uid'>,
): Promise<AdmissionDecision> => {
  const webhook = among.find((known) => known.path === path);
  if (!webhook) throw new Error(`there is no webhook at ${path}`);
  return webhook.decide({ uid: 'r1', ...request }, new AbortController().signal);
};
const ask = (path: string, username: string, object: unknown, oldObject?: unknown): Promise<AdmissionDecision> => {
  const operation = oldObject === undefined ? 'CREATE' : 'UPDATE';
  return decide(webhooks, path, { operation, userInfo: { username, groups: [] }, object, oldObject });
};
const patchOf = (decision: AdmissionDecision): unknown => (decision.allowed ? (decision.patch ?? []) : undefined);
const refusalOf = (decision: AdmissionDecision) => (decision.allowed ? undefined : decision);
const allowed = { allowed: true };
const refusedWith = (code: number, message: string) => ({ allowed: false, code, message });

describe('validation of clusters', () => {
  it('[registration-hub 134] allows an empty spec', async () => {
    expect(await ask(validate, 'unprivileged', cluster())).toEqual(allowed);
  });

  it.each(['default', 'kube-system', 'open-cluster-management'])('refuses a new cluster named %s', async (name) => {
    const named = cluster({ metadata: { name } });
    const refusal = await ask(validate, 'all', named);
    expect(refusal).toMatchObject({ allowed: false, code: 400 });
    expect(refusalOf(refusal)?.message).toContain(`"${name}" cannot be the name of a cluster`);
    // One from before this check must stay changeable, so that it can be removed.
    expect(await ask(validate, 'all', named, named)).toEqual(allowed);
  });

  it('[registration-hub 135] lets only those accept who may, on creation and update', async () => {
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot update the HubAcceptsClient field';
    expect(await ask(validate, 'unprivileged', accepted('c1'))).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', accepted('c1'), cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', accepted('c1'))).toEqual(allowed);
  });

  it('[registration-hub 136] refuses to accept while the namespace is on its way out', async () => {
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "dying" is forbidden: cluster namespace "dying" is terminating';
    expect(await ask(validate, 'acceptor', accepted('dying'))).toEqual(refusedWith(403, message));
    const before = cluster({ metadata: { name: 'dying' } });
    expect(await ask(validate, 'acceptor', accepted('dying'), before)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', accepted('living'))).toEqual(allowed);
  });

  it('[registration-hub 140, 147] needs no right to leave acceptance alone or to take it back', async () => {
    const labelled = cluster({ metadata: { labels: { a: 'b' } }, spec: { hubAcceptsClient: true } });
    expect(await ask(validate, 'unprivileged', labelled, accepted('c1'))).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', cluster(), accepted('c1'))).toEqual(allowed);
  });

  it.each([
    ['creation in s1', 'joiner1', undefined, 's1', true],
    ['creation in s2', 'joiner1', undefined, 's2', false],
    ['a move with both rights', 'all', 's2', 's1', true],
    ['a move without the old', 'joiner1', 's2', 's1', false],
    ['a move without the new', 'joiner2', 's2', 's1', false],
    ['removal from s1', 'joiner1', 's1', undefined, true],
    ['removal from s2', 'joiner1', 's2', undefined, false],
  ])('[registration-hub 137] asks for the right to join sets: %s', async (title, user, before, after, ok) => {
    const old = title.startsWith('creation') ? undefined : inSet(before);
    const answer = await ask(validate, user, inSet(after), old);
    expect(answer.allowed).toBe(ok);
    if (!ok) {
      expect(refusalOf(answer)?.code).toBe(403);
      expect(refusalOf(answer)?.message).toMatch(
        /^managedclustersets\/join\.cluster\.open-cluster-management\.io "(s\d)" is forbidden: user "joiner\d" cannot add\/remove a ManagedCluster to\/from ManagedClusterSet "\1"$/,
      );
    }
  });

  it.each(['', '/path', 'http://127.0.0.1:8001'])('[registration-hub 138] refuses the address %j', async (url) => {
    const answer = await ask(validate, 'all', cluster({ spec: { managedClusterClientConfigs: [{ url }] } }));
    expect(answer).toEqual(refusedWith(400, `url "${url}" is invalid in client configs`));
    const https = cluster({ spec: { managedClusterClientConfigs: [{ url: 'https://127.0.0.1:8001' }] } });
    expect(await ask(validate, 'all', https)).toEqual(allowed);
  });

  it.each(['01.set', 'webhook.spoke-x', 'x'.repeat(64)])(
    '[registration-hub 139, 150] refuses the name %s',
    async (name) => {
      const configs = { managedClusterClientConfigs: [{ url: 'https://127.0.0.1:8001' }] };
      for (const spec of [{}, configs]) {
        const answer = await ask(validate, 'all', cluster({ metadata: { name }, spec }));
        expect(refusalOf(answer)?.code).toBe(400);
        expect(refusalOf(answer)?.message).toMatch(/^metadata\.name format is not correct: /);
      }
      // One from before stays changeable.
      expect(
        (await ask(validate, 'all', cluster({ metadata: { name } }), cluster({ metadata: { name } }))).allowed,
      ).toBe(true);
    },
  );

  it('does not let a second cluster take over the name of an accepted one, and says who holds it', async () => {
    const identified = (uid: string, hubAcceptsClient = true) =>
      cluster({ metadata: { annotations: { [clusterIdentityAnnotation]: uid } }, spec: { hubAcceptsClient } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: the name is held by the cluster with ' +
      'kube-system uid uid-1, and user "unprivileged" cannot give it to another';
    expect(await ask(validate, 'unprivileged', identified('uid-2'), identified('uid-1'))).toEqual(
      refusedWith(403, message),
    );
    expect(await ask(validate, 'unprivileged', accepted('c1'), identified('uid-1'))).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', identified('uid-2'), identified('uid-1'))).toEqual(allowed);
    // The same cluster that joins again, one that says its identity for the first time, and one that is not accepted.
    expect(await ask(validate, 'unprivileged', identified('uid-1'), identified('uid-1'))).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', identified('uid-1'), accepted('c1'))).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', identified('uid-2', false), identified('uid-1', false))).toEqual(
      allowed,
    );
  });

  it('[registration-hub 148] asks for the right to join the default set, which mutation gives a cluster without one', async () => {
    const labels = { [Label.ClusterSet]: 'default' };
    expect(patchOf(await ask(mutate, 'unprivileged', cluster()))).toEqual([
      { op: 'add', path: '/metadata/labels', value: labels },
    ]);
    const refused = await ask(validate, 'unprivileged', cluster({ metadata: { labels } }));
    expect(refusalOf(refused)?.message).toContain(
      'managedclustersets/join.cluster.open-cluster-management.io "default"',
    );
  });

  it('lets only those who decide about clusters remove one without its agent', async () => {
    const forced = cluster({ metadata: { annotations: { [forcedRemovalAnnotation]: 'true' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot remove it without ' +
      'its agent (annotation open-cluster-management.io/force-removal)';
    expect(await ask(validate, 'unprivileged', forced, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', forced, cluster())).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', forced, forced)).toEqual(allowed);
  });

  it('lets only those who decide about clusters allow one to share an identity', async () => {
    const shared = cluster({ metadata: { annotations: { [sharedIdentityAnnotation]: 'true' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot let it share the ' +
      'identity of another cluster (annotation open-cluster-management.io/shared-identity-allowed)';
    expect(await ask(validate, 'unprivileged', shared)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', shared, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', shared, cluster())).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', shared, shared)).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', cluster(), shared)).toEqual(allowed);
  });

  it('lets only those who decide about clusters allow another certificate', async () => {
    const rebootstrap = cluster({ metadata: { annotations: { [rebootstrapAllowedAnnotation]: 'true' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot allow it another ' +
      'certificate (annotation open-cluster-management.io/rebootstrap-allowed)';
    expect(await ask(validate, 'unprivileged', rebootstrap, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', rebootstrap)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'acceptor', rebootstrap, cluster())).toEqual(allowed);
    expect(await ask(validate, 'unprivileged', cluster(), rebootstrap)).toEqual(allowed);
  });

  it('lets only those who decide about clusters withhold the renewal of a certificate, and permit it again', async () => {
    const withheld = cluster({ metadata: { annotations: { [Annotation.RenewalWithheld]: 'true' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot withhold or permit ' +
      'the renewal of its certificate (annotation open-cluster-management.io/renewal-withheld)';
    expect(await ask(validate, 'unprivileged', withheld, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', cluster(), withheld)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', withheld, withheld)).toEqual(allowed);
    expect(await ask(validate, 'acceptor', withheld, cluster())).toEqual(allowed);
    expect(await ask(validate, 'acceptor', cluster(), withheld)).toEqual(allowed);
  });

  it('lets only those who decide about clusters say what their add-ons do and where they run', async () => {
    const hosted = cluster({ metadata: { annotations: { [Annotation.HostingClusterName]: 'victim' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot change add-on ' +
      'annotations (addon.open-cluster-management.io…)';
    expect(await ask(validate, 'unprivileged', hosted)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', hosted, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', cluster(), hosted)).toEqual(refusedWith(403, message));
    const empty = cluster({ metadata: { annotations: { [Annotation.HostingClusterName]: '' } } });
    expect(await ask(validate, 'unprivileged', empty)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', hosted, hosted)).toEqual(allowed);
    expect(await ask(validate, 'acceptor', hosted)).toEqual(allowed);
    expect(await ask(validate, 'acceptor', cluster(), hosted)).toEqual(allowed);
    const reported = cluster({ metadata: { annotations: { 'agent.open-cluster-management.io/region': 'north' } } });
    expect(await ask(validate, 'unprivileged', reported, cluster())).toEqual(allowed);
  });

  it('lets only those who decide about clusters say where images of their add-ons come from', async () => {
    const mirrored = cluster({ metadata: { annotations: { [Annotation.ImageRegistries]: '{"registries":[]}' } } });
    const message =
      'managedclusters/accept.cluster.open-cluster-management.io "c1" is forbidden: user "unprivileged" cannot choose the registries ' +
      'that images of add-ons come from (annotation open-cluster-management.io/image-registries)';
    expect(await ask(validate, 'unprivileged', mirrored)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', mirrored, cluster())).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', cluster(), mirrored)).toEqual(refusedWith(403, message));
    expect(await ask(validate, 'unprivileged', mirrored, mirrored)).toEqual(allowed);
    expect(await ask(validate, 'acceptor', mirrored)).toEqual(allowed);
  });

  it('answers 400 to what is not an object, and nothing to a path that is not its own', async () => {
    const odd = [
      'text',
      { metadata: { name: 7 } },
      { metadata: { labels: [] } },
      { metadata: {}, spec: { taints: [7] } },
      { metadata: {}, spec: { taints: {} } },
      { metadata: {}, spec: { managedClusterClientConfigs: [{}] } },
    ];
    for (const object of odd) {
      expect(await ask(validate, 'all', object)).toMatchObject({ allowed: false, code: 400 });
      expect(await ask(mutate, 'all', object)).toMatchObject({ allowed: false, code: 400 });
    }
    expect(await ask(validateBinding, 'all', { metadata: {}, spec: { clusterSet: 7 } })).toMatchObject({
      allowed: false,
      code: 400,
    });
  });
});

describe('mutation of clusters', () => {
  const now = '2026-01-01T00:00:00Z';
  const earlier = '2025-06-01T00:00:00Z';
  const tainted = (...taints: ManagedClusterTaint[]) =>
    cluster({ metadata: { labels: { [Label.ClusterSet]: 's1' } }, spec: { taints } });
  const gpu: ManagedClusterTaint = { key: 'gpu', effect: 'NoSelect', timeAdded: earlier };
  const setPath = '/metadata/labels/cluster.open-cluster-management.io~1clusterset';

  it.each([
    ['no labels', undefined, [{ op: 'add', path: '/metadata/labels', value: { [Label.ClusterSet]: 'default' } }]],
    ['other labels', { a: 'b' }, [{ op: 'add', path: setPath, value: 'default' }]],
    ['an empty set', { [Label.ClusterSet]: '' }, [{ op: 'add', path: setPath, value: 'default' }]],
    ['a set', { [Label.ClusterSet]: 's1' }, []],
  ])(
    '[registration-hub 141, 144] [placement 15.1-23] puts a cluster with %s into default if it has none',
    async (_, labels, patch) => {
      const object = cluster(labels ? { metadata: { labels } } : {});
      expect(patchOf(await ask(mutate, 'all', object))).toEqual(patch);
      expect(patchOf(await ask(mutate, 'all', object, inSet('s1')))).toEqual(patch);
    },
  );

  it('leaves the set alone with the gate off', async () => {
    const plain = hubWebhooks({ client: plane.client, clock, gates: { DefaultClusterSet: false } });
    const request = { operation: 'CREATE', userInfo: {}, object: cluster() } as const;
    expect(await decide(plain, mutate, request)).toEqual(allowed);
  });

  it('[registration-hub 142] stamps the taints of a new cluster, whatever it says', async () => {
    const answer = await ask(mutate, 'all', tainted(gpu, { key: 'edge', effect: 'NoSelect' }));
    expect(patchOf(answer)).toEqual([
      { op: 'add', path: '/spec/taints/0/timeAdded', value: now },
      { op: 'add', path: '/spec/taints/1/timeAdded', value: now },
    ]);
  });

  it.each<[string, ManagedClusterTaint[], unknown[]]>([
    ['an unchanged taint', [gpu], []],
    [
      'an unchanged taint without its time',
      [{ ...gpu, timeAdded: undefined }],
      [{ op: 'add', path: '/spec/taints/0/timeAdded', value: earlier }],
    ],
    [
      'another effect',
      [{ key: 'gpu', effect: 'PreferNoSelect' }],
      [{ op: 'add', path: '/spec/taints/0/timeAdded', value: now }],
    ],
    [
      'a new taint',
      [gpu, { key: 'edge', effect: 'NoSelect' }],
      [{ op: 'add', path: '/spec/taints/1/timeAdded', value: now }],
    ],
    ['a removed taint', [], []],
  ])('[registration-hub 142] on update: %s', async (_, taints, patch) => {
    const answer = await ask(mutate, 'all', tainted(...taints), tainted(gpu));
    expect(answer.allowed).toBe(true);
    expect(patchOf(answer)).toEqual(patch);
  });

  it('[registration-hub 142] [placement 15.1-24] refuses times that a client sets, and names all their keys', async () => {
    const late = '2027-01-01T00:00:00Z';
    const object = tainted({ ...gpu, timeAdded: late }, { key: 'edge', effect: 'NoSelect', timeAdded: late });
    const message = 'It is not allowed to set TimeAdded of Taint "gpu,edge".';
    expect(await ask(mutate, 'all', object, tainted(gpu))).toEqual(refusedWith(400, message));
  });

  it('[registration-hub W14] lets a cluster with one key and two effects be updated', async () => {
    const both = tainted(gpu, { ...gpu, effect: 'PreferNoSelect', timeAdded: now });
    expect(await ask(mutate, 'all', both, both)).toEqual(allowed);
  });
});

describe('validation of set bindings', () => {
  const binding = (name: string, clusterSet: string, labels = {}): ManagedClusterSetBinding => ({
    metadata: { name, namespace: 'ns1', labels },
    spec: { clusterSet },
  });

  it('[registration-hub 145] [placement 15.1-21] wants the name of the set, on creation and update', async () => {
    const message = 'The ManagedClusterSetBinding must have the same name as the target ManagedClusterSet';
    expect(await ask(validateBinding, 'all', binding('b', 's1'))).toEqual(refusedWith(400, message));
    expect(await ask(validateBinding, 'all', binding('s1', 's2'), binding('s1', 's1'))).toEqual(
      refusedWith(400, message),
    );
  });

  it('[registration-hub 145] [placement 15.1-22] wants the right to bind for a new one only', async () => {
    const message =
      'managedclustersets/bind.cluster.open-cluster-management.io "s1" is forbidden: user "unprivileged" is not allowed to bind cluster set "s1"';
    expect(await ask(validateBinding, 'unprivileged', binding('s1', 's1'))).toEqual(refusedWith(403, message));
    expect(await ask(validateBinding, 'binder', binding('s1', 's1'))).toEqual(allowed);
    expect(await ask(validateBinding, 'unprivileged', binding('s1', 's1', { a: 'b' }), binding('s1', 's1'))).toEqual(
      allowed,
    );
  });
});
