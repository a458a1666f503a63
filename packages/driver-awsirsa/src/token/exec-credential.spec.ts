import { describe, expect, it } from 'vitest';
import { arnOf } from '../fixtures/arns.ts';
import { execUser } from '../stored-role.ts';
import { parseTokenRequest } from './exec-credential.ts';

const role = 'arn:aws:iam::123456789012:role/ocm-hub-abc';

describe('the arguments of aws-token', () => {
  it('are those of the kubeconfig that the agent stores', () => {
    expect(parseTokenRequest(execUser(arnOf('hub'), role).exec?.args ?? [], {})).toEqual({
      region: 'us-west-2',
      clusterName: 'hub',
      roleArn: role,
    });
  });

  it.each([
    ['with "="', ['--region=a', '--cluster-name=b'], { region: 'a', clusterName: 'b', roleArn: undefined }],
    [
      'with the region of the environment',
      ['--cluster-name', 'b'],
      { region: 'env', clusterName: 'b', roleArn: undefined },
    ],
    [
      'with the long name of the role',
      ['--cluster-name', 'b', '--role-arn', 'r'],
      { region: 'env', clusterName: 'b', roleArn: 'r' },
    ],
  ])('are read %s', (_, args, request) => {
    expect(parseTokenRequest(args, { AWS_REGION: 'env' })).toEqual(request);
  });

  it.each([
    ['an unknown argument', ['--profile', 'x'], 'unknown argument "--profile"'],
    ['no cluster', ['--region', 'a'], '--cluster-name is not set'],
    ['no region', ['--cluster-name', 'a'], '--region is not set'],
    ['no value', ['--region'], '--region has no value'],
  ])('are refused with %s', (_, args, message) => {
    expect(() => parseTokenRequest(args, {})).toThrow(message);
  });
});
