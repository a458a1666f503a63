import { describe, expect, it } from 'vitest';
import { parseClusterArn } from './arn.ts';
import { clusterGroup, hubRoleArn, managedRoleArn, roleSuffix } from './names.ts';

const arn = (name: string, partition = 'aws', account = '123456789012') => {
  const parsed = parseClusterArn(`arn:${partition}:eks:us-west-2:${account}:cluster/${name}`);
  if (!parsed) throw new Error(name);
  return parsed;
};

describe('the names of roles', () => {
  it.each([
    ['[registration-agent 19.7-67]', 'hub-cluster1', 'managed-cluster1', '7f8141296c75f2871e3d030f85c35692'],
    ['[registration-hub 19.5-72]', 'hub-cluster', 'spoke-cluster', '960c4e56c25ba0b571ddcdaa7edc943e'],
  ])('%s end in the digest of both accounts and names', (_, hub, managed, suffix) => {
    expect(roleSuffix(arn(hub), arn(managed))).toBe(suffix);
  });

  it('are in the account and partition of their cluster', () => {
    const hub = arn('hub', 'aws-cn', '111111111111');
    const managed = arn('member', 'aws-cn', '222222222222');
    expect(hubRoleArn(hub, 'abc')).toBe('arn:aws-cn:iam::111111111111:role/ocm-hub-abc');
    expect(managedRoleArn(managed, 'abc')).toBe('arn:aws-cn:iam::222222222222:role/ocm-managed-cluster-abc');
  });

  it('of the group have no system prefix', () => {
    expect(clusterGroup('c1')).toBe('open-cluster-management:c1');
  });
});
