import { clusterProfiles, Label, type ManagedCluster, type ManagedClusterSet } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';
import { newProfile } from './profile.policy.ts';

let hub: RunningHub;
beforeEach(async () => {
  hub = await startHub({ gates: { ClusterProfile: true } });
  for (const name of ['ns1', 'ns2']) await handlesOf(hub).namespaces.create({ metadata: { name } });
});
afterEach(() => hub.stop());

const profiles = () => hub.plane.client.resource(clusterProfiles);
const keys = async () => (await profiles().list()).items.map(keyOf).sort();
const set = (name: string): ManagedClusterSet => ({ metadata: { name }, spec: {} });
const inSet = (name: string, clusterSet: string, parts: Partial<ManagedCluster> = {}) =>
  newCluster(name, { ...parts, metadata: { labels: { [Label.ClusterSet]: clusterSet }, ...parts.metadata } });
const bind = async (namespace: string, name: string) => {
  await handlesOf(hub).bindings.create({ metadata: { namespace, name }, spec: { clusterSet: name } });
  await hub.quiet();
};
const move = async (cluster: string, clusterSet: string) => {
  const labels = { [Label.ClusterSet]: clusterSet };
  await handlesOf(hub).clusters.patch(cluster, { type: 'merge', body: { metadata: { labels } } });
};

describe('cluster profiles', () => {
  it('[registration-hub 126, 132] [placement 15.10-215, 15.10-222] mirror the clusters of bound sets into each namespace', async () => {
    const { clusters, sets, bindings } = handlesOf(hub);
    await sets.create(set('s1'));
    await clusters.create(inSet('c1', 's1'));
    await clusters.create(inSet('c2', 's1'));
    await hub.quiet();
    expect(await keys()).toEqual([]);
    await bind('ns1', 's1');
    await bind('ns2', 's1');
    expect(await keys()).toEqual(['ns1/c1', 'ns1/c2', 'ns2/c1', 'ns2/c2']);
    const { metadata, spec } = await profiles().get('ns1/c1');
    expect(metadata?.labels).toEqual({
      'x-k8s.io/cluster-manager': 'open-cluster-management',
      'open-cluster-management.io/cluster-name': 'c1',
      'multicluster.x-k8s.io/clusterset': 's1',
    });
    expect(spec).toEqual({ displayName: 'c1', clusterManager: { name: 'open-cluster-management' } });

    await profiles().delete('ns1/c1');
    await hub.quiet();
    expect(await keys()).toContain('ns1/c1');
    hub.takeWrites();
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);

    await clusters.delete('c2');
    await bindings.delete('ns2/s1');
    await hub.quiet();
    expect(await keys()).toEqual(['ns1/c1']);
  });

  it('[registration-hub 126] [placement 15.10-216, 15.10-219] are not made for clusters on their way out, nor by a binding to nothing', async () => {
    const { clusters, sets } = handlesOf(hub);
    await sets.create(set('s1'));
    await clusters.create(
      inSet('c1', 's1', { metadata: { finalizers: ['example.com/hold'], labels: { [Label.ClusterSet]: 's1' } } }),
    );
    await hub.quiet();
    await clusters.delete('c1');
    await bind('ns1', 's1');
    await bind('ns1', 'missing');
    expect(await keys()).toEqual([]);
  });

  it('[registration-hub 127] [placement 15.10-220] are one for each cluster and namespace, however many sets select it', async () => {
    await handlesOf(hub).clusters.create(inSet('c1', 'default'));
    await bind('ns1', 'default');
    await bind('ns1', 'global');
    expect(await keys()).toEqual(['ns1/c1']);
  });

  it('[registration-hub 133, P10] [placement 15.10-227] follow clusters that change places between sets', async () => {
    const { clusters, sets } = handlesOf(hub);
    for (const name of ['s1', 's2']) await sets.create(set(name));
    await clusters.create(inSet('c1', 's1'));
    await clusters.create(inSet('c2', 's2'));
    await bind('ns1', 's1');
    await bind('ns2', 's2');
    expect(await keys()).toEqual(['ns1/c1', 'ns2/c2']);
    await move('c1', 's2');
    await move('c2', 's1');
    await hub.quiet();
    expect(await keys()).toEqual(['ns1/c2', 'ns2/c1']);
    expect((await profiles().get('ns1/c2')).metadata?.labels?.['multicluster.x-k8s.io/clusterset']).toBe('s1');
  });

  it('[registration-hub 129, 130, 131] [placement 15.10-221, 15.10-223, 15.10-225] show version, claims and conditions, and keep labels of others', async () => {
    const { clusters } = handlesOf(hub);
    await clusters.create(newCluster('c1'));
    await bind('ns1', 'global');
    await bind('ns2', 'global');
    await profiles().patch('ns1/c1', { type: 'merge', body: { metadata: { labels: { mine: 'yes' } } } });
    const time = { lastTransitionTime: '2026-01-01T00:00:00Z' };
    const conditions = [
      {
        type: 'ManagedClusterConditionAvailable',
        status: 'True',
        reason: 'ManagedClusterAvailable',
        message: 'up',
        ...time,
      },
      { type: 'ManagedClusterJoined', status: 'True', reason: 'ManagedClusterJoined', message: 'in', ...time },
    ];
    const clusterClaims = [{ name: 'region', value: 'eu' }];
    const status = { conditions, clusterClaims, version: { kubernetes: 'v1.36.0' } };
    await clusters.status.patch('c1', { type: 'merge', body: { status } });
    await hub.quiet();
    for (const key of ['ns1/c1', 'ns2/c1']) {
      expect((await profiles().get(key)).status).toEqual({
        version: { kubernetes: 'v1.36.0' },
        properties: [{ name: 'region', value: 'eu' }],
        conditions: [
          { type: 'ControlPlaneHealthy', status: 'True', reason: 'ManagedClusterAvailable', message: 'up', ...time },
          { type: 'Joined', status: 'True', reason: 'ManagedClusterJoined', message: 'in', ...time },
        ],
      });
    }
    expect((await profiles().get('ns1/c1')).metadata?.labels).toMatchObject({
      mine: 'yes',
      'multicluster.x-k8s.io/clusterset': '',
    });
  });

  it('[placement 15.10-217, 15.10-226] of clusters that are not there are deleted, and never reported on', async () => {
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await hub.quiet();
    await profiles().create(newProfile('ns1', 'stale-cluster'));
    hub.takeWrites();
    await bind('ns1', 'global');
    expect(await keys()).toEqual(['ns1/c1']);
    expect(hub.takeWrites().filter((write) => write.includes('stale-cluster') && !write.startsWith('DELETE'))).toEqual(
      [],
    );
  });

  it('[placement 15.10-218] are not made in a namespace that is missing or being deleted', async () => {
    const { clusters, bindings, namespaces } = handlesOf(hub);
    await bind('ns1', 'global');
    await bindings.patch('ns1/global', { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } });
    await namespaces.delete('ns1');
    await hub.quiet();
    expect((await bindings.get('ns1/global')).metadata?.deletionTimestamp).toBeDefined();
    hub.takeWrites();
    await clusters.create(newCluster('c1'));
    await hub.quiet();
    expect(hub.takeWrites().filter((write) => write.includes('clusterprofiles'))).toEqual([]);
  });

  it('[registration-hub 129, W27] [placement 15.10-224] leave those of others alone', async () => {
    const foreign = newProfile('ns1', 'c1');
    const spec = { displayName: 'mine', clusterManager: { name: 'another' } };
    await profiles().create({ ...foreign, metadata: { name: 'c1', namespace: 'ns1' }, spec });
    await handlesOf(hub).clusters.create(newCluster('c1'));
    await bind('ns1', 'global');
    hub.takeWrites();
    await hub.pass(60_000);
    expect(hub.takeWrites()).toEqual([]);
    expect(await profiles().get('ns1/c1')).toMatchObject({ spec });
  });
});
