import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { ensureBinaries } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openShell, type Shell } from '../cli/shell.ts';
import { type NodeCluster, startNodeCluster } from '../process-node/node-cluster.ts';
import type { Program } from '../registration/program.ts';
import { deploy, type ServerKind } from '../registration/servers.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from './proxy-fleet.ts';
import { userKubeconfig } from './user-kubeconfig.ts';

const execute = promisify(execFile);
const patience = { timeout: 60_000, interval: 200 };
const clusters = ['csr', 'grpc', 'pushed'] as const;
type ClusterName = (typeof clusters)[number];

/** What kubectl speaks: WebSockets as it does by default, or SPDY as it did before. */
const protocols = {
  WebSocket: {},
  SPDY: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' },
} as const;
type Protocol = keyof typeof protocols;
const ways = clusters.flatMap((cluster) => (['WebSocket', 'SPDY'] as const).map((protocol) => ({ cluster, protocol })));

// kubectl comes with the binaries of Kubernetes, so both planes are tried where those are.
describe.each<ServerKind>(['embedded', 'kube-apiserver'])(
  'kubectl and the pods of clusters behind a hub on %s',
  { timeout: 120_000 },
  (kind) => {
    let fleet: ProxyFleet;
    let proxy: Program;
    let home: string;
    let shell: Shell;
    let program: string;
    let isWrong = false;
    const cleanup = new AsyncDisposableStack();

    const environment = (protocol: Protocol) => ({ PATH: process.env.PATH, HOME: home, ...protocols[protocol] });
    const configOf = (cluster: ClusterName) => join(home, `${cluster}-through-hub.yaml`);
    const run = async (cluster: ClusterName, protocol: Protocol, ...args: string[]) => {
      const options = { env: environment(protocol), timeout: 60_000, maxBuffer: 2 ** 26 };
      return (await execute(program, ['--kubeconfig', configOf(cluster), ...args], options)).stdout;
    };
    const kubectl = (cluster: ClusterName, ...args: string[]) => run(cluster, 'WebSocket', ...args);

    const startNode = async (on: ServerKind): Promise<NodeCluster> => {
      const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ClusterClaim');
      const cluster = cleanup.use(await startNodeCluster(on, { crds }));
      await grant(cluster.server, 'alice', 'cluster-admin', 'alice');
      return cluster;
    };
    const joinPushed = async (hub: string, { server }: NodeCluster) => {
      const kubeconfig = join(home, 'member.yaml');
      await writeKubeconfig(kubeconfig, kubeconfigFor(server.access));
      const flags = `--push --cluster-kubeconfig ${kubeconfig} --feature-gates ClusterProxy=true`;
      const joined = await shell.run(`flotilla join pushed --kubeconfig ${hub} ${flags}`);
      expect(joined, joined.err).toMatchObject({ code: 0 });
    };

    beforeAll(async () => {
      program = (await ensureBinaries()).path('kubectl');
      home = await mkdtemp(join(tmpdir(), 'flotilla-kubectl-'));
      cleanup.defer(() => rm(home, { recursive: true, force: true }));
      shell = await openShell(home);
      fleet = cleanup.use(await startProxyFleet(await startProxyServer(kind)));
      fleet.startGrpcHub();
      await fleet.startGrpcServer();
      proxy = await fleet.startProxy();
      // One real member is enough to see that both kinds of servers can be behind the hub.
      const [csr, grpc, pushed] = await Promise.all([startNode(kind), startNode('embedded'), startNode('embedded')]);
      for (const { server } of [csr, grpc]) await deploy(server, 'agent', ['cluster-proxy/rbac.yaml']);
      (await fleet.newCluster(csr.server)).startAgent('csr', { flags: [enabled] });
      (await fleet.newGrpcCluster(grpc.server)).startGrpcAgent('grpc', { flags: [enabled] });
      const admin = join(home, 'hub.yaml');
      await writeKubeconfig(admin, kubeconfigFor(fleet.hub.access));
      await joinPushed(admin, pushed);
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.admit(name)));
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.joined(name)));
      await fleet.permit('alice', clusters);
      const alice = await userKubeconfig(fleet.hub, { name: 'alice', groups: [] }, home);
      for (const cluster of clusters) {
        const command = `flotilla get kubeconfig --cluster ${cluster} --kubeconfig ${alice} -o ${configOf(cluster)}`;
        const written = await shell.run(command);
        expect(written, written.err).toMatchObject({ code: 0 });
        await vi.waitFor(() => kubectl(cluster, 'get', 'nodes'), patience);
      }
    }, 240_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(fleet?.logs());
      await cleanup.disposeAsync();
    });

    it.each(clusters)('create, rollout status, logs and logs -f, of the cluster by %s', async (cluster) => {
      await kubectl(cluster, 'create', 'deployment', 'web', '--image=web', '--port=8080');
      expect(await kubectl(cluster, 'rollout', 'status', 'deployment/web', '--timeout=60s')).toContain('successfully');
      const logs = () => kubectl(cluster, 'logs', 'deployment/web');
      await vi.waitFor(async () => expect(await logs()).toBe('listening\n'), patience);
      const script = 'for i in 1 2 3; do echo line $i; sleep 0.3; done';
      await kubectl(cluster, 'run', 'talker', '--image=shell', '--restart=Never', '--', script);
      await vi.waitFor(async () => expect(await kubectl(cluster, 'logs', 'talker')).toContain('line 1'), patience);
      expect(await kubectl(cluster, 'logs', '-f', 'talker')).toBe('line 1\nline 2\nline 3\n');
    });

    it.each(ways)('exec by $protocol, of the cluster by $cluster', async ({ cluster, protocol }) => {
      const exec = (...command: string[]) => run(cluster, protocol, 'exec', 'deployment/web', '--', ...command);
      const file = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
      expect(await exec('cat', file)).toBe('default');
      const failed = exec('sh', '-c', 'echo oh no >&2; exit 5');
      await expect(failed).rejects.toMatchObject({ code: 5, stderr: expect.stringContaining('oh no') });
      // More than fits into the windows and buffers on the way.
      const large = await exec('sh', '-c', 'head -c 8000000 /dev/zero | tr "\\0" x');
      expect(large).toHaveLength(8_000_000);
    });

    it.each(ways)('exec -i by $protocol gets what it is given, of the cluster by $cluster', async (way) => {
      const { cluster, protocol } = way;
      const given = join(home, 'given');
      await writeFile(given, randomBytes(1_500_000).toString('hex'));
      const line = `${program} --kubeconfig ${configOf(cluster)} exec -i deployment/web -- sha256sum < ${given}`;
      const [sent, received] = await Promise.all([
        execute('sha256sum', [given]),
        execute('sh', ['-c', line], { env: environment(protocol), timeout: 60_000 }),
      ]);
      expect(received.stdout.split(' ')[0]).toBe(sent.stdout.split(' ')[0]);
    });

    /** Runs port-forward to the pod of `web`, and gives the port on this machine. */
    const forwarding = async (protocol: Protocol, ...flags: string[]) => {
      const args = [...flags, 'port-forward', 'deployment/web', ':8080'];
      const child = spawn(program, args, { env: environment(protocol), stdio: ['ignore', 'pipe', 'ignore'] });
      let port: string | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        port = /127\.0\.0\.1:(\d+) /.exec(line)?.[1];
        if (port !== undefined) break;
      }
      return {
        ask: async (path: string) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status,
        [Symbol.dispose]: () => void child.kill(),
      };
    };

    it.each(ways)('port-forward by $protocol, of the cluster by $cluster', async ({ cluster, protocol }) => {
      using forwarded = await forwarding(protocol, '--kubeconfig', configOf(cluster));
      const paths = ['1', '2', '3'].map((path) => `${protocol}-${path}`);
      expect(await Promise.all(paths.map(forwarded.ask))).toEqual([200, 200, 200]);
      expect(await kubectl(cluster, 'logs', 'deployment/web')).toContain(`asked for /${protocol}-3`);
    });

    it.each(['WebSocket', 'SPDY'] as const)(
      'port-forward by %s through `flotilla proxy`, until Ctrl-C',
      async (way) => {
        await using proxying = shell.start(
          `flotilla proxy --cluster csr --port 0 --kubeconfig ${join(home, 'alice.yaml')}`,
        );
        const address = () => /http:\S+/.exec(proxying.said)?.[0] ?? '';
        await vi.waitFor(() => expect(address()).not.toBe(''), patience);
        const exec = execute(program, ['--server', address(), 'exec', 'deployment/web', '--', 'true'], {
          env: environment(way),
        });
        await expect(exec).rejects.toThrow('Use `flotilla proxy kubectl`');
        using forwarded = await forwarding(way, '--server', address());
        expect(await forwarded.ask('through-flotilla-proxy')).toBe(200);
        proxying.interrupt();
        await proxying.ended;
        await expect(forwarded.ask('after-its-end')).rejects.toThrow('fetch failed');
      },
    );

    it.each(clusters)('`flotilla proxy kubectl` ends as kubectl does, of the cluster by %s', async (cluster) => {
      const flags = `--cluster ${cluster} --kubeconfig ${join(home, 'alice.yaml')}`;
      const through = (line: string) => shell.run(`env KUBECTL=${program} flotilla proxy kubectl ${flags} -- ${line}`);
      expect(await through('exec deployment/web -- echo hello')).toMatchObject({ code: 0, out: 'hello\n' });
      expect(await through("exec deployment/web -- sh -c 'exit 7'")).toMatchObject({ code: 7 });
    });

    it.each(ways)('a line of audit has each stream by $protocol, of $cluster', async ({ cluster, protocol }) => {
      const spoken = `"protocol":"${protocol === 'SPDY' ? 'SPDY/3.1' : 'websocket'}"`;
      for (const stream of ['/exec"', '/portforward"']) {
        const line = await proxy.said('request of a user to a cluster', stream, `"cluster":"${cluster}"`, spoken);
        expect(line).toMatchObject({
          audit: 'cluster-proxy',
          user: 'alice',
          code: 101,
          durationMs: expect.any(Number),
        });
        // The command is in the query, which is left out.
        expect(JSON.stringify(line)).not.toContain('command=');
      }
    });

    it.each(['csr', 'pushed'] as const)('a shell ends when the hub denies its cluster, %s', async (cluster) => {
      const args = [
        '--kubeconfig',
        configOf(cluster),
        'exec',
        'deployment/web',
        '--',
        'sh',
        '-c',
        'echo open; sleep 600',
      ];
      const child = spawn(program, args, { env: environment('WebSocket'), stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(child, 'exit');
      try {
        await once(createInterface({ input: child.stdout }), 'line');
        const body = { spec: { hubAcceptsClient: false } };
        await fleet.hub.client.resource(managedClusters).patch(cluster, { type: 'merge', body });
        expect((await ended)[0]).not.toBe(0);
      } finally {
        child.kill();
      }
    });
  },
);
