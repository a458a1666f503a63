import { managedClusters } from '@flotilla/api-types';
import { findCondition, isConditionTrue } from '@flotilla/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { arnOf, hubArn } from './account.ts';
import { type EksHub, startEksHub } from './eks-hub.ts';

const available = 'ManagedClusterConditionAvailable';

describe('clusters on EKS in the course of time', { timeout: 180_000 }, () => {
  let eks: EksHub;
  let fleet: Fleet;
  beforeAll(async () => {
    eks = await startEksHub();
    fleet = await startFleet(eks.server);
    fleet.startHub(['--enabled-registration-drivers=csr,awsirsa', `--hub-cluster-arn=${hubArn}`], { env: eks.env });
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await eks?.[Symbol.asyncDispose]();
  });

  const clusters = () => fleet.hub.client.resource(managedClusters);
  const startAgent = (cluster: Cluster, name: string, { arn = arnOf(name), hub = hubArn } = {}): Program =>
    cluster.startAgent(name, {
      flags: ['--registration-auth=awsirsa', `--hub-cluster-arn=${hub}`, `--managed-cluster-arn=${arn}`],
      env: eks.env,
    });
  const entriesOf = (name: string) => [...eks.aws.entries.values()].filter(({ username }) => username === name);
  const asked = (name: string) =>
    fleet.admin.seen.until(managedClusters, `ManagedCluster ${name}`, ({ metadata }) => metadata?.name === name);
  /** Accepts a cluster with a heartbeat each second, so that its loss is seen soon. */
  const accept = async (name: string) => {
    await asked(name);
    await clusters().patch(name, {
      type: 'merge',
      body: { spec: { leaseDurationSeconds: 1, hubAcceptsClient: true } },
    });
    await fleet.admin.joined(name);
  };
  /** A cluster that has joined by its role. */
  const join = async (name: string) => {
    const cluster = await fleet.newCluster();
    const agent = startAgent(cluster, name);
    await accept(name);
    return { cluster, agent };
  };

  it('join beside clusters with certificates, and each keeps to its own way', async () => {
    const certified = await fleet.newCluster();
    certified.startAgent('by-certificate');
    const { cluster } = await join('by-role');
    await fleet.admin.admit('by-certificate');
    await fleet.admin.joined('by-certificate');
    expect(entriesOf('by-certificate')).toEqual([]);
    expect(await fleet.admin.requests('by-role')).toEqual([]);
    expect(await certified.identity()).toHaveProperty('tls.crt');
    expect(await cluster.identity()).not.toHaveProperty('tls.crt');
  });

  it('[registration-hub 19.1-18] are refused with another hub than this one, and join when it is corrected', async () => {
    const cluster = await fleet.newCluster();
    const elsewhere = startAgent(cluster, 'astray', { hub: arnOf('another-hub') });
    await asked('astray');
    await fleet.admin.accept('astray');
    await fleet.admin.seen.until(managedClusters, 'a condition about the hub', ({ metadata, status }) => {
      const { message = '' } = findCondition(status?.conditions, 'awsirsa/PermissionsReady') ?? {};
      return metadata?.name === 'astray' && message.includes('is different from the current hub cluster');
    });
    expect(entriesOf('astray')).toEqual([]);
    await elsewhere.end();
    // Without credentials an agent cannot change what it declared.
    await clusters().delete('astray');
    await fleet.admin.seen.gone(managedClusters, 'astray');
    startAgent(cluster, 'astray');
    await accept('astray');
    expect(entriesOf('astray')).toHaveLength(1);
  });

  it('join again after they were removed, with a new role', async () => {
    const { cluster, agent } = await join('twice');
    const [first] = entriesOf('twice');
    await clusters().delete('twice');
    await fleet.admin.seen.gone(managedClusters, 'twice');
    expect(entriesOf('twice')).toEqual([]);
    await agent.end();
    await cluster.forgetIdentity();
    startAgent(cluster, 'twice');
    await accept('twice');
    expect(entriesOf('twice')).toMatchObject([{ principalArn: first?.principalArn }]);
  });

  it('get their role back when somebody deletes it, and report again', async () => {
    await join('robbed');
    const [entry] = entriesOf('robbed');
    const role = entry?.principalArn.split('/')[1] ?? '';
    await eks.aws.iam({ Action: 'DeleteRole', RoleName: role });
    eks.aws.revokeSessions();
    await fleet.admin.condition('robbed', available, 'Unknown');
    await expect.poll(() => eks.aws.roles(), { timeout: 60_000 }).toContain(role);
    await fleet.admin.condition('robbed', available, 'True');
  });

  it('go on with new tokens when the hub takes each for some seconds only', async () => {
    await join('hasty');
    using record = await fleet.admin.seen.record(managedClusters, ({ metadata }) => metadata?.name === 'hasty');
    const sessions = eks.aws.issued.length;
    eks.sts.setSignatureLifetime(3_000);
    try {
      await expect.poll(() => eks.aws.issued.length, { timeout: 60_000 }).toBeGreaterThan(sessions + 2);
      expect(eks.sts.answers).toContain('ExpiredToken');
    } finally {
      eks.sts.setSignatureLifetime(15 * 60_000);
    }
    await fleet.admin.condition('hasty', available, 'True');
    const lost = record.changes.filter(({ object }) => !isConditionTrue(object.status?.conditions, available));
    expect(lost).toEqual([]);
  });

  it('turn Unknown when their credentials are revoked, and the agent says which permission it lacks, until it has it', async () => {
    const { agent } = await join('revoked');
    eks.aws.disturb('sts:AssumeRole', { status: 403, code: 'AccessDenied' });
    try {
      eks.aws.revokeSessions();
      await fleet.admin.condition('revoked', available, 'Unknown');
      await agent.said('Allow sts:AssumeRole on arn:aws:iam::123456789012:role/ocm-hub-');
      const { url } = await agent.said('serving health and metrics');
      expect(await (await fetch(`${url}/readyz?verbose`)).text()).toContain('sts:AssumeRole');
    } finally {
      eks.aws.disturb('sts:AssumeRole');
    }
    await fleet.admin.condition('revoked', available, 'True');
  });
});
