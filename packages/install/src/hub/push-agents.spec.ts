import type { ClusterRole, Role } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { pushAgentsAccess } from './push-agents.ts';

it('lets push-agents write leases of its own namespace, and of others the heartbeats of clusters alone', () => {
  const objects = pushAgentsAccess();
  const rulesOf = (kind: string) =>
    objects
      .filter((object) => object.kind === kind)
      .flatMap((object) => (object as ClusterRole | Role).rules ?? [])
      .filter(({ resources }) => resources?.includes('leases'));
  expect(rulesOf('ClusterRole')).toEqual([
    expect.objectContaining({
      resourceNames: ['managed-cluster-lease'],
      verbs: ['get', 'list', 'watch', 'update', 'patch'],
    }),
  ]);
  expect(rulesOf('Role')).toHaveLength(1);
  expect(objects.find(({ kind }) => kind === 'Role')?.metadata?.namespace).toBe('open-cluster-management-hub');
});

it('lets replicas of a hosted hub divide the clusters by leases of the namespace of that hub', () => {
  const objects = pushAgentsAccess({ name: 'hub1', namespace: 'hub1' });
  expect(objects.filter(({ kind }) => kind?.startsWith('Role')).map(({ metadata }) => metadata?.namespace)).toEqual([
    'hub1',
    'hub1',
  ]);
});
