import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openShell, type Shell } from '../cli/shell.ts';
import type { Program } from '../registration/program.ts';
import { deploy, serverKinds } from '../registration/servers.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from './proxy-fleet.ts';
import { userKubeconfig } from './user-kubeconfig.ts';

const patience = { timeout: 60_000, interval: 200 };

describe.each(serverKinds)(
  'clusters that are reached through a hub on %s',
  (kind) => {
    let fleet: ProxyFleet;
    let proxy: Program;
    let agentByGrpc: Program;
    let shell: Shell;
    /** Runs the command line as alice. */
    let flotilla: (line: string) => ReturnType<Shell['run']>;
    let isWrong = false;
    const cleanup = new AsyncDisposableStack();
    beforeAll(async () => {
      const home = await mkdtemp(join(tmpdir(), 'flotilla-reach-'));
      cleanup.defer(() => rm(home, { recursive: true, force: true }));
      shell = await openShell(home);
      fleet = cleanup.use(await startProxyFleet(await startProxyServer(kind)));
      fleet.startGrpcHub();
      await fleet.startGrpcServer();
      proxy = await fleet.startProxy();
      const [byCsr, byGrpc] = [await fleet.newCluster(), await fleet.newGrpcCluster()];
      for (const { server } of [byCsr, byGrpc]) {
        await deploy(server, 'agent', ['cluster-proxy/rbac.yaml']);
        await grant(server, 'alice-edits', 'edit', 'alice');
      }
      byCsr.startAgent('csr', { flags: [enabled] });
      agentByGrpc = byGrpc.startGrpcAgent('grpc', { flags: [enabled] });
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.admit(name)));
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.joined(name)));
      await fleet.permit('alice', ['csr', 'grpc', 'nowhere']);
      const kubeconfig = await userKubeconfig(fleet.hub, { name: 'alice', groups: ['developers'] }, home);
      flotilla = (line) => shell.run(`flotilla ${line} --kubeconfig ${kubeconfig}`);
    }, 200_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(fleet?.logs());
      await cleanup.disposeAsync();
    });

    it.each(['csr', 'grpc'])(
      'serves the API of the cluster that registered by %s, to users as themselves',
      async (name) => {
        const alice = fleet.clientTo(name, { user: 'alice' });
        await vi.waitFor(() => alice.resource(configMaps).list({ namespace: 'default' }), patience);
        await alice
          .resource(configMaps)
          .create({ metadata: { namespace: 'default', name: 'of-alice' }, data: { by: 'alice' } });
        expect((await alice.resource(configMaps).get('default/of-alice')).data).toEqual({ by: 'alice' });
        await expect(alice.resource(namespaces).create({ metadata: { name: 'not-hers' } })).rejects.toThrow(
          'User "alice" cannot create resource "namespaces"',
        );
      },
    );

    it('writes a line of audit for each request: who, which cluster, what, and how it ended', async () => {
      const lines = () => proxy.log.filter(({ groups }) => Array.isArray(groups) && groups.includes('of-this-test'));
      const alice = fleet.clientTo('csr', { user: 'alice', groups: ['of-this-test'] });
      const paths = ['/version', '/api/v1/namespaces/default/configmaps?limit=1', '/api/v1/nodes'];
      for (const path of paths) await alice.transport.request({ method: 'GET', path }).catch(() => undefined);
      await expect.poll(() => lines().length, patience).toBe(paths.length);
      const common = {
        level: 'info',
        audit: 'cluster-proxy',
        msg: 'request of a user to a cluster',
        cluster: 'csr',
        user: 'alice',
        groups: ['of-this-test', 'system:authenticated'],
        method: 'GET',
        durationMs: expect.any(Number),
      };
      expect(lines()).toMatchObject([
        { ...common, path: '/version', code: 200 },
        { ...common, path: '/api/v1/namespaces/default/configmaps', code: 200 },
        { ...common, path: '/api/v1/nodes', code: 403 },
      ]);
    });

    it('shows objects of several clusters in one table', async () => {
      const answer = await flotilla('get cm of-alice --clusters csr,grpc');
      expect(answer, answer.err).toMatchObject({ code: 0 });
      expect(answer.out).toMatch(/^CLUSTER +NAME +DATA +AGE\ncsr +of-alice +1 .*\ngrpc +of-alice +1 .*\n$/);
      const none = await flotilla('get configmaps nosuch --clusters csr,grpc');
      expect(none).toMatchObject({ code: 1, out: '' });
      expect(none.err).toContain('Error: no cluster has configmaps of the name nosuch');
    });

    it('names the clusters that fail, each with the reason, and shows the others', async () => {
      await agentByGrpc.end('SIGKILL');
      const { code, out, err } = await flotilla('get cm --clusters csr,grpc,nowhere --all-namespaces -l !x');
      expect(code).toBe(1);
      expect(out).toMatch(/^CLUSTER +NAMESPACE +NAME/);
      expect(out).not.toMatch(/^(grpc|nowhere) /m);
      expect(err).toMatch(/^cluster grpc: cluster grpc cannot be reached: .* \(Unavailable\)$/m);
      expect(err).toContain('cluster nowhere: there is no managed cluster nowhere (NotFound)\n');
      expect(err).toContain('Error: 2 of 3 clusters failed: grpc, nowhere\nWhat is printed is of the others.');
      const refused = await flotilla('get nodes --clusters csr');
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain('User "alice" cannot list resource "nodes"');
      const unknown = await flotilla('get gadgets --clusters csr');
      expect(unknown).toMatchObject({ code: 1, out: '' });
      expect(unknown.err).toContain('`flotilla proxy kubectl --cluster csr -- api-resources`');
    });
  },
  200_000,
);
