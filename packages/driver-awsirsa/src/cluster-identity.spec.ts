import type { ManagedCluster } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { checkIdentity, declaredIdentity } from './cluster-identity.ts';
import { arnOf } from './fixtures/arns.ts';

const hub = arnOf('hub-cluster');
const arn = arnOf('spoke-cluster').text;
const suffix = '960c4e56c25ba0b571ddcdaa7edc943e';
const annotated = (annotations: Record<string, string>): ManagedCluster => ({
  metadata: { name: 'c1', annotations },
  spec: { hubAcceptsClient: true },
});
const names = {
  arn: 'agent.open-cluster-management.io/managed-cluster-arn',
  suffix: 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix',
};

describe('the identity that a cluster declares', () => {
  it.each<[string, Record<string, string>, object | undefined]>([
    ['both annotations', { [names.arn]: arn, [names.suffix]: suffix }, { arn, suffix }],
    ['both annotations, also empty ones', { [names.arn]: '', [names.suffix]: '' }, { arn: '', suffix: '' }],
    ['the ARN alone, which is another auth type', { [names.arn]: arn }, undefined],
    ['the suffix alone, which is another auth type', { [names.suffix]: suffix }, undefined],
    ['no annotation, which is another auth type', {}, undefined],
  ])('is read from %s', (_, annotations, identity) => {
    expect(declaredIdentity(annotated(annotations))).toEqual(identity);
  });

  it('fits the hub for which its suffix was made', () => {
    expect(checkIdentity(hub, { arn, suffix })).toMatchObject({ managed: { name: 'spoke-cluster' } });
  });

  it('does not fit if it is in another partition than the hub', () => {
    const china = arnOf('spoke-cluster', { partition: 'aws-cn' }).text;
    expect(checkIdentity(hub, { arn: china, suffix })).toContain('is in the partition aws-cn and the hub');
  });

  it('[registration-hub 19.5-66] does not fit with the suffix for another hub', () => {
    expect(checkIdentity(hub, { arn, suffix: 'test' })).toContain(
      'HubClusterARN provided during join by ManagedCluster spoke-cluster is different from the current hub cluster',
    );
  });

  it.each(['', 'arn', 'arn:aws:eks:us-west-2', `${arn}/x`])('is refused with the malformed ARN "%s"', (malformed) => {
    expect(checkIdentity(hub, { arn: malformed, suffix })).toContain(
      `is "${malformed}", which is not an ARN of the form`,
    );
  });
});
