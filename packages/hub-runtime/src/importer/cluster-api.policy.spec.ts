import { describe, expect, it } from 'vitest';
import { clusterApiClusters, clusterApiKey } from './cluster-api.policy.ts';

const kind = clusterApiClusters([]);

describe('the Cluster API object of a ManagedCluster', () => {
  it('[registration-hub 123] has its name twice, or what the annotation says', () => {
    expect(clusterApiKey({ metadata: { name: 'c' } })).toBe('c/c');
    const annotations = { 'cluster.x-k8s.io/cluster': 'capi/cluster1' };
    expect(clusterApiKey({ metadata: { name: 'c', annotations } })).toBe('capi/cluster1');
  });

  it('is read in the newest version that both sides have', () => {
    const served = ['v1beta1', 'v1beta2', 'v1'].map((version) => ({ ...kind, version }));
    expect(clusterApiClusters(served).version).toBe('v1beta2');
    expect(clusterApiClusters(served.slice(0, 1)).version).toBe('v1beta1');
    expect(clusterApiClusters([]).version).toBe('v1beta1');
  });
});
