import { describe, expect, it } from 'vitest';
import { Replica } from './replica.ts';
import { parseTarget } from './request-target.ts';

const lease = (name: string, uid = `uid-${name}`) => ({ metadata: { name, namespace: 'cluster1', uid } });

describe('a replica', () => {
  it('gives each change a version that grows, whatever the versions of the hub are', () => {
    const replica = new Replica();
    const first = replica.put(lease('a'), '900');
    const second = replica.put(lease('a'), '7');
    expect(Number(second.object.metadata?.resourceVersion)).toBeGreaterThan(
      Number(first.object.metadata?.resourceVersion),
    );
    expect(replica.get('cluster1/a')?.hubVersion).toBe('7');
  });

  it('lets a watch go on from where it was', () => {
    const replica = new Replica();
    replica.put(lease('a'), '1');
    const from = Number(replica.revision);
    replica.put(lease('b'), '2');
    replica.put(lease('a'), '3');
    replica.remove('uid-b');
    expect(replica.since(from)?.map(({ type, object }) => [type, object.metadata?.name])).toEqual([
      ['ADDED', 'b'],
      ['MODIFIED', 'a'],
      ['DELETED', 'b'],
    ]);
    expect(replica.since(Number(replica.revision))).toEqual([]);
  });

  it('does not let a watch go on from what it no longer knows, nor from what has not happened', () => {
    const replica = new Replica();
    const from = Number(replica.revision);
    for (let change = 0; change < 1001; change += 1) replica.put(lease('a'), String(change));
    expect(replica.since(from)).toBeUndefined();
    expect(replica.since(Number(replica.revision) + 1)).toBeUndefined();
    expect(new Replica().since(500)).toBeUndefined();
  });

  it('has another object of the same name as another object', () => {
    const replica = new Replica();
    const types: string[] = [];
    replica.listen(({ type, object }) => types.push(`${type} ${object.metadata?.uid}`));
    replica.put(lease('a', 'first'), '1');
    replica.put(lease('a', 'second'), '2');
    replica.remove('first');
    expect(types).toEqual(['ADDED first', 'DELETED first', 'ADDED second']);
    expect(replica.list()).toHaveLength(1);
  });
});

describe('the path of a request', () => {
  it.each([
    [
      '/api/v1/namespaces/a/serviceaccounts/b/token',
      { resource: '/v1/serviceaccounts', namespace: 'a', name: 'b', subresource: 'token' },
    ],
    [
      '/apis/cluster.open-cluster-management.io/v1/managedclusters?limit=1',
      { resource: 'cluster.open-cluster-management.io/v1/managedclusters' },
    ],
    [
      '/apis/coordination.k8s.io/v1/namespaces/a/leases/b',
      { resource: 'coordination.k8s.io/v1/leases', namespace: 'a', name: 'b' },
    ],
  ])('%s is understood', (path, expected) => {
    const { query: _, ...target } = parseTarget(path) ?? {};
    expect(target).toEqual(expected);
  });

  it.each(['/version', '/', '', '/api', '/apis/a/v1'])('%j is not one of a kind', (path) => {
    expect(parseTarget(path)).toBeUndefined();
  });
});
