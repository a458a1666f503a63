import { realClock, silentLogger, staticAccess } from '@flotilla/kube';
import { accessFiles } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { createAwsIrsaAgent } from './agent.ts';
import { arnOf } from './fixtures/arns.ts';
import { roleSuffix } from './names.ts';

const hub = arnOf('hub-cluster1');
const managed = arnOf('managed-cluster1');
const good = { hubClusterArn: hub.text, managedClusterArn: managed.text, managedClusterRoleSuffix: '' };

const createWith = (options: Partial<typeof good>) =>
  createAwsIrsaAgent({
    identity: { clusterName: 'c1', agentName: 'a1' },
    options: { bootstrapKubeconfig: 'bootstrap', bootstrapKubeconfigs: [], ...good, ...options },
    gates: {},
    files: accessFiles(staticAccess({ server: 'https://hub', origin: 'the spec' })),
    connect: () => {
      throw new Error('nothing is asked here');
    },
    clock: realClock,
    log: silentLogger,
    secret: () => ({ read: async () => undefined, write: async () => {} }),
    random: () => 0,
  });

describe('the agent', () => {
  it.each([
    ['the two ARNs', {}],
    ['the suffix that fits them', { managedClusterRoleSuffix: roleSuffix(hub, managed) }],
  ])('[registration-agent 19.1-4] starts with %s', (_, options) => {
    createWith(options).close?.();
  });

  it.each([
    ['[registration-agent 19.1-4] no ARN of the hub', { hubClusterArn: '' }, '--hub-cluster-arn is not set'],
    ['no ARN of its own', { managedClusterArn: '' }, '--managed-cluster-arn is not set'],
    ['the name of a cluster', { managedClusterArn: 'c1' }, '--managed-cluster-arn "c1" is not the ARN of an EKS'],
    ['a suffix for other clusters', { managedClusterRoleSuffix: 'abc' }, '--managed-cluster-role-suffix is "abc", and'],
    [
      'clusters in two partitions',
      { managedClusterArn: arnOf('c', { partition: 'aws-cn' }).text },
      'is in the partition aws-cn',
    ],
  ])('does not start with %s', (_, options, says) => {
    expect(() => createWith(options)).toThrow(says);
  });
});
