import { describe, expect, it } from 'vitest';
import { impersonationOf } from './impersonation.policy.ts';

const user = (name: string, groups: string[] = [], extra: Record<string, string[]> = {}) => ({ name, groups, extra });

describe('who a user of the hub is on a cluster', () => {
  it.each<[string, string, string]>([
    ['a person keeps the name', 'alice', 'alice'],
    [
      'a service account of the hub is none of the cluster',
      'system:serviceaccount:a:b',
      'cluster:hub:system:serviceaccount:a:b',
    ],
    ['a node of the hub is none of the cluster', 'system:node:n1', 'cluster:hub:system:node:n1'],
    [
      'an agent has no meaning there',
      'system:open-cluster-management:a:x',
      'cluster:hub:system:open-cluster-management:a:x',
    ],
    ['a name that has the prefix is not taken for another', 'cluster:hub:system:x', 'cluster:hub:cluster:hub:system:x'],
  ])('%s', (_, name, expected) => {
    expect(impersonationOf(user(name)).user).toBe(expected);
  });

  it('is in the same groups, but those that every API server gives, and is never an administrator', () => {
    const groups = ['developers', 'system:masters', 'kubeadm:cluster-admins', 'system:authenticated', 'developers'];
    expect(impersonationOf(user('a', groups)).groups).toEqual([
      'developers',
      'cluster:hub:system:masters',
      'cluster:hub:kubeadm:cluster-admins',
    ]);
  });

  it('has the extra information that the grant names, and no other', () => {
    const known = 'authentication.kubernetes.io/credential-id';
    expect(impersonationOf(user('a', [], { [known]: ['x'], 'example.com/scopes': ['all'] })).extra).toEqual({
      [known]: ['x'],
    });
  });

  it.each(['', 'system:anonymous'])('is nobody without a name: "%s"', (name) => {
    expect(() => impersonationOf(user(name))).toThrow('does not know who sends this request');
  });
});
