import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { Annotation, type ManagedCluster } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { namespaces } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import type { ExternalPermissions } from '@flotilla/registration-core/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeAws, startFakeAws } from '../../fixtures/fake-aws.ts';
import { arnOf } from '../fixtures/arns.ts';
import { hubRoleName, roleSuffix } from '../names.ts';
import { acceptedArnAnnotation, recordAccepted } from './accepted-identity.ts';
import { externalPermissions } from './external-permissions.ts';

const hub = arnOf('hub');
const one = arnOf('one');
const two = arnOf('two');
const { signal } = new AbortController();

let aws: FakeAws;
let plane: ControlPlane;
let clock: FakeClock;
let permissions: ExternalPermissions;
beforeEach(async () => {
  [aws, plane] = await Promise.all([startFakeAws(), startControlPlane({ listen: false })]);
  clock = new FakeClock();
  permissions = restarted();
  for (const name of ['c1', 'c2']) await plane.client.resource(namespaces).create({ metadata: { name } });
});
afterEach(async () => {
  await Promise.all([aws[Symbol.asyncDispose](), plane.stop()]);
});

/** The permissions of a hub that knows nothing from before. */
function restarted(): ExternalPermissions {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const options = { endpoint: aws.endpoint, region: 'us-west-2', credentials, maxAttempts: 1 };
  const services = { iam: new IAMClient(options), eks: new EKSClient(options) };
  return externalPermissions({ hub, tags: {}, services, client: plane.client, clock });
}

const cluster = (name: string, arn: string | undefined, suffix = ''): ManagedCluster => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    ...(arn !== undefined && {
      annotations: { [Annotation.ManagedClusterArn]: arn, [Annotation.ManagedClusterIamRoleSuffix]: suffix },
    }),
  },
  spec: { hubAcceptsClient: true },
});
const fitting = (name: string, arn: typeof one) => cluster(name, arn.text, roleSuffix(hub, arn));
const roleOf = (arn: typeof one) => hubRoleName(roleSuffix(hub, arn));

describe('the permissions of clusters outside of the hub', () => {
  it('are made once, whatever else changes about the cluster', async () => {
    const c1 = fitting('c1', one);
    expect(await permissions.create(c1, signal)).toMatchObject({ kind: 'done' });
    aws.calls.length = 0;
    const labelled = { ...c1, metadata: { ...c1.metadata, labels: { a: 'b' } } };
    expect(await permissions.create(labelled, signal)).toMatchObject({ kind: 'done' });
    expect(aws.calls).toEqual([]);
  });

  it('are compared with AWS every half hour, and made again if they are gone', async () => {
    const c1 = fitting('c1', one);
    const progress = await permissions.create(c1, signal);
    expect(progress).toEqual({ kind: 'done', checkAfterMs: 30 * 60_000 });
    aws.roles.clear();
    aws.entries.clear();
    await clock.advance(30 * 60_000);
    await permissions.create(c1, signal);
    expect([...aws.roles.keys()]).toEqual([roleOf(one)]);
  });

  it('are compared with AWS as soon as the cluster stops reporting, once, and made again if they are gone', async () => {
    const reporting = (status: 'True' | 'Unknown'): ManagedCluster => {
      const condition = { type: 'ManagedClusterConditionAvailable', status, reason: 'Lease', message: '' };
      return { ...fitting('c1', one), status: { conditions: [{ ...condition, lastTransitionTime: '' }] } };
    };
    await permissions.create(fitting('c1', one), signal);
    aws.calls.length = 0;
    await permissions.create(reporting('True'), signal);
    expect(aws.calls).toEqual([]);
    aws.roles.clear();
    aws.entries.clear();
    await permissions.create(reporting('Unknown'), signal);
    expect([...aws.roles.keys()]).toEqual([roleOf(one)]);
    aws.calls.length = 0;
    await permissions.create(reporting('Unknown'), signal);
    expect(aws.calls).toEqual([]);
  });

  it('[registration-hub 19.5-73] are not made for a cluster without annotations', async () => {
    expect(await permissions.create(cluster('c1', undefined), signal)).toEqual({ kind: 'done' });
    expect(await permissions.remove(cluster('c1', undefined), signal)).toEqual({ kind: 'done' });
    expect(aws.calls).toEqual([]);
  });

  it('wait with the reason for an ARN that cannot be read, and touch nothing in AWS', async () => {
    const malformed = cluster('c1', 'arn:aws:eks', 'x');
    expect(await permissions.create(malformed, signal)).toMatchObject({
      kind: 'waiting',
      why: expect.stringContaining('is "arn:aws:eks", which is not an ARN'),
    });
    expect(await permissions.remove(malformed, signal)).toEqual({ kind: 'done' });
    expect(aws.calls).toEqual([]);
  });

  it('[registration-hub 19.1-18] wait with the reason for a suffix of another hub', async () => {
    expect(await permissions.create(cluster('c1', one.text, 'test'), signal)).toMatchObject({
      kind: 'waiting',
      why: expect.stringContaining('is different from the current hub cluster'),
    });
    expect(aws.calls).toEqual([]);
  });

  it('stay those of the accepted identity when the agent changes its annotations', async () => {
    await permissions.create(fitting('c1', one), signal);
    const changed = fitting('c1', two);
    expect(await restarted().create(changed, signal)).toMatchObject({
      kind: 'waiting',
      why: expect.stringContaining(`was accepted as ${one.text}`),
    });
    expect([...aws.roles.keys()]).toEqual([roleOf(one)]);
    await restarted().remove(changed, signal);
    expect(aws.roles.size + aws.entries.size).toBe(0);
  });

  it('are not made for what a cluster declares after it joined in another way, unless a hub before this one made them', async () => {
    const joined = {
      type: 'ManagedClusterJoined',
      status: 'True',
      reason: 'r',
      message: '',
      lastTransitionTime: '',
    } as const;
    const sly = { ...fitting('c1', one), status: { conditions: [joined] } };
    expect(await permissions.create(sly, signal)).toMatchObject({
      kind: 'waiting',
      why: expect.stringContaining(`declares ${one.text} since, which no administrator accepted`),
    });
    expect([...aws.roles.keys(), ...aws.entries.keys()]).toEqual([]);
    await permissions.create(fitting('c2', two), signal);
    await recordAccepted(plane.client, 'c2', undefined, signal);
    const known = { ...fitting('c2', two), status: { conditions: [joined] } };
    expect(await restarted().create(known, signal)).toMatchObject({ kind: 'done' });
    // Denied and accepted again, it may declare another one.
    await permissions.remove(known, signal);
    const moved = { ...fitting('c2', one), status: { conditions: [joined] } };
    expect(await permissions.create(moved, signal)).toMatchObject({ kind: 'done' });
    expect([...aws.roles.keys()]).toEqual([roleOf(one)]);
  });

  it('of another cluster are not removed by annotations that name it', async () => {
    await permissions.create(fitting('c1', one), signal);
    await restarted().remove(fitting('c2', one), signal);
    expect([...aws.roles.keys()]).toEqual([roleOf(one)]);
    expect([...aws.entries.values()]).toMatchObject([{ username: 'c1' }]);
  });

  it('are those of the new identity after the cluster was denied and accepted again', async () => {
    await permissions.create(fitting('c1', one), signal);
    await permissions.remove(fitting('c1', two), signal);
    expect((await plane.client.resource(namespaces).get('c1')).metadata?.annotations?.[acceptedArnAnnotation]).toBe('');
    expect(await permissions.create(fitting('c1', two), signal)).toMatchObject({ kind: 'done' });
    expect([...aws.roles.keys()]).toEqual([roleOf(two)]);
  });

  it('are removed after a creation that failed halfway', async () => {
    aws.fail('eks:CreateAccessEntry', { status: 403, code: 'AccessDeniedException' });
    await expect(permissions.create(fitting('c1', one), signal)).rejects.toThrow('Allow eks:CreateAccessEntry');
    await restarted().remove(fitting('c1', one), signal);
    expect(aws.roles.size + aws.entries.size).toBe(0);
  });

  it('wait until a new role is visible to EKS', async () => {
    aws.fail('eks:CreateAccessEntry', { status: 400, code: 'InvalidParameterException' });
    expect(await permissions.create(fitting('c1', one), signal)).toMatchObject({
      kind: 'waiting',
      checkAfterMs: 3_000,
    });
    expect(await permissions.create(fitting('c1', one), signal)).toMatchObject({ kind: 'done' });
  });

  it('wait for the namespace of the cluster', async () => {
    expect(await permissions.create(fitting('c9', one), signal)).toMatchObject({
      kind: 'waiting',
      why: 'namespace "c9" does not exist yet',
    });
    expect(aws.calls).toEqual([]);
  });
});
