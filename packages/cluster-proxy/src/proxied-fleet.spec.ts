import { once } from 'node:events';
import { ClusterProxyApi, clusterProxyPath, managedClusters, tunnelPath } from '@flotilla/api-types';
import { staticAccess } from '@flotilla/kube';
import { apiServices, clusterRoleBindings, configMaps, leases } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reachCluster } from '../examples/reach-cluster.ts';
import { type ProxiedFleet, type StartedProxy, startProxiedFleet } from './fixtures/proxied-fleet.ts';

const patience = { timeout: 20_000, interval: 50 };

describe('a cluster that is reached through its hub', () => {
  let fleet: ProxiedFleet;
  let first: StartedProxy;
  const end = new AbortController();
  const cleanup = new AsyncDisposableStack();
  beforeAll(async () => {
    fleet = cleanup.use(await startProxiedFleet());
    first = await fleet.startProxy();
    const member = await fleet.startMember('a');
    await member.client.resource(clusterRoleBindings).create({
      metadata: { name: 'alice' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    });
    const running = fleet.connect('a', member, end.signal);
    cleanup.defer(async () => {
      end.abort();
      await running;
    });
  }, 60_000);
  afterAll(() => cleanup.disposeAsync());

  const path = `${clusterProxyPath('a')}/version`;
  const reached = () =>
    vi.waitFor(() => fleet.transportOf('alice').request({ method: 'GET', path, deadlineMs: 3000 }), patience);

  it('answers users as themselves', async () => {
    await reached();
    await using alice = reachCluster(fleet.accessOf('alice'), 'a');
    await alice.resource(configMaps).create({ metadata: { name: 'of-alice', namespace: 'default' } });
    await using bob = reachCluster(fleet.accessOf('bob'), 'a');
    await expect(bob.resource(configMaps).list({ namespace: 'default' })).rejects.toThrow('User "bob" cannot list');
  });

  it('is found by a replica that does not have the tunnel, also after the first one has ended', async () => {
    const second = cleanup.use(await fleet.startProxy({ identity: 'two' }));
    expect(second.port).not.toBe(first.port);
    await reached();
    const { spec } = await fleet.hub.client.resource(leases).get('a/cluster-proxy');
    expect(spec?.holderIdentity).toBe('one');
    await first[Symbol.asyncDispose]();
    await reached();
    await vi.waitFor(async () => {
      const lease = await fleet.hub.client.resource(leases).get('a/cluster-proxy');
      expect(lease.spec?.holderIdentity).toBe('two');
    }, patience);
  });

  it('has a record that goes with the API, so that nothing of it is left', async () => {
    const { ownerReferences = [] } = (await fleet.hub.client.resource(leases).get('a/cluster-proxy')).metadata ?? {};
    const api = await fleet.hub.client.resource(apiServices).get(ClusterProxyApi.apiService);
    expect(ownerReferences.map(({ kind, uid }) => [kind, uid])).toEqual([['APIService', api.metadata?.uid]]);
  });

  it('loses its tunnel when the hub does not accept it any more', async () => {
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.patch('a', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
    const refused = fleet.transportOf('alice').request({ method: 'GET', path });
    await expect(refused).rejects.toThrow('the hub has not accepted cluster a');
    await clusters.patch('a', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    await reached();
  });

  it('ends a watch when its user does', async () => {
    const access = { ...fleet.accessOf('alice'), server: `${fleet.hub.server}${clusterProxyPath('a')}` };
    const transport = createTransport({ access: staticAccess(access) });
    const ending = new AbortController();
    const watching = '/api/v1/namespaces/default/configmaps?watch=true';
    const stream = await transport.stream({ method: 'GET', path: watching, signal: ending.signal });
    const ended = (async () => {
      for await (const _ of stream.chunks);
    })().catch(() => undefined);
    ending.abort();
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    await ended;
    await transport.close();
    await reached();
  });

  it('loses its tunnel while it is being deleted, and its agent opens no other one', async () => {
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.patch('a', { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } });
    await clusters.delete('a');
    const refused = () => fleet.transportOf('alice').request({ method: 'GET', path });
    await vi.waitFor(() => expect(refused()).rejects.toThrow('managed cluster a is being deleted'), patience);
    const tunnel = fleet.transportOf('agent-a').upgrade?.({
      ...{ method: 'GET', path: tunnelPath('a'), protocol: ClusterProxyApi.protocol },
      ...{ signal: end.signal, deadlineMs: 10_000 },
    });
    expect(await tunnel).toMatchObject({ switched: false, status: 403 });
    await vi.waitFor(async () => {
      const lease = await fleet.hub.client.resource(leases).get('a/cluster-proxy');
      expect(lease.spec?.holderIdentity ?? '').toBe('');
    }, patience);
  });
}, 60_000);
