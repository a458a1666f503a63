import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { arnOf } from './fixtures/arns.ts';
import { evaluateStored, execUser } from './stored-role.ts';

const role = 'arn:aws:iam::123456789012:role/ocm-hub-abc';
const kubeconfigOf = (user: unknown) => stringify({ users: [{ name: 'default-auth', user }] });

describe('the stored kubeconfig', () => {
  it('[registration-agent 19.7-69] has the plugin that OCM writes', () => {
    expect(execUser(arnOf('hub-1'), role)).toEqual({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: '/awscli/dist/aws',
        args: [
          '--region',
          'us-west-2',
          'eks',
          'get-token',
          '--cluster-name',
          'hub-1',
          '--output',
          'json',
          '--role',
          role,
        ],
        env: null,
        provideClusterInfo: false,
      },
    });
  });

  it.each([
    ['usable for its role', kubeconfigOf(execUser(arnOf('hub'), role)), { usable: true }],
    ['not there', undefined, { usable: false, reason: 'Missing' }],
    ['not YAML', '{{', { usable: false, reason: 'Malformed' }],
    ['a kubeconfig of another auth type', kubeconfigOf({ token: 'x' }), { usable: false, reason: 'Malformed' }],
    [
      'one of another role',
      kubeconfigOf(execUser(arnOf('hub'), 'arn:other')),
      { usable: false, reason: 'OtherIdentity' },
    ],
  ])('[registration-agent 19.2-25] is %s', (_, kubeconfig, state) => {
    const stored: Record<string, string> = kubeconfig === undefined ? {} : { kubeconfig };
    expect(evaluateStored(stored, { clusterName: 'c1', roleArn: role })).toMatchObject(state);
  });

  it('is not used by a cluster of another name', () => {
    const stored = { kubeconfig: kubeconfigOf(execUser(arnOf('hub'), role)), 'cluster-name': 'c1' };
    expect(evaluateStored(stored, { clusterName: 'c1', roleArn: role })).toEqual({ usable: true });
    expect(evaluateStored(stored, { clusterName: 'c2', roleArn: role })).toMatchObject({ reason: 'OtherIdentity' });
  });
});
