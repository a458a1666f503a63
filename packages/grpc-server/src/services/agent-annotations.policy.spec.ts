import { Annotation } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { agentAnnotations } from './agent-annotations.policy.ts';

const driver = 'agent.open-cluster-management.io/registration-driver';
const clusterWith = (annotations: Record<string, string>) => ({ metadata: { name: 'a', annotations } });
const reported = clusterWith({ [driver]: 'grpc', [Annotation.ClusterIdentity]: 'new', other: 'x' });

it.each([
  ['is set on a cluster that has none', clusterWith({}), { [driver]: 'grpc', [Annotation.ClusterIdentity]: 'new' }],
  [
    'is not set over that of another cluster',
    clusterWith({ [Annotation.ClusterIdentity]: 'old' }),
    { [driver]: 'grpc' },
  ],
  ['is not set while the cache lacks the cluster, which may have one', undefined, { [driver]: 'grpc' }],
])('an identity %s', (_, stored, expected) => {
  expect(agentAnnotations(reported, stored)).toEqual(expected);
});

it('nothing is set that is stored already', () => {
  expect(agentAnnotations(reported, reported)).toBeUndefined();
});
