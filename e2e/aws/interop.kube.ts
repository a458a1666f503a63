import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { execCredential, parseTokenRequest } from '@flotilla/driver-awsirsa/token';
import { findFreePort } from '@flotilla/envtest';
import { createKubeClient, realClock, staticAccess } from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { serveAddOnVersions } from '../interop/addon-versions.ts';
import { ocmPrograms } from '../ocm/programs.ts';
import { type Fleet, startFleet } from '../registration/fleet.ts';
import { type Program, startExecutable } from '../registration/program.ts';
import type { Server } from '../registration/servers.ts';
import { account, arnOf, hubArn } from './account.ts';
import { type EksHub, startEksHub } from './eks-hub.ts';

const longPoll = { timeout: 60_000 };
const hubFlags = [
  '--enabled-registration-drivers=csr,awsirsa',
  `--hub-cluster-arn=${hubArn}`,
  '--aws-resource-tags=team=platform',
];
/** The suffix of acceptance case 67. */
const suffix = '7f8141296c75f2871e3d030f85c35692';
const name = 'managed';
const managedArn = arnOf('managed-cluster1');
const agentFlags = [
  '--registration-auth=awsirsa',
  `--hub-cluster-arn=${hubArn}`,
  `--managed-cluster-arn=${managedArn}`,
];

describe('awsirsa with programs of Open Cluster Management', { timeout: 180_000 }, () => {
  let eks: EksHub;
  let fleet: Fleet;
  let directory: string;
  let addOns: Awaited<ReturnType<typeof serveAddOnVersions>>;
  const started: Program[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-aws-interop-'));
    addOns = await serveAddOnVersions();
    eks = await startEksHub({ crds: addOns.crds });
    fleet = await startFleet(eks.server);
  });
  afterAll(async () => {
    await Promise.all(started.map((program) => program.end('SIGKILL')));
    await fleet?.[Symbol.asyncDispose]();
    await eks?.[Symbol.asyncDispose]();
    await addOns?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /**
   * Starts OCM's program for registration as an administrator of a server. The SDK of Go takes the address of AWS from the same variable.
   * OCM's hub asks its credentials for their account, which those of a role name, and static ones from this variable.
   */
  const startOcm = async (server: Server, args: readonly string[]): Promise<Program> => {
    const kubeconfig = join(await mkdtemp(join(directory, 'administrator-')), 'kubeconfig');
    await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
    const serving = `--listen=127.0.0.1:${await findFreePort()}`;
    const { registration } = await ocmPrograms();
    const common = [`--kubeconfig=${kubeconfig}`, '--disable-leader-election', serving];
    const program = startExecutable(registration, [...args, ...common], {
      env: { ...eks.env, AWS_ACCOUNT_ID: account },
    });
    started.push(program);
    return program;
  };
  const declared = ({ metadata }: ManagedCluster) =>
    Object.fromEntries(Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.includes('managed-cluster-')));
  const created = () =>
    fleet.admin.seen.until(managedClusters, `ManagedCluster ${name}`, ({ metadata }) => metadata?.name === name);
  const entries = () => [...eks.aws.entries.values()];
  /** All that AWS has for the cluster. */
  const inAws = async () => {
    const role = await eks.aws.iam({ Action: 'GetRole', RoleName: `ocm-hub-${suffix}` });
    const text = (element: string) => new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(role)?.[1] ?? '';
    const { accessEntryArn: _, ...entry } = entries()[0] ?? {};
    return {
      name: text('RoleName'),
      path: text('Path'),
      trustPolicy: JSON.parse(decodeURIComponent(text('AssumeRolePolicyDocument')).replaceAll('&quot;', '"')),
      tags: text('Tags').replaceAll(/\s+/g, ''),
      entry,
    };
  };
  const removeCluster = async () => {
    await fleet.hub.client.resource(managedClusters).delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
  };

  /** What the hub of OCM made, and what our agent stored, for the comparisons after it. */
  const ofOcm: { aws?: Awaited<ReturnType<typeof inAws>> } = {};
  const ours: { kubeconfig?: string; annotations?: Record<string, string>; secretKeys?: string[] } = {};

  it('[registration-agent 19.7-67] our agent joins a hub of OCM, which removes role and entry with the cluster', async () => {
    const hub = await startOcm(eks.server, ['controller', '--namespace=open-cluster-management-hub', ...hubFlags]);
    const cluster = await fleet.newCluster();
    const agent = cluster.startAgent(name, { flags: agentFlags, env: eks.env });
    ours.annotations = declared(await created());
    await fleet.admin.accept(name);
    await fleet.admin.joined(name);
    ofOcm.aws = await inAws();
    const secret = (await cluster.identity()) ?? {};
    ours.kubeconfig = secret.kubeconfig ?? '';
    ours.secretKeys = Object.keys(secret).sort();
    await agent.end();
    await removeCluster();
    await expect.poll(() => eks.aws.roles(), longPoll).not.toContain(`ocm-hub-${suffix}`);
    await expect.poll(entries, longPoll).toEqual([]);
    await hub.end('SIGKILL');
  });

  it('our hub makes the same role, trust policy, tags and access entry as a hub of OCM', async () => {
    fleet.startHub(hubFlags, { env: eks.env });
    const cluster = await fleet.newCluster();
    const agent = cluster.startAgent(name, { flags: agentFlags, env: eks.env });
    await created();
    await fleet.admin.accept(name);
    await fleet.admin.joined(name);
    expect(await inAws()).toEqual(ofOcm.aws);
    await agent.end();
    await removeCluster();
    expect(entries()).toEqual([]);
  });

  it('[registration-agent 19.7-68, 69] an agent of OCM declares and stores the same as ours at our hub, and its command opens the hub', async () => {
    const cluster = await fleet.newCluster();
    const flags = [
      `--managed-cluster-role-suffix=${suffix}`,
      `--hub-kubeconfig-dir=${join(directory, 'hub-kubeconfig')}`,
    ];
    await startOcm(cluster.server, [
      'agent',
      `--spoke-cluster-name=${name}`,
      '--namespace=open-cluster-management-agent',
      `--bootstrap-kubeconfig=${cluster.bootstrapFile}`,
      ...agentFlags,
      ...flags,
    ]);
    expect(declared(await created())).toEqual(ours.annotations);
    await fleet.admin.accept(name);
    await expect.poll(() => cluster.identity(), longPoll).toHaveProperty('kubeconfig');
    const secret = (await cluster.identity()) ?? {};
    // Ours also remembers that it has joined, and by which auth type.
    expect([...Object.keys(secret), 'join-record', 'registration-auth'].sort()).toEqual(ours.secretKeys);
    const theirs = parse(secret.kubeconfig ?? '');
    expect(theirs.users[0].user).toEqual(parse(ours.kubeconfig ?? '').users[0].user);
    expect(theirs.clusters[0].cluster).toEqual(parse(ours.kubeconfig ?? '').clusters[0].cluster);
    await expect.poll(entries, longPoll).toHaveLength(1);

    // The command is a file of OCM's image. Ours takes the same arguments.
    for (const [variable, value] of Object.entries(eks.env)) vi.stubEnv(variable, value);
    const request = parseTokenRequest(theirs.users[0].user.exec.args, {});
    const { token } = JSON.parse(await execCredential(request, realClock)).status;
    vi.unstubAllEnvs();
    const { server, ca } = fleet.hub.access;
    const access = { server, ...(ca && { ca }), authorization: `Bearer ${token}`, origin: 'the command of OCM' };
    const client = createKubeClient({ access: staticAccess(access) });
    await expect.poll(() => client.resource(managedClusters).get(name), longPoll).toHaveProperty('metadata.name', name);
    await client.close();
  });
});
