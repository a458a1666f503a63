import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { execCredential } from '@flotilla/driver-awsirsa/token';
import { createKubeClient, isConditionTrue, KubeError, realClock, staticAccess } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { deploy, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { account, arnOf, hubArn, hubName, region } from './account.ts';
import { type EmbeddedEksHub, startEmbeddedEksHub } from './embedded-eks-hub.ts';

const suffix = '7f8141296c75f2871e3d030f85c35692';
const roleOf = (name: string) => `arn:aws:iam::${account}:role/${name}`;
const role = roleOf(`ocm-hub-${suffix}`);

// The suites beside this one show more, with programs of Amazon and a real API server; this one needs nothing but Node.
describe('a cluster that registers by its role', () => {
  let eks: EmbeddedEksHub;
  let fleet: Fleet;
  let cluster: Cluster;
  let agent: Program;
  beforeAll(async () => {
    eks = await startEmbeddedEksHub();
    for (const [variable, value] of Object.entries(eks.env)) vi.stubEnv(variable, value);
    fleet = await startFleet(eks.server);
    fleet.startHub(['--enabled-registration-drivers=csr,awsirsa', `--hub-cluster-arn=${hubArn}`], { env: eks.env });
    cluster = await fleet.newCluster(await startServer('embedded'));
    await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
    agent = cluster.startAgent('managed', {
      app: 'singleton',
      flags: [
        '--registration-auth=awsirsa',
        `--hub-cluster-arn=${hubArn}`,
        `--managed-cluster-arn=${arnOf('managed-cluster1')}`,
      ],
      env: eks.env,
    });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await fleet?.[Symbol.asyncDispose]();
    await cluster?.server[Symbol.asyncDispose]();
  });

  /** Reads the cluster with a token of a role. */
  const readOwn = async (token: string) => {
    const access = { ...eks.server.access, authorization: `Bearer ${token}`, origin: 'a token of the test' };
    const client = createKubeClient({ access: staticAccess(access) });
    return client
      .resource(managedClusters)
      .get('managed')
      .finally(() => client.close());
  };
  const tokenOf = async (roleArn: string, clusterName = hubName): Promise<string> =>
    JSON.parse(await execCredential({ region, clusterName, roleArn }, realClock)).status.token;
  const unauthorized = expect.toSatisfy((error) => KubeError.is(error, 'Unauthorized'));

  it('[registration-agent 19.7-67, 68, 69] joins without a certificate request when an administrator accepts it', async () => {
    const isManaged = ({ metadata }: { metadata?: { name?: string } }) => metadata?.name === 'managed';
    const { metadata } = await fleet.admin.seen.until(managedClusters, 'the ManagedCluster', isManaged);
    expect(metadata?.annotations).toMatchObject({
      'agent.open-cluster-management.io/managed-cluster-arn': arnOf('managed-cluster1'),
      'agent.open-cluster-management.io/managed-cluster-iam-role-suffix': suffix,
    });
    expect(eks.aws.roles.size).toBe(0);
    await fleet.admin.accept('managed');
    await fleet.admin.joined('managed');
    expect(await fleet.admin.requests('managed')).toEqual([]);
    expect([...eks.aws.entries.values()]).toMatchObject([
      {
        clusterName: hubName,
        principalArn: role,
        username: 'managed',
        kubernetesGroups: ['open-cluster-management:managed'],
      },
    ]);
    const secret = (await cluster.identity()) ?? {};
    expect(Object.keys(secret)).not.toContain('tls.key');
    expect(parse(secret.kubeconfig ?? '').users[0].user.exec).toMatchObject({
      command: '/awscli/dist/aws',
      args: ['--region', region, 'eks', 'get-token', '--cluster-name', hubName, '--output', 'json', '--role', role],
    });
  });

  it('gets works over the connection of its role, and reports their status', async () => {
    const workload = { manifests: [configMap('by-role', { a: '1' })] };
    const work = { metadata: { namespace: 'managed', name: 'first' }, spec: { workload } };
    await fleet.hub.client.resource(manifestWorks).create(work);
    await fleet.admin.seen.until(
      manifestWorks,
      'the work to be applied',
      ({ metadata, status }) => metadata?.name === 'first' && isConditionTrue(status?.conditions, 'Applied'),
    );
    expect((await cluster.server.client.resource(configMaps).get('default/by-role')).data).toEqual({ a: '1' });
  });

  it('is known by tokens of its role for this hub, and by no others', async () => {
    expect((await readOwn(await tokenOf(role))).metadata?.name).toBe('managed');
    await expect(readOwn(await tokenOf(role, 'another'))).rejects.toEqual(unauthorized);
    const withoutEntry = { name: 'intruder', arn: roleOf('intruder'), trustPolicy: '', tags: {} };
    eks.aws.roles.set(withoutEntry.name, withoutEntry);
    await expect(readOwn(await tokenOf(withoutEntry.arn))).rejects.toEqual(unauthorized);
  });

  it('removes its works when it is deleted, and then has no role, no access entry and no access any more', async () => {
    const token = await tokenOf(role);
    await readOwn(token);
    await fleet.hub.client.resource(managedClusters).delete('managed');
    await fleet.admin.seen.gone(managedClusters, 'managed');
    expect(await cluster.server.client.resource(configMaps).find('default/by-role')).toBeUndefined();
    expect([...eks.aws.entries.values()]).toEqual([]);
    expect([...eks.aws.roles.values()].map(({ arn }) => arn)).not.toContain(role);
    await expect(readOwn(token)).rejects.toEqual(unauthorized);
    await expect(tokenOf(role)).rejects.toThrow('sts:AssumeRole');
    await agent.said('was removed from the hub');
  });
});
