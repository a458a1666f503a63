import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAws, startFakeAws } from '../../fixtures/fake-aws.ts';
import { arnOf } from '../fixtures/arns.ts';
import { roleSuffix } from '../names.ts';
import { clusterRole } from './cluster-role.ts';
import { type AwsServices, ensurePermissions, removePermissions } from './permissions.ts';

const hub = arnOf('hub');
const managed = arnOf('member', { account: '222222222222' });
const tags = { team: 'platform' };
const role = clusterRole('c1', hub, managed, roleSuffix(hub, managed), tags);
const { signal } = new AbortController();

let aws: FakeAws;
let services: AwsServices;
beforeEach(async () => {
  aws = await startFakeAws();
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const options = { endpoint: aws.endpoint, region: 'us-west-2', credentials, maxAttempts: 1 };
  services = { iam: new IAMClient(options), eks: new EKSClient(options) };
});
afterEach(() => aws[Symbol.asyncDispose]());

const ensure = () => ensurePermissions(services, role, signal);
const remove = () => removePermissions(services, role, signal);
const entry = () => aws.entries.get(`hub/${role.roleArn}`);

describe('the permissions of a cluster in AWS', () => {
  it('[registration-hub 19.5-65, 19.5-67] are a role with the trust policy, and an entry with user and group', async () => {
    await ensure();
    expect(JSON.parse(aws.roles.get(role.roleName)?.trustPolicy ?? '')).toEqual(role.trustPolicy);
    expect(aws.roles.get(role.roleName)?.tags).toEqual(tags);
    expect(entry()).toMatchObject({ username: 'c1', kubernetesGroups: ['open-cluster-management:c1'], tags });
    expect(aws.calls).toEqual(['iam:CreateRole', 'eks:CreateAccessEntry']);
  });

  it('[registration-hub 19.5-65, 19.5-74] stay as they are when they are there', async () => {
    await ensure();
    aws.calls.length = 0;
    await ensure();
    expect(aws.calls).toEqual(['iam:CreateRole', 'iam:GetRole', 'eks:CreateAccessEntry', 'eks:DescribeAccessEntry']);
  });

  it('are corrected where they were changed', async () => {
    await ensure();
    Object.assign(aws.roles.get(role.roleName) ?? {}, { trustPolicy: '{}', tags: { foreign: 'x' } });
    Object.assign(entry() ?? {}, { kubernetesGroups: ['system:masters'], tags: {} });
    await ensure();
    expect(JSON.parse(aws.roles.get(role.roleName)?.trustPolicy ?? '')).toEqual(role.trustPolicy);
    expect(aws.roles.get(role.roleName)?.tags).toEqual({ ...tags, foreign: 'x' });
    expect(entry()).toMatchObject({ kubernetesGroups: ['open-cluster-management:c1'], tags });
  });

  it('are created again when they were deleted', async () => {
    await ensure();
    aws.roles.clear();
    aws.entries.clear();
    await ensure();
    expect([...aws.roles.keys()]).toEqual([role.roleName]);
    expect(entry()).toBeDefined();
  });

  it('are not shared by two clusters of one ARN', async () => {
    await ensure();
    const duplicate = { ...role, cluster: 'c2', groups: ['open-cluster-management:c2'] };
    await expect(ensurePermissions(services, duplicate, signal)).rejects.toThrow(
      `belongs to ManagedCluster "c1", not to "c2": both have the same ARN`,
    );
    await removePermissions(services, duplicate, signal);
    expect(entry()).toMatchObject({ username: 'c1' });
    expect([...aws.roles.keys()]).toEqual([role.roleName]);
  });

  it('[registration-hub 19.5-70] are removed with the entry first', async () => {
    await ensure();
    aws.calls.length = 0;
    await remove();
    expect(aws.calls).toEqual(['eks:DescribeAccessEntry', 'eks:DeleteAccessEntry', 'iam:DeleteRole']);
    expect(aws.roles.size + aws.entries.size).toBe(0);
  });

  it('[registration-hub 19.5-68, 19.5-74] are removed twice as well as once', async () => {
    await ensure();
    await remove();
    await remove();
    expect(aws.roles.size + aws.entries.size).toBe(0);
  });

  it.each(['iam:CreateRole', 'eks:CreateAccessEntry'])('are right when the answer to %s is lost', async (action) => {
    aws.fail(action, 'lose the answer');
    await expect(ensure()).rejects.toMatchObject({ explanation: { reason: 'Unavailable' } });
    await ensure();
    expect(aws.roles.size).toBe(1);
    expect(entry()).toMatchObject({ username: 'c1' });
  });

  it.each([
    'iam:CreateRole',
    'iam:GetRole',
    'iam:UpdateAssumeRolePolicy',
    'iam:TagRole',
    'eks:CreateAccessEntry',
    'eks:DescribeAccessEntry',
    'eks:UpdateAccessEntry',
    'eks:TagResource',
  ])('name the permission when %s is denied', async (action) => {
    const isFirst = action.includes('Create');
    if (!isFirst) {
      await ensure();
      Object.assign(aws.roles.get(role.roleName) ?? {}, { trustPolicy: '{}', tags: {} });
      Object.assign(entry() ?? {}, { kubernetesGroups: [], tags: {} });
    }
    aws.fail(action, { status: 403, code: action.startsWith('iam') ? 'AccessDenied' : 'AccessDeniedException' });
    await expect(ensure()).rejects.toMatchObject({
      explanation: { reason: 'AccessDenied', message: expect.stringContaining(`Allow ${action} on `) },
    });
    await ensure();
    expect(entry()).toMatchObject({ kubernetesGroups: ['open-cluster-management:c1'], tags });
  });

  it.each(['eks:DescribeAccessEntry', 'eks:DeleteAccessEntry', 'iam:DeleteRole'])(
    '[registration-hub 19.5-69] are removed at a later try when %s fails',
    async (action) => {
      await ensure();
      aws.fail(action, { status: 500, code: 'InternalFailure' });
      await expect(remove()).rejects.toMatchObject({ explanation: { reason: 'Unavailable' } });
      await remove();
      expect(aws.roles.size + aws.entries.size).toBe(0);
    },
  );

  it.each([
    'iam:GetRole',
    'iam:UpdateAssumeRolePolicy',
    'iam:TagRole',
    'eks:DescribeAccessEntry',
    'eks:UpdateAccessEntry',
  ])('are created again when they are deleted just before %s', async (action) => {
    await ensure();
    Object.assign(aws.roles.get(role.roleName) ?? {}, { trustPolicy: '{}', tags: {} });
    Object.assign(entry() ?? {}, { kubernetesGroups: [] });
    const code = action.startsWith('iam') ? 'NoSuchEntity' : 'ResourceNotFoundException';
    aws.fail(action, { status: 404, code });
    await expect(ensure()).rejects.toMatchObject({ explanation: { reason: 'ChangedMeanwhile' } });
    aws.roles.clear();
    aws.entries.clear();
    await ensure();
    expect(JSON.parse(aws.roles.get(role.roleName)?.trustPolicy ?? '')).toEqual(role.trustPolicy);
    expect(entry()).toMatchObject({ kubernetesGroups: ['open-cluster-management:c1'] });
  });

  it('say which role is missing when IAM does not find the principal of the trust policy', async () => {
    aws.fail('iam:CreateRole', {
      status: 400,
      code: 'MalformedPolicyDocument',
      message: 'Invalid principal in policy',
    });
    await expect(ensure()).rejects.toThrow(
      /Invalid principal in policy.*create it in the account of the managed cluster/,
    );
  });

  it.each([
    ['HubNotFound', { status: 404, code: 'ResourceNotFoundException' }],
    ['Throttled', { status: 429, code: 'TooManyRequestsException' }],
    ['Throttled', { status: 400, code: 'ThrottlingException' }],
    ['NotVisibleYet', { status: 400, code: 'InvalidParameterException' }],
    ['Unavailable', { status: 503, code: 'ServerException' }],
    ['Refused', { status: 400, code: 'InvalidRequestException' }],
  ])('are %s for an answer of %o', async (reason, fault) => {
    aws.fail('eks:CreateAccessEntry', fault);
    await expect(ensure()).rejects.toMatchObject({ explanation: { reason } });
  });
});
