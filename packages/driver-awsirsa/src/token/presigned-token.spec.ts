import { STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { parseClusterArn } from '../arn.ts';
import { presignToken } from './presigned-token.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session/+=' };
const now = Date.parse('2026-01-02T03:04:05Z');

const hubIn = (partition: string, region: string) => {
  const hub = parseClusterArn(`arn:${partition}:eks:${region}:123456789012:cluster/hub-1`);
  if (!hub) throw new Error(region);
  return hub;
};

const urlOf = async (sts: STSClient, hub = hubIn('aws', 'us-west-2')) => {
  const { token } = await presignToken(sts, credentials, hub, now);
  expect(token).toMatch(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());
};

describe('a token for EKS', () => {
  it('is a signed request for the identity of the caller, bound to the cluster', async () => {
    const { searchParams, pathname, protocol } = await urlOf(new STSClient({ region: 'us-west-2' }));
    expect({ protocol, pathname }).toEqual({ protocol: 'https:', pathname: '/' });
    expect(Object.fromEntries(searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIDEXAMPLE/20260102/us-west-2/sts/aws4_request',
      'X-Amz-Date': '20260102T030405Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': 'session/+=',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([
    ['aws', 'us-west-2', 'sts.us-west-2.amazonaws.com'],
    ['aws', 'us-east-1', 'sts.us-east-1.amazonaws.com'],
    ['aws-cn', 'cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['aws-us-gov', 'us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
  ])('names the STS of partition %s in %s', async (partition, region, host) => {
    const url = await urlOf(new STSClient({ region }), hubIn(partition, region));
    expect(url.hostname).toBe(host);
  });

  it('names the public host when this process reaches STS by another endpoint', async () => {
    const url = await urlOf(new STSClient({ region: 'us-west-2', endpoint: 'http://127.0.0.1:5000' }));
    expect(url.host).toBe('sts.us-west-2.amazonaws.com');
  });

  it('ends a minute before STS stops to accept it', async () => {
    const { expiresAt } = await presignToken(
      new STSClient({ region: 'x' }),
      credentials,
      hubIn('aws', 'us-west-2'),
      now,
    );
    expect(expiresAt - now).toBe(14 * 60_000);
  });
});
