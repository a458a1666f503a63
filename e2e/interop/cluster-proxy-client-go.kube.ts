import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openShell } from '../cli/shell.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from '../cluster-proxy/proxy-fleet.ts';
import { userKubeconfig } from '../cluster-proxy/user-kubeconfig.ts';
import { buildChecks, type CheckReport, runChecks } from '../control-plane/client-go/program.ts';
import { deploy, startServer } from '../registration/servers.ts';

const clusters = ['csr', 'grpc', 'pushed'];
const patience = { timeout: 60_000, interval: 200 };
const reports = new Map<string, CheckReport>();
const cleanup = new AsyncDisposableStack();
let fleet: ProxyFleet;

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'flotilla-client-go-'));
  cleanup.defer(() => rm(home, { recursive: true, force: true }));
  const [program, hub, shell] = await Promise.all([buildChecks(), startProxyServer('kube-apiserver'), openShell(home)]);
  fleet = cleanup.use(await startProxyFleet(hub));
  fleet.startGrpcHub();
  await fleet.startGrpcServer();
  let proxy = await fleet.startProxy();
  const [csr, grpc] = [await fleet.newCluster(), await fleet.newGrpcCluster()];
  const pushed = cleanup.use(await startServer('embedded', { crds: [] }));
  const servers = [csr.server, grpc.server, pushed];
  // The checks are those of an administrator of the cluster, who is a user like any other on the hub.
  for (const server of servers) await grant(server, 'alice', 'cluster-admin', 'alice');
  for (const { server } of [csr, grpc]) await deploy(server, 'agent', ['cluster-proxy/rbac.yaml']);
  csr.startAgent('csr', { flags: [enabled] });
  grpc.startGrpcAgent('grpc', { flags: [enabled] });
  const [admin, member] = [join(home, 'hub.yaml'), join(home, 'member.yaml')];
  await writeKubeconfig(admin, kubeconfigFor(hub.access));
  await writeKubeconfig(member, kubeconfigFor(pushed.access));
  const push = `--push --cluster-kubeconfig ${member} --feature-gates ClusterProxy=true`;
  const joined = await shell.run(`flotilla join pushed --kubeconfig ${admin} ${push}`);
  expect(joined, joined.err).toMatchObject({ code: 0 });
  await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.admit(name)));
  await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.joined(name)));
  await fleet.permit('alice', clusters);
  const alice = await userKubeconfig(hub, { name: 'alice', groups: [] }, home);
  for (const cluster of clusters) {
    const kubeconfigPath = join(home, `${cluster}-through-hub.yaml`);
    const command = `flotilla get kubeconfig --cluster ${cluster} --kubeconfig ${alice} -o ${kubeconfigPath}`;
    expect(await shell.run(command)).toMatchObject({ code: 0 });
    const { transport } = fleet.clientTo(cluster, { user: 'alice' });
    const reached = () => vi.waitFor(() => transport.request({ method: 'GET', path: '/version' }), patience);
    await reached();
    const report = await runChecks(program, {
      kubeconfigPath,
      leaseSeconds: 12,
      async restart() {
        await proxy.end('SIGKILL');
        proxy = await fleet.startProxy();
        await reached();
      },
    });
    reports.set(cluster, report);
  }
}, 1_200_000);
afterAll(() => cleanup.disposeAsync());

/** Credentials of a cluster are none of the hub, which is who authenticates here. */
const refused: Readonly<Record<string, RegExp>> = {
  'an administrator acts as somebody else, and nobody else does': /cannot impersonate/,
  'subject access reviews tell what a role allows': /cannot impersonate/,
  "a token that was requested is one's name, for its audience and while its account is there": /Unauthorized/,
  "a certificate that was approved and issued is one's name": /Unauthorized/,
  'tokens and certificates are good after a restart of the server': /Unauthorized/,
};

describe.each(clusters)('a controller with client-go on the cluster by %s, through the hub', (cluster) => {
  it('works in every check that does not act for others', () => {
    const { errors, planned } = reports.get(cluster) ?? { errors: new Map<string, string>(), planned: [] };
    const failed = [...errors].filter(([check, error]) => error !== '' && !(check in refused));
    expect(failed.map(([check, error]) => `${check}: ${error}`)).toEqual([]);
    expect(planned.length).toBeGreaterThanOrEqual(45);
    expect([...errors.keys()].sort()).toEqual([...planned].sort());
  });

  it.each(Object.entries(refused))('is refused that %s', (check, message) => {
    expect(reports.get(cluster)?.errors.get(check)).toMatch(message);
  });
});
