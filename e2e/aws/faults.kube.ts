import { readFile } from 'node:fs/promises';
import { Annotation, managedClusters } from '@flotilla/api-types';
import { parseClusterArn, roleSuffix } from '@flotilla/driver-awsirsa';
import { findCondition } from '@flotilla/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { startServer } from '../registration/servers.ts';
import { arnOf, hubArn, hubName } from './account.ts';
import { type AwsFault, type AwsServices, startAwsServices } from './aws-services.ts';

const longPoll = { timeout: 60_000 };
const condition = 'awsirsa/PermissionsReady';

/** What AWS has for a cluster of this EKS name. */
const suffixOf = (name: string): string => {
  const [hub, managed] = [parseClusterArn(hubArn), parseClusterArn(arnOf(name))];
  if (!hub || !managed) throw new Error(`${name} does not make an ARN`);
  return roleSuffix(hub, managed);
};

describe('a hub whose AWS has faults', { timeout: 120_000 }, () => {
  let aws: AwsServices;
  let fleet: Fleet;
  let hub: Program;
  let env: Record<string, string>;
  const startHub = () => {
    const drivers = ['--enabled-registration-drivers=awsirsa', `--hub-cluster-arn=${hubArn}`];
    return fleet.startHub([...drivers, '--aws-resource-tags=team=platform'], { env });
  };
  beforeAll(async () => {
    aws = await startAwsServices();
    fleet = await startFleet(await startServer('embedded'));
    env = {
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_ACCESS_KEY_ID: 'AKIDTEST',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-west-2',
    };
    hub = startHub();
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await aws?.[Symbol.asyncDispose]();
  });

  const clusters = () => fleet.hub.client.resource(managedClusters);
  /** Registers a cluster as its agent does, and accepts it. */
  const accept = (name: string) =>
    clusters().create({
      metadata: {
        name,
        annotations: {
          [Annotation.ManagedClusterArn]: arnOf(name),
          [Annotation.ManagedClusterIamRoleSuffix]: suffixOf(name),
        },
      },
      spec: { hubAcceptsClient: true },
    });
  const reported = (name: string, status: string, text = '') =>
    fleet.admin.seen.until(managedClusters, `${condition}=${status} of ${name} with "${text}"`, (cluster) => {
      const found = findCondition(cluster.status?.conditions, condition);
      return cluster.metadata?.name === name && found?.status === status && found.message.includes(text);
    });
  const entryOf = (name: string) => [...aws.entries.values()].find(({ username }) => username === name);
  /** Whether AWS has exactly what a cluster needs. */
  const isComplete = async (name: string) => {
    expect(await aws.roles()).toContain(`ocm-hub-${suffixOf(name)}`);
    expect(entryOf(name)).toMatchObject({
      clusterName: hubName,
      kubernetesGroups: [`open-cluster-management:${name}`],
      tags: { team: 'platform' },
    });
  };
  const remove = async (name: string) => {
    await clusters().delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
  };
  const nothingIsLeft = async (name: string) => {
    expect(await aws.roles()).not.toContain(`ocm-hub-${suffixOf(name)}`);
    expect(entryOf(name)).toBeUndefined();
  };

  const whileJoining: { fault: string; action: string; what: AwsFault; times?: number }[] = [
    { fault: 'is throttled', action: 'iam:CreateRole', what: { status: 400, code: 'Throttling' }, times: 4 },
    {
      fault: 'is throttled',
      action: 'eks:CreateAccessEntry',
      what: { status: 429, code: 'TooManyRequestsException' },
      times: 4,
    },
    { fault: 'fails inside', action: 'iam:CreateRole', what: { status: 500, code: 'ServiceFailure' }, times: 4 },
    {
      fault: 'fails inside',
      action: 'eks:CreateAccessEntry',
      what: { status: 503, code: 'ServerException' },
      times: 4,
    },
    {
      fault: 'does not see the new role',
      action: 'eks:CreateAccessEntry',
      what: { status: 400, code: 'InvalidParameterException' },
      times: 1,
    },
    { fault: 'loses its answer', action: 'iam:CreateRole', what: 'lose the answer', times: 1 },
    { fault: 'loses its answer', action: 'eks:CreateAccessEntry', what: 'lose the answer', times: 1 },
  ];

  it('has role and entry in the end when a call of the join fails, and nothing after the cluster is deleted', async () => {
    for (const [index, { fault, action, what, times }] of whileJoining.entries()) {
      const name = `joining-${index}`;
      aws.disturb(action, what, times);
      await accept(name);
      await reported(name, 'True').catch((error) => {
        throw new Error(`${action} ${fault}: ${error}`);
      });
      aws.disturb(action);
      await isComplete(name);
    }
    for (const index of whileJoining.keys()) await remove(`joining-${index}`);
    for (const index of whileJoining.keys()) await nothingIsLeft(`joining-${index}`);
  });

  it.each([
    { action: 'iam:CreateRole', code: 'AccessDenied' },
    { action: 'eks:CreateAccessEntry', code: 'AccessDeniedException' },
  ])('names $action when AWS denies it, finishes when it is allowed, and leaves nothing', async ({ action, code }) => {
    const name = `denied-${action.replace(':', '-').toLowerCase()}`;
    aws.disturb(action, { status: 403, code });
    await accept(name);
    await reported(name, 'False', `Allow ${action} on `);
    aws.disturb(action);
    await reported(name, 'True');
    await isComplete(name);
    await remove(name);
    await nothingIsLeft(name);
  });

  it.each([
    { action: 'eks:DescribeAccessEntry', what: { status: 403, code: 'AccessDeniedException' } },
    { action: 'eks:DeleteAccessEntry', what: { status: 403, code: 'AccessDeniedException' } },
    { action: 'iam:DeleteRole', what: { status: 403, code: 'AccessDenied' } },
  ])('keeps a deleted cluster until $action is allowed, and then nothing is left', async ({ action, what }) => {
    const name = `kept-${action.replace(':', '-').toLowerCase()}`;
    await accept(name);
    await reported(name, 'True');
    aws.disturb(action, what);
    await clusters().delete(name);
    await reported(name, 'False', `Allow ${action} on `);
    aws.disturb(action);
    await fleet.admin.seen.gone(managedClusters, name);
    await nothingIsLeft(name);
  });

  it('cleans up when an answer to a removal is lost, and when somebody removed it before', async () => {
    for (const action of ['eks:DeleteAccessEntry', 'iam:DeleteRole']) {
      const name = `lost-${action.replace(':', '-').toLowerCase()}`;
      await accept(name);
      await reported(name, 'True');
      aws.disturb(action, 'lose the answer', 1);
      await remove(name);
      await nothingIsLeft(name);
    }
    await accept('gone-before');
    await reported('gone-before', 'True');
    await aws.iam({ Action: 'DeleteRole', RoleName: `ocm-hub-${suffixOf('gone-before')}` });
    await remove('gone-before');
    await nothingIsLeft('gone-before');
  });

  it('takes over a role that is there already, and repeats what met somebody who deletes at the same moment', async () => {
    const name = 'raced';
    const RoleName = `ocm-hub-${suffixOf(name)}`;
    const ofSomebody = '{"Version":"2012-10-17","Statement":[]}';
    await aws.iam({ Action: 'CreateRole', RoleName, AssumeRolePolicyDocument: ofSomebody });
    aws.disturb('iam:GetRole', { status: 404, code: 'NoSuchEntity' }, 1);
    // The SDK repeats the call whose answer is lost, finds the entry in use, and does not find it when it looks.
    aws.disturb('eks:CreateAccessEntry', 'lose the answer', 1);
    aws.disturb('eks:DescribeAccessEntry', { status: 404, code: 'ResourceNotFoundException' }, 1);
    const before = aws.calls.length;
    await accept(name);
    await reported(name, 'True');
    await isComplete(name);
    const calls = aws.calls.slice(before);
    expect(calls.filter((call) => call === 'iam:GetRole').length).toBeGreaterThan(1);
    expect(calls.filter((call) => call === 'eks:DescribeAccessEntry').length).toBeGreaterThan(1);
    const role = decodeURIComponent(await aws.iam({ Action: 'GetRole', RoleName }));
    expect(role).toContain(`role/ocm-managed-cluster-${suffixOf(name)}`);
    await remove(name);
    await nothingIsLeft(name);
  });

  it('accepts other clusters while AWS takes its time for one', async () => {
    aws.disturb('iam:CreateRole', { delayMs: 9_000 }, 1);
    await accept('slow');
    await expect.poll(() => aws.calls.at(-1), longPoll).toBe('iam:CreateRole');
    const order: string[] = [];
    const slow = reported('slow', 'True').then(() => order.push('slow'));
    await accept('quick');
    await reported('quick', 'True').then(() => order.push('quick'));
    await slow;
    expect(order).toEqual(['quick', 'slow']);
    await remove('slow');
    await remove('quick');
    await nothingIsLeft('slow');
  });

  it('corrects what somebody changed, when it starts anew', async () => {
    await accept('drifted');
    await reported('drifted', 'True');
    const entry = entryOf('drifted');
    if (!entry) throw new Error('the cluster has no entry');
    Object.assign(entry, { kubernetesGroups: ['system:masters'], tags: {} });
    const RoleName = `ocm-hub-${suffixOf('drifted')}`;
    await aws.iam({ Action: 'UntagRole', RoleName, 'TagKeys.member.1': 'team' });
    await hub.end();
    hub = startHub();
    await expect.poll(() => entryOf('drifted')?.tags, longPoll).toEqual({ team: 'platform' });
    await isComplete('drifted');
    await expect.poll(() => aws.iam({ Action: 'ListRoleTags', RoleName }), longPoll).toContain('platform');
    await remove('drifted');
  });

  it('called every action of the table in the README, and no other', async () => {
    const table = await readFile(new URL('../../packages/driver-awsirsa/README.md', import.meta.url), 'utf8');
    const actions = [...table.matchAll(/^\| `(\w+:\w+)` \| hub \|/gm)].map(([, action]) => action);
    expect([...new Set(aws.calls)].sort()).toEqual(actions.sort());
  });

  it('leaves nothing in IAM and EKS', async () => {
    expect((await aws.roles()).filter((name) => name.startsWith('ocm-'))).toEqual([]);
    expect([...aws.entries.values()]).toEqual([]);
  });
});
