import { join } from 'node:path';
import { manifestWorks } from '@flotilla/api-types';
import { startCluster } from '@flotilla/envtest';
import { configMaps } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { expect, it } from 'vitest';
import { inPushWorld, pollOptions } from './push-world.ts';

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { colour: 'blue' },
};

it('goes on without a restart when the certificate of a member is replaced, and its CA', { timeout: 180_000 }, () =>
  inPushWorld('kube-apiserver', async (world) => {
    await using member = await startCluster({ crds: [] });
    const kubeconfig = join(world.directory, 'member1.yaml');
    const joinWith = async (ca: string | undefined) => {
      await writeKubeconfig(kubeconfig, kubeconfigFor({ ...member.access, ...(ca && { ca }) }));
      const joined = await world.flotilla(`join member1 --cluster-kubeconfig ${kubeconfig}`);
      expect(joined, joined.err).toMatchObject({ code: 0 });
    };
    const agents = world.startPushAgents();
    await joinWith(undefined);
    await world.whenAvailable('member1');

    const { ca } = await member.rotateServingCertificate({ ca: 'new' });
    // No connection outlives it.
    await member.apiServer.kill();
    await member.apiServer.start();
    await world.whenAvailable('member1', 'False');
    await joinWith(ca);
    await world.whenAvailable('member1');
    await world.hub.client.resource(manifestWorks).create({
      metadata: { name: 'settings', namespace: 'member1' },
      spec: { workload: { manifests: [settings] } },
    });
    const applied = async () => (await member.client.resource(configMaps).find('default/settings'))?.data?.colour;
    await expect.poll(applied, pollOptions).toBe('blue');
    await world.whenAvailable('member1');
    expect(agents.running).toBe(true);
  }),
);
