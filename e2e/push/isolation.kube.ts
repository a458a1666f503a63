import { appliedManifestWorks, clusterClaims, managedClusters, manifestWorks } from '@flotilla/api-types';
import { createInformers, createKubeClient, type KubeClient, KubeError, realClock, staticAccess } from '@flotilla/kube';
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  createToken,
  namespaces,
  nodes,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { memberAccess, memberSecretName } from '@flotilla/registration-core/push';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareServer } from '../cli/bare-server.ts';
import { accessOf, serverKinds } from '../registration/servers.ts';
import { type PushWorld, startPushWorld } from './push-world.ts';

type Call = (client: KubeClient) => Promise<unknown>;

const configMap = { metadata: { name: 'made-by-the-hub', namespace: 'default' }, data: { a: 'b' } };
const place = 'open-cluster-management-push';
const addonPlace = 'open-cluster-management-agent-addon';

/** What the hub needs on every member, whatever works may contain. */
const always: Readonly<Record<string, Call>> = {
  'ask whether it is ready': ({ transport }) => transport.request({ method: 'GET', path: '/readyz' }),
  'read nodes': (client) => client.resource(nodes).list(),
  'read the identity of the cluster': (client) => client.resource(namespaces).get('kube-system'),
  'read claims': (client) => client.resource(clusterClaims).list(),
  'read records of works': (client) => client.resource(appliedManifestWorks).list(),
  'write the credentials of add-ons': (client) =>
    client.resource(secrets).create({ metadata: { name: 'credentials', namespace: addonPlace } }, { dryRun: true }),
};

/** What it can never do. */
const never: Readonly<Record<string, Call>> = {
  'delete nodes': (client) => client.resource(nodes).delete('any'),
  'write nodes': (client) => client.resource(nodes).create({ metadata: { name: 'any' } }, { dryRun: true }),
  'write claims': (client) =>
    client.resource(clusterClaims).create({ metadata: { name: 'any' }, spec: { value: 'a' } }),
};

/** What works may do by OCM's grant, and not when it is narrowed. */
const byGrant: Readonly<Record<string, Call>> = {
  // By the ClusterRole admin.
  'get the token of another account': (client) => createToken(client, 'kube-system/default'),
  'write config maps': (client) => client.resource(configMaps).create(configMap, { dryRun: true }),
  'read Secrets of other namespaces': (client) => client.resource(secrets).list({ namespace: 'kube-system' }),
  'write roles': (client) =>
    client.resource(clusterRoles).create({ metadata: { name: 'any' }, rules: [] }, { dryRun: true }),
  'bind roles': (client) =>
    client.resource(clusterRoleBindings).create(
      {
        metadata: { name: 'any' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [],
      },
      { dryRun: true },
    ),
  'act as another account': ({ transport }) =>
    transport.request({
      method: 'GET',
      path: '/api/v1/namespaces/default/configmaps',
      headers: { 'impersonate-user': 'system:serviceaccount:kube-system:any' },
    }),
};

const isForbidden = async (call: Call, client: KubeClient): Promise<boolean> => {
  try {
    await call(client);
    return false;
  } catch (error) {
    // The impersonated account may do nothing; that it was asked is what counts.
    if (KubeError.is(error, 'Forbidden')) return !/User "system:serviceaccount:kube-system:any"/.test(error.message);
    if (KubeError.is(error, 'NotFound')) return false;
    throw error;
  }
};

describe.each(serverKinds)('the credential of the hub on %s', { timeout: 120_000 }, (kind) => {
  let world: PushWorld;
  let member: BareServer;
  const cleanup = new AsyncDisposableStack();
  const clients = new Map<string, KubeClient>();

  /** A client with what the hub has stored: what anyone has who reaches members with it. */
  const asHub = (name: string): KubeClient => {
    const known = clients.get(name);
    if (known) return known;
    const informers = cleanup.use(createInformers({ client: world.hub.client }));
    const cache = informers.resource(secrets, { fieldSelector: `metadata.name=${memberSecretName}` });
    const client = cleanup.use(
      createKubeClient({ access: memberAccess({ secrets: cache, clusterName: name, clock: realClock }) }),
    );
    clients.set(name, client);
    return client;
  };

  beforeAll(async () => {
    world = await startPushWorld(kind);
    const narrow = await world.startMember('narrow');
    member = await world.startMember('member1');
    for (const line of [
      `join member1 --cluster-kubeconfig ${member.kubeconfig}`,
      `join narrow --cluster-kubeconfig ${narrow.kubeconfig} --work-roles view`,
    ]) {
      const joined = await world.flotilla(line);
      expect(joined, joined.err).toMatchObject({ code: 0 });
    }
  });
  afterAll(async () => {
    await cleanup.disposeAsync();
    await world?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(always))('may %s', async (_, call) => {
    expect(await isForbidden(call, asHub('member1'))).toBe(false);
    expect(await isForbidden(call, asHub('narrow'))).toBe(false);
  });

  it.each(Object.entries(never))('may not %s', async (_, call) => {
    expect(await isForbidden(call, asHub('member1'))).toBe(true);
    expect(await isForbidden(call, asHub('narrow'))).toBe(true);
  });

  it.each(Object.entries(byGrant))('may %s, unless the grant is narrowed', async (_, call) => {
    expect(await isForbidden(call, asHub('member1'))).toBe(false);
    expect(await isForbidden(call, asHub('narrow'))).toBe(true);
  });

  it('may renew itself', async () => {
    const { items } = await member.client.resource(serviceAccounts).list({ namespace: place });
    const own = items.find(({ metadata }) => metadata?.name?.startsWith('push-member1-'));
    const { token } = await createToken(asHub('member1'), `${place}/${own?.metadata?.name}`);
    expect(token.split('.')).toHaveLength(3);
  });

  it.each([
    [
      'read other Secrets of the hub',
      (client: KubeClient) => client.resource(secrets).list({ namespace: 'kube-system' }),
    ],
    [
      'read a Secret of a cluster by another name',
      (client: KubeClient) => client.resource(secrets).get('member1/other'),
    ],
    ['delete clusters', (client: KubeClient) => client.resource(managedClusters).delete('member1')],
    ['create clusters', (client: KubeClient) => client.resource(managedClusters).create({ metadata: { name: 'c' } })],
    [
      'create works',
      (client: KubeClient) => client.resource(manifestWorks).create({ metadata: { name: 'w', namespace: 'member1' } }),
    ],
    ['get tokens of accounts of the hub', (client: KubeClient) => createToken(client, 'kube-system/default')],
    ['bind roles', (client: KubeClient) => byGrant['bind roles']?.(client)],
  ])('lets push-agents not %s', async (_, call) => {
    const access = await accessOf(world.hub, 'open-cluster-management-hub/push-agents-sa');
    await using client = createKubeClient({ access: staticAccess(access) });
    await expect(call(client)).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
