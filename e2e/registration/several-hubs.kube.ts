import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { createKubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { describe, expect, it } from 'vitest';
import { startFleet } from './fleet.ts';
import { type ServerKind, serverKinds, startMortalServer, startServer } from './servers.ts';

/** Two hubs; the second one can be killed. */
async function startHubs(kind: ServerKind) {
  await using cleanup = new AsyncDisposableStack();
  const mortal = await startMortalServer(kind);
  const second = cleanup.use(await startFleet(mortal));
  const first = cleanup.use(await startFleet(await startServer(kind)));
  first.startHub();
  second.startHub();
  const running = cleanup.move();
  return { first, second, mortal, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

describe.each(serverKinds)('on %s, an agent with two hubs', (kind) => {
  it('[registration-agent 19.11-120, 19.11-121] moves when one sends it away and when one dies, in one process', async () => {
    await using home = await mkdtempDisposable(join(tmpdir(), 'flotilla-hubs-'));
    await using hubs = await startHubs(kind);
    const { first, second, mortal } = hubs;
    const cluster = await first.newCluster();
    const secondBootstrap = join(home.path, 'second.yaml');
    await writeKubeconfig(secondBootstrap, kubeconfigFor(second.bootstrap));
    const directory = join(home.path, 'hub-kubeconfig');
    const agent = cluster.startAgent('edge', {
      flags: [
        '--feature-gates=MultipleHubs=true',
        `--bootstrap-kubeconfigs=${cluster.bootstrapFile}`,
        `--bootstrap-kubeconfigs=${secondBootstrap}`,
        '--hub-connection-timeout-seconds=10',
        `--hub-kubeconfig-dir=${directory}`,
      ],
    });
    try {
      await first.admin.admit('edge');
      await first.admin.joined('edge');
      await agent.said('the agent is running');

      await first.admin.accept('edge', false);
      await second.admin.admit('edge');
      await second.admin.joined('edge');
      expect((await cluster.identity())?.kubeconfig).toContain(second.bootstrap.server);

      // What other programs read are files, which are the owner's alone, and lead to the hub.
      const file = join(directory, 'kubeconfig');
      await expect.poll(() => readFile(file, 'utf8')).toContain(second.bootstrap.server);
      expect((await stat(join(directory, 'tls.key'))).mode & 0o777).toBe(0o600);
      const client = createKubeClient({ access: kubeconfigAccess({ files: file, clock: realClock, env: {} }) });
      expect((await client.resource(managedClusters).get('edge')).metadata?.name).toBe('edge');
      await client.close();

      await first.admin.accept('edge');
      await mortal.kill();
      await first.admin.approve('edge');
      await expect
        .poll(async () => (await cluster.identity())?.kubeconfig, { timeout: 45_000 })
        .toContain(first.bootstrap.server);
      await first.admin.joined('edge');
    } catch (error) {
      console.error(first.logs());
      throw error;
    }
  }, 180_000);
});
