import { describe, expect, it } from 'vitest';
import { replicaFor } from './assignment.policy.ts';

const clusters = Array.from({ length: 1000 }, (_, index) => `cluster-${index}`);
const shares = (replicas: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const cluster of clusters) {
    const replica = replicaFor(cluster, replicas) ?? '';
    counts.set(replica, (counts.get(replica) ?? 0) + 1);
  }
  return counts;
};

describe('the replica of a cluster', () => {
  it('is none if there is none', () => {
    expect(replicaFor('c', [])).toBeUndefined();
  });

  it('is the same for all who ask, in whatever order they know the replicas', () => {
    for (const cluster of clusters) {
      expect(replicaFor(cluster, ['a', 'b', 'c'])).toBe(replicaFor(cluster, ['c', 'a', 'b']));
    }
  });

  it('is one of a fair division', () => {
    for (const count of shares(['a', 'b', 'c', 'd']).values()) {
      expect(count).toBeGreaterThan(180);
      expect(count).toBeLessThan(320);
    }
  });

  it('stays while another replica goes', () => {
    for (const cluster of clusters) {
      const before = replicaFor(cluster, ['a', 'b', 'c']);
      if (before !== 'b') expect(replicaFor(cluster, ['a', 'c'])).toBe(before);
    }
  });
});
