import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { ensureBinaries } from '@flotilla/envtest';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openShell, type Shell } from '../cli/shell.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet } from '../cluster-proxy/proxy-fleet.ts';
import { userKubeconfig } from '../cluster-proxy/user-kubeconfig.ts';
import { startNodeCluster } from '../process-node/node-cluster.ts';
import { deploy } from '../registration/servers.ts';
import { arnOf, hubArn } from './account.ts';
import { type EksHub, startEksHub } from './eks-hub.ts';

const execute = promisify(execFile);
const patience = { timeout: 60_000, interval: 200 };
const name = 'by-role';

describe('a cluster that joined by its role', { timeout: 120_000 }, () => {
  let eks: EksHub;
  let fleet: ProxyFleet;
  let home: string;
  let shell: Shell;
  let kubectl: (...args: string[]) => Promise<string>;
  let isWrong = false;
  const cleanup = new AsyncDisposableStack();

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'flotilla-aws-reach-'));
    cleanup.defer(() => rm(home, { recursive: true, force: true }));
    shell = await openShell(home);
    eks = cleanup.use(await startEksHub({ externalServices: true }));
    fleet = cleanup.use(await startProxyFleet(eks.server));
    fleet.startHub(['--enabled-registration-drivers=csr,awsirsa', `--hub-cluster-arn=${hubArn}`], { env: eks.env });
    await fleet.startProxy();
    const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ClusterClaim');
    const node = cleanup.use(await startNodeCluster('embedded', { crds }));
    await deploy(node.server, 'agent', ['cluster-proxy/rbac.yaml']);
    await grant(node.server, 'alice', 'edit', 'alice');
    const cluster = await fleet.newCluster(node.server);
    const arns = [`--hub-cluster-arn=${hubArn}`, `--managed-cluster-arn=${arnOf('managed-cluster1')}`];
    cluster.startAgent(name, { flags: ['--registration-auth=awsirsa', ...arns, enabled], env: eks.env });
    await fleet.admin.seen.until(managedClusters, 'the cluster', ({ metadata }) => metadata?.name === name);
    await fleet.admin.accept(name);
    await fleet.admin.joined(name);
    await fleet.permit('alice', [name]);
    const alice = await userKubeconfig(fleet.hub, { name: 'alice', groups: [] }, home);
    const config = join(home, 'through-hub.yaml');
    const written = await shell.run(`flotilla get kubeconfig --cluster ${name} --kubeconfig ${alice} -o ${config}`);
    expect(written, written.err).toMatchObject({ code: 0 });
    const program = (await ensureBinaries()).path('kubectl');
    const env = { PATH: process.env.PATH, HOME: home };
    kubectl = async (...args) =>
      (await execute(program, ['--kubeconfig', config, ...args], { env, timeout: 60_000 })).stdout;
    await vi.waitFor(() => kubectl('get', 'pods'), patience);
  }, 600_000);
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet?.logs());
    await cleanup.disposeAsync();
  });

  it('has no certificate for the hub: its tunnel was opened with a token that STS confirmed', async () => {
    expect(await fleet.admin.requests(name)).toEqual([]);
    expect(eks.sts.answers).toContain('200');
  });

  it('runs pods for users of the hub, with logs and exec', async () => {
    await kubectl('create', 'deployment', 'web', '--image=web');
    expect(await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s')).toContain('successfully rolled out');
    await vi.waitFor(async () => expect(await kubectl('logs', 'deployment/web')).toBe('listening\n'), patience);
    expect(await kubectl('exec', 'deployment/web', '--', 'echo', 'hello')).toBe('hello\n');
    await expect(kubectl('get', 'nodes')).rejects.toThrow('User "alice" cannot list resource "nodes"');
  });

  it('cannot be reached once the hub does not accept it, and can when it does again', async () => {
    const alice = fleet.clientTo(name, { user: 'alice' });
    await fleet.admin.accept(name, false);
    const version = { method: 'GET', path: '/version', deadlineMs: 3000 } as const;
    await vi.waitFor(
      () => expect(alice.transport.request(version)).rejects.toThrow(`the hub has not accepted cluster ${name}`),
      patience,
    );
    await fleet.admin.accept(name);
    await vi.waitFor(() => alice.resource(configMaps).list({ namespace: 'default' }), patience);
  });
});
