import { readFile } from 'node:fs/promises';
import { type ManagedCluster, managedClusters, manifestWorks } from '@flotilla/api-types';
import { execCredential } from '@flotilla/driver-awsirsa/token';
import { createKubeClient, isConditionTrue, KubeError, realClock, staticAccess } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import { deploy, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { arnOf, hubArn, hubName } from './account.ts';
import { type EksHub, startEksHub } from './eks-hub.ts';

const hubFlags = [
  '--enabled-registration-drivers=csr,awsirsa',
  `--hub-cluster-arn=${hubArn}`,
  '--feature-gates=ManagedClusterAutoApproval=true',
  `--auto-approved-arn-patterns=${arnOf('auto-.*')}`,
  '--aws-resource-tags=team=platform',
];

describe('a hub that authenticates as EKS does', () => {
  let eks: EksHub;
  let fleet: Fleet;
  beforeAll(async () => {
    eks = await startEksHub();
    fleet = await startFleet(eks.server);
    fleet.startHub(hubFlags, { env: eks.env });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await fleet?.[Symbol.asyncDispose]();
    await eks?.[Symbol.asyncDispose]();
  });

  const agentFlags = (arn: string) => [
    '--registration-auth=awsirsa',
    `--hub-cluster-arn=${hubArn}`,
    `--managed-cluster-arn=${arn}`,
  ];
  const startAgent = (cluster: Cluster, name: string, arn: string) =>
    cluster.startAgent(name, { flags: agentFlags(arn), env: eks.env });
  const created = (name: string): Promise<ManagedCluster> =>
    fleet.admin.seen.until(managedClusters, `ManagedCluster ${name}`, ({ metadata }) => metadata?.name === name);
  const entriesOf = (name: string) => [...eks.aws.entries.values()].filter(({ username }) => username === name);

  it('[registration-agent 19.7-67, 68, 69] takes a cluster by its role, without a certificate request, when an administrator accepts it', async () => {
    const cluster = await fleet.newCluster();
    startAgent(cluster, 'managed', arnOf('managed-cluster1'));
    const { metadata } = await created('managed');
    const suffix = '7f8141296c75f2871e3d030f85c35692';
    expect(metadata?.annotations).toMatchObject({
      'agent.open-cluster-management.io/managed-cluster-arn': arnOf('managed-cluster1'),
      'agent.open-cluster-management.io/managed-cluster-iam-role-suffix': suffix,
    });
    await fleet.admin.accept('managed');
    await fleet.admin.joined('managed');
    expect(await fleet.admin.requests('managed')).toEqual([]);

    const role = `arn:aws:iam::123456789012:role/ocm-hub-${suffix}`;
    expect(entriesOf('managed')).toMatchObject([
      {
        clusterName: hubName,
        principalArn: role,
        kubernetesGroups: ['open-cluster-management:managed'],
        tags: { team: 'platform' },
      },
    ]);
    const secret = (await cluster.identity()) ?? {};
    expect(Object.keys(secret)).toEqual(expect.arrayContaining(['agent-name', 'cluster-name', 'kubeconfig']));
    expect(Object.keys(secret)).not.toContain('tls.key');
    expect(parse(secret.kubeconfig ?? '').users[0].user.exec).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: '/awscli/dist/aws',
      args: [
        '--region',
        'us-west-2',
        'eks',
        'get-token',
        '--cluster-name',
        hubName,
        '--output',
        'json',
        '--role',
        role,
      ],
      env: null,
      provideClusterInfo: false,
    });
    // The program that Amazon runs asked STS, and STS found the signature right.
    expect(eks.sts.answers).toContain('200');
  });

  it('refuses a token that was signed for another cluster, and takes one for itself', async () => {
    const [entry] = entriesOf('managed');
    const token = async (clusterName: string) => {
      for (const [variable, value] of Object.entries(eks.env)) vi.stubEnv(variable, value);
      const request = { region: 'us-west-2', clusterName, roleArn: entry?.principalArn };
      return JSON.parse(await execCredential(request, realClock)).status.token;
    };
    const readOwn = async (bearer: string) => {
      const { server, ca } = fleet.hub.access;
      const access = { server, ...(ca && { ca }), authorization: `Bearer ${bearer}`, origin: 'a token of the test' };
      const client = createKubeClient({ access: staticAccess(access) });
      return client
        .resource(managedClusters)
        .get('managed')
        .finally(() => client.close());
    };
    expect((await readOwn(await token(hubName))).metadata?.name).toBe('managed');
    await expect(readOwn(await token('another'))).rejects.toSatisfy((error) => KubeError.is(error, 'Unauthorized'));
    expect(eks.sts.answers).toContain('SignatureDoesNotMatch');
  });

  it('[registration-hub 19.2-27, 28, 29] [registration-agent 19.7-70] accepts by a pattern of ARNs, and only then', async () => {
    const [one, two] = [await fleet.newCluster(), await fleet.newCluster()];
    startAgent(two, 'elsewhere', arnOf('auto-2', 'us-west-1'));
    startAgent(one, 'auto', arnOf('auto-1'));
    await fleet.admin.joined('auto');
    const { spec } = await created('elsewhere');
    expect(spec?.hubAcceptsClient ?? false).toBe(false);
    expect(await two.identity()).not.toHaveProperty('kubeconfig');
  });

  it('gives works to a cluster over the connection of its role, and gets their status', async () => {
    const cluster = await fleet.newCluster(await startServer('embedded'));
    await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
    cluster.startAgent('auto-works', { app: 'singleton', flags: agentFlags(arnOf('auto-4')), env: eks.env });
    await fleet.admin.joined('auto-works');
    const workload = { manifests: [configMap('by-role', { a: '1' })] };
    const work = { metadata: { namespace: 'auto-works', name: 'first' }, spec: { workload } };
    await fleet.hub.client.resource(manifestWorks).create(work);
    await fleet.admin.seen.until(
      manifestWorks,
      'the work to be applied',
      ({ metadata, status }) => metadata?.name === 'first' && isConditionTrue(status?.conditions, 'Applied'),
    );
    expect((await cluster.server.client.resource(configMaps).get('default/by-role')).data).toEqual({ a: '1' });
  });

  it('takes role and entry away when a cluster is denied, and gives them back when it is accepted again', async () => {
    await fleet.admin.accept('managed', false);
    await expect.poll(() => entriesOf('managed'), { timeout: 30_000 }).toEqual([]);
    await expect.poll(() => eks.aws.roles()).not.toContain('ocm-hub-7f8141296c75f2871e3d030f85c35692');
    await fleet.admin.accept('managed');
    await expect.poll(() => entriesOf('managed').length, { timeout: 30_000 }).toBe(1);
    await fleet.admin.joined('managed');
  });

  it('says in a condition which permission the hub lacks, and goes on when it has it', async () => {
    eks.aws.disturb('iam:CreateRole', { status: 403, code: 'AccessDenied' });
    const cluster = await fleet.newCluster();
    startAgent(cluster, 'auto-late', arnOf('auto-3'));
    await fleet.admin.seen.until(
      managedClusters,
      'a condition with the permission',
      ({ metadata, status }) =>
        metadata?.name === 'auto-late' &&
        (status?.conditions ?? []).some(({ message }) => message.includes('Allow iam:CreateRole on ')),
    );
    eks.aws.disturb('iam:CreateRole');
    await fleet.admin.joined('auto-late');
  });

  it('removes role and entry with the cluster, and leaves those of others', async () => {
    await fleet.hub.client.resource(managedClusters).delete('auto');
    await fleet.admin.seen.gone(managedClusters, 'auto');
    expect(entriesOf('auto')).toEqual([]);
    expect(entriesOf('managed')).toHaveLength(1);
    expect((await eks.aws.roles()).filter((name) => name.startsWith('ocm-hub-'))).toHaveLength(3);
    // The README's table has every action that AWS saw, and the driver needs no other.
    const table = await readFile(new URL('../../packages/driver-awsirsa/README.md', import.meta.url), 'utf8');
    for (const action of new Set(eks.aws.calls)) expect(table).toContain(`| \`${action}\` |`);
    const namespace = await fleet.hub.client.resource(namespaces).find('auto');
    expect(namespace?.metadata?.annotations ?? {}).not.toHaveProperty(
      'open-cluster-management.io/accepted-iam-role-suffix',
    );
  });
});
