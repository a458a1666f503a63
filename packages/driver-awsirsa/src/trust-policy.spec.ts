import { describe, expect, it } from 'vitest';
import { parseClusterArn } from './arn.ts';
import { holdsPolicy, trustPolicy } from './trust-policy.ts';

const hub = parseClusterArn('arn:aws:eks:us-west-2:111111111111:cluster/hub');
const managed = parseClusterArn('arn:aws:eks:us-east-1:222222222222:cluster/member');
if (!hub || !managed) throw new Error('not ARNs');
const policy = trustPolicy(hub, managed, 'abc');

describe('the trust policy', () => {
  it("[registration-hub 19.5-64] admits the agent's role with the four tags, and no other", () => {
    expect(policy).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: 'arn:aws:iam::222222222222:role/ocm-managed-cluster-abc' },
          Action: 'sts:AssumeRole',
          Condition: {
            StringEquals: {
              'aws:PrincipalTag/hub_cluster_account_id': '111111111111',
              'aws:PrincipalTag/hub_cluster_name': 'hub',
              'aws:PrincipalTag/managed_cluster_account_id': '222222222222',
              'aws:PrincipalTag/managed_cluster_name': 'member',
            },
          },
        },
      ],
    });
  });

  it.each([
    ['the policy as IAM gives it, whatever the order of keys', encodeURIComponent(reversed(policy)), true],
    ['another policy', encodeURIComponent(JSON.stringify({ ...policy, Statement: [] })), false],
    [
      'an additional statement',
      encodeURIComponent(JSON.stringify({ ...policy, Statement: [...policy.Statement, {}] })),
      false,
    ],
    ['a document that is not JSON', '%7B', false],
    ['a document that is not URL-encoded', '%', false],
    ['no document', undefined, false],
  ])('is compared with %s', (_, document, same) => {
    expect(holdsPolicy(document, policy)).toBe(same);
  });
});

/** The same object with the keys of its first level in reverse. */
function reversed(value: object): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).reverse()));
}
