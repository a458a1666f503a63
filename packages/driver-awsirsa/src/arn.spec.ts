import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterArnOfFlag, parseClusterArn } from './arn.ts';

describe('parseClusterArn', () => {
  it('[registration-agent 19.7-71] reads region, account and name', () => {
    const text = 'arn:aws:eks:us-west-2:123456789012:cluster/hub-cluster1';
    expect(parseClusterArn(text)).toEqual({
      text,
      partition: 'aws',
      region: 'us-west-2',
      account: '123456789012',
      name: 'hub-cluster1',
    });
  });

  it.each(['aws-cn', 'aws-us-gov', 'aws-iso-b'])('reads the partition %s', (partition) => {
    expect(parseClusterArn(`arn:${partition}:eks:somewhere-1:123456789012:cluster/c`)?.partition).toBe(partition);
  });

  it.each([
    ['no text', ''],
    ['a name', 'hub-cluster1'],
    ['another prefix', 'XXXXXXarn:aws:eks:us-west-2:123456789012:cluster/c'],
    ['another service', 'arn:aws:iam::123456789012:role/c'],
    ['a short account', 'arn:aws:eks:us-west-2:12345678901:cluster/c'],
    ['no name', 'arn:aws:eks:us-west-2:123456789012:cluster/'],
    ['a path behind the name', 'arn:aws:eks:us-west-2:123456789012:cluster/c/d'],
    ['a line break behind the name', 'arn:aws:eks:us-west-2:123456789012:cluster/c\n'],
    ['another resource', 'arn:aws:eks:us-west-2:123456789012:nodegroup/c'],
    ['too few fields', 'arn:aws:eks:us-west-2'],
  ])('refuses %s', (_, text) => {
    expect(parseClusterArn(text)).toBeUndefined();
  });

  it('gives back the text that it read, whatever comes in', () => {
    fc.assert(fc.property(fc.string(), (text) => [undefined, text].includes(parseClusterArn(text)?.text)));
  });
});

describe('clusterArnOfFlag', () => {
  it('names the flag, the value and the form', () => {
    expect(() => clusterArnOfFlag('hub-cluster-arn', 'hub')).toThrow(
      expect.objectContaining({
        code: 'Config',
        message: expect.stringContaining('--hub-cluster-arn "hub" is not the ARN of an EKS cluster'),
        hint: expect.stringContaining('arn:aws:eks:<region>'),
      }),
    );
    expect(() => clusterArnOfFlag('hub-cluster-arn', '')).toThrow('--hub-cluster-arn is not set');
  });
});
