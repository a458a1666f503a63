import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/envtest';
import { clusterRoleBindings, createToken, serviceAccounts } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleOf, startFile } from './program.ts';
import { statusOf } from './scrape.ts';
import { deploy, kubeconfigOf, type Server, serverKinds, startServer } from './servers.ts';

const hubNamespace = 'open-cluster-management-hub';
const agentNamespace = 'open-cluster-management-agent';
const everywhere = '--listen=0.0.0.0:0';

/** Each program, with the service account of its manifest. */
const programs = {
  'the controllers of the hub': {
    app: 'hub',
    account: `${hubNamespace}/registration-controller-sa`,
    args: ['controller'],
  },
  'the webhook server': { app: 'hub', account: `${hubNamespace}/registration-webhook-sa`, args: ['webhook-server'] },
  'the registration agent': {
    app: 'agent',
    account: `${agentNamespace}/klusterlet-registration-sa`,
    args: ['registration', '--spoke-cluster-name=c1'],
  },
  'the work agent': {
    app: 'agent',
    account: `${agentNamespace}/klusterlet-work-sa`,
    args: ['work', '--spoke-cluster-name=c1'],
  },
  'the whole agent': {
    app: 'singleton',
    account: `${agentNamespace}/klusterlet-work-sa`,
    args: ['--spoke-cluster-name=c1'],
  },
};

describe.each(serverKinds)('on %s, beyond loopback', (kind) => {
  let server: Server;
  let directory: string;
  let powerless: string;
  let reader: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-metrics-'));
    server = await startServer(kind);
    await deploy(server, 'hub', ['namespace.yaml', 'controller-rbac.yaml', 'webhook-rbac.yaml', 'metrics-reader.yaml']);
    await deploy(server, 'agent', ['namespace.yaml', 'rbac.yaml', 'work-rbac.yaml']);
    await deploy(server, 'singleton', ['rbac.yaml']);
    for (const name of ['powerless', 'prometheus']) {
      await server.client.resource(serviceAccounts).create({ metadata: { namespace: 'default', name } });
    }
    await server.client.resource(clusterRoleBindings).create({
      metadata: { name: 'prometheus' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'open-cluster-management:metrics-reader',
      },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'prometheus' }],
    });
    const tokenOf = async (account: string) =>
      (await createToken(server.client, account, { expirationSeconds: 3600 })).token;
    [powerless, reader] = [await tokenOf('default/powerless'), await tokenOf('default/prometheus')];
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /** Starts a program as its manifest does, and gives where its metrics are. */
  async function start({ app, account, args }: (typeof programs)[keyof typeof programs]) {
    const namespace = account.split('/')[0];
    const kubeconfig = await kubeconfigOf(server, account, directory);
    const metricsPort = await findFreePort();
    const flags: Readonly<Record<string, readonly string[]>> = {
      controller: [everywhere],
      'webhook-server': [`--metrics-port=${metricsPort}`, '--health-probe-port=0', '--port=0'],
      work: [everywhere, '--hub-kubeconfig=/nowhere'],
    };
    const own = flags[args[0] ?? ''] ?? [everywhere, `--bootstrap-kubeconfig=${kubeconfig}`];
    const alone = args[0] === 'webhook-server' ? [] : ['--disable-leader-election'];
    const program = startFile(bundleOf(app), [
      ...args,
      ...own,
      ...alone,
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${namespace}`,
    ]);
    if (args[0] === 'webhook-server') return { program, url: `https://127.0.0.1:${metricsPort}` };
    const { url } = await program.said('serving health and metrics');
    return { program, url: String(url).replace('0.0.0.0', '127.0.0.1') };
  }

  it.each(Object.entries(programs))(
    '%s gives its metrics to whom the API server lets read them',
    async (_, definition) => {
      const { program, url } = await start(definition);
      await using _running = program;
      // A moment may pass before it listens, and before it knows whom to ask.
      await expect.poll(() => statusOf(`${url}/metrics`).catch(String), { timeout: 30_000 }).toBe(401);
      expect(await statusOf(`${url}/metrics`, 'forged')).toBe(401);
      expect(await statusOf(`${url}/metrics`, powerless)).toBe(403);
      expect(await statusOf(`${url}/metrics`, reader)).toBe(200);
      if (definition.args[0] !== 'webhook-server') expect(await statusOf(`${url}/livez`)).toBe(200);
    },
  );

  it('gives a heap snapshot of a program to this host', async () => {
    const kubeconfig = await kubeconfigOf(server, programs['the registration agent'].account, directory);
    const args = ['registration', '--spoke-cluster-name=c1', '--disable-leader-election', '--profiling'];
    const connections = [`--bootstrap-kubeconfig=${kubeconfig}`, `--kubeconfig=${kubeconfig}`];
    await using program = startFile(bundleOf('agent'), [...args, ...connections, '--listen=127.0.0.1:0']);
    const { url } = await program.said('serving health and metrics');
    const response = await fetch(`${String(url)}/debug/profile/heap`);
    expect(response.headers.get('content-disposition')).toContain('process.heapsnapshot');
    const snapshot = (await response.json()) as { snapshot: { node_count: number } };
    expect(snapshot.snapshot.node_count).toBeGreaterThan(10_000);
  });
});
