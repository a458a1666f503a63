import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusterAddOns, managedClusters } from '@flotilla/api-types';
import { createKubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from './fleet.ts';
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

const addonNamespace = 'open-cluster-management-agent-addon';

/** Enables an add-on on a hub, and approves what it requests; its credentials, which are others than before. */
async function enableAddon({ hub, admin }: Fleet, cluster: Cluster, before?: Readonly<Record<string, string>>) {
  const addons = hub.client.resource(managedClusterAddOns);
  await addons.create({ metadata: { namespace: 'edge', name: 'probe' }, spec: {} });
  const registrations = [{ type: 'kubeClient' as const, kubeClient: {} }];
  await addons.status.patch('edge/probe', { type: 'merge', body: { status: { registrations } } });
  await admin.approve('edge');
  const read = async (): Promise<Readonly<Record<string, string>>> => {
    const found = await cluster.server.client.resource(secrets).find(`${addonNamespace}/probe-hub-kubeconfig`);
    const entries = Object.entries(found?.data ?? {});
    return Object.fromEntries(entries.map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]));
  };
  const isNew = async () => {
    const { 'tls.crt': certificate } = await read();
    return certificate !== undefined && certificate !== before?.['tls.crt'];
  };
  await expect.poll(isNew, { timeout: 45_000 }).toBe(true);
  return read();
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
      await cluster.server.client.resource(namespaces).create({ metadata: { name: addonNamespace } });
      const addonOnFirst = await enableAddon(first, cluster);

      await first.admin.accept('edge', false);
      await second.admin.admit('edge');
      await second.admin.joined('edge');
      expect((await cluster.identity())?.kubeconfig).toContain(second.bootstrap.server);
      // What an add-on got from the first hub is not for this one: the Secret has a new certificate, and leads here.
      const addonOnSecond = await enableAddon(second, cluster, addonOnFirst);
      expect(addonOnSecond.kubeconfig).toContain(second.bootstrap.server);

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
