import type { ManagedCluster } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { type ClusterDescription, describeCluster } from './managed-cluster.policy.ts';

const identity = 'agent.open-cluster-management.io/cluster-identity';
const description = (changes: Partial<ClusterDescription> = {}): ClusterDescription => ({
  clusterName: 'c1',
  annotations: {},
  externalServerUrls: [],
  decorate: (cluster) => cluster,
  ...changes,
});
const fresh: ManagedCluster = { metadata: { name: 'c1' } };

describe('what an agent reports about its cluster', () => {
  it('[registration-agent 19.1-13, 19.4-47] has only annotations of the prefix for agents', () => {
    const annotations = { foo: 'x', 'agent.open-cluster-management.io/foo': 'bar' };
    expect(describeCluster(fresh, description({ annotations })).metadata?.annotations).toEqual({
      'agent.open-cluster-management.io/foo': 'bar',
    });
    expect(describeCluster(fresh, description())).toBe(fresh);
  });

  it('has labels when it is created; later they are for the hub to change', () => {
    const labels = { region: 'eu' };
    const created = describeCluster(fresh, description({ labels }));
    expect(created.metadata?.labels).toEqual(labels);
    const known = { metadata: { ...fresh.metadata, uid: 'u', labels: { region: 'us' } } };
    expect(describeCluster(known, description({ labels }))).toBe(known);
  });

  it('names the cluster by the uid of kube-system, and never replaces that of another cluster', () => {
    const described = describeCluster(fresh, description({ clusterUid: 'u1' }));
    expect(described.metadata?.annotations).toEqual({ [identity]: 'u1' });
    expect(describeCluster(described, description({ clusterUid: 'u1' }))).toBe(described);
    expect(describeCluster(described, description({ clusterUid: 'u2' }))).toBe(described);
  });

  it('[registration-agent 19.4-48] adds addresses once, renews their CA, and keeps those of others', () => {
    const described = describeCluster(
      { ...fresh, spec: { hubAcceptsClient: true, managedClusterClientConfigs: [{ url: 'https://other' }] } },
      description({ externalServerUrls: ['https://a'], caBundle: 'ca' }),
    );
    expect(described.spec).toEqual({
      hubAcceptsClient: true,
      managedClusterClientConfigs: [{ url: 'https://other' }, { url: 'https://a', caBundle: 'Y2E=' }],
    });
    expect(describeCluster(described, description({ externalServerUrls: ['https://a'], caBundle: 'ca' }))).toBe(
      described,
    );
    const renewed = describeCluster(described, description({ externalServerUrls: ['https://a'], caBundle: 'ca2' }));
    expect(renewed.spec?.managedClusterClientConfigs?.[1]?.caBundle).toBe('Y2Ey');
  });

  it('lets the driver have the last word', () => {
    const decorate = (cluster: ManagedCluster) => ({
      ...cluster,
      metadata: { ...cluster.metadata, labels: { x: 'y' } },
    });
    expect(describeCluster(fresh, description({ decorate })).metadata?.labels).toEqual({ x: 'y' });
  });
});
