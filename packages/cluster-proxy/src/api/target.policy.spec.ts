import { describe, expect, it } from 'vitest';
import { type Target, targetOf } from './target.policy.ts';

const root = '/apis/clusterproxy.open-cluster-management.io/v1alpha1';
const unknown: Target = { kind: 'unknown' };
const proxy = (cluster: string, path: string): Target => ({ kind: 'proxy', cluster, path });

describe('what a path of the API asks for', () => {
  it.each<[string, string, Target]>([
    ['the root of a cluster', `${root}/managedclusters/a/proxy`, proxy('a', '/')],
    [
      'a path of a cluster with its query',
      `${root}/managedclusters/a.b-c/proxy/api/v1/pods?watch=1`,
      proxy('a.b-c', '/api/v1/pods?watch=1'),
    ],
    ['what is escaped stays so', `${root}/managedclusters/a/proxy/api/v1/x%2Fy`, proxy('a', '/api/v1/x%2Fy')],
    ['a tunnel', `${root}/namespaces/a/tunnels/a/attach`, { kind: 'tunnel', cluster: 'a' }],
    ['the tunnel of another cluster than the namespace', `${root}/namespaces/a/tunnels/b/attach`, unknown],
    ['a way out of the cluster', `${root}/managedclusters/a/proxy/../../b/proxy`, unknown],
    ['an escaped way out', `${root}/managedclusters/a/proxy/%2e%2e/x`, unknown],
    ['a way out with escaped slashes', `${root}/managedclusters/a/proxy/x%2f..%2fy`, unknown],
    ['a name with an escaped slash', `${root}/managedclusters/b%2Fproxy/proxy/x`, unknown],
    ['a name that is none', `${root}/managedclusters/A_B/proxy/x`, unknown],
    ['a watch by its old path', `${root}/watch/managedclusters/a/proxy`, unknown],
    ['another subresource', `${root}/managedclusters/a/status`, unknown],
    ['discovery', `${root}/`, { kind: 'discovery', path: root }],
  ])('%s', (_, url, expected) => {
    expect(targetOf(url)).toEqual(expected);
  });

  it('takes no longer for a path of many slashes, which anyone can send', () => {
    const long = `${'/'.repeat(16_000)}x`;
    const started = performance.now();
    for (let count = 0; count < 100; count += 1) expect(targetOf(long)).toEqual(unknown);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
