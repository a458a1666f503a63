import {
  addOnTemplates,
  appliedManifestWorks,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusterSetBindings,
  manifestWorkReplicaSets,
  manifestWorks,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { createKubeClient, secretAccess } from '@flotilla/kube';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { of } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BareServer } from '../cli/bare-server.ts';
import type { ShellProgram } from '../cli/shell.ts';
import { serverKinds } from '../registration/servers.ts';
import { type PushWorld, pollOptions, startPushWorld } from './push-world.ts';

const manifest = (name: string, colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { colour },
});

const agentDeployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'hello-agent', namespace: 'open-cluster-management-agent-addon' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'hello' } },
    template: {
      metadata: { labels: { app: 'hello' } },
      spec: { containers: [{ name: 'agent', image: 'example.com/hello' }] },
    },
  },
};

describe.each(serverKinds)('a pushed and a pulled cluster on %s', { timeout: 180_000 }, (kind) => {
  let world: PushWorld;
  let pushed: BareServer;
  let pulled: BareServer;
  const agents: ShellProgram[] = [];

  /** Joins by the command that the hub prints, and runs the agent. */
  const pull = async (name: string, member: BareServer): Promise<ShellProgram> => {
    const { out } = await world.flotilla('get token');
    const line = out.split('\n').find((text) => text.trim().startsWith('flotilla join')) ?? '';
    const command = line.trim().replace('<cluster_name>', name);
    const agent = world.shell.start(`${command} --kubeconfig ${member.kubeconfig} --singleton --operator=false --run`);
    agents.push(agent);
    const accepted = await world.flotilla(`accept --clusters ${name} --wait --timeout 60`);
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    return agent;
  };
  const push = async (name: string, member: BareServer): Promise<void> => {
    const joined = await world.flotilla(`join ${name} --push --cluster-kubeconfig ${member.kubeconfig}`);
    expect(joined, joined.err).toMatchObject({ code: 0 });
  };
  const colour = async (member: BareServer, name: string) =>
    (await member.client.resource(configMaps).find(`default/${name}`))?.data?.colour;
  const mode = async (name: string) =>
    (await world.cluster(name)).metadata?.labels?.['open-cluster-management.io/cluster-mode'];

  beforeAll(async () => {
    world = await startPushWorld(kind);
    [pushed, pulled] = await Promise.all([world.startMember('pushed'), world.startMember('pulled')]);
    world.startPushAgents();
    await Promise.all([push('pushed', pushed), pull('pulled', pulled)]);
  });
  afterAll(async () => {
    for (const agent of agents) await agent[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  it('are selected by one placement, and get the work of one replica set', async () => {
    const { client } = world.hub;
    await world.whenAvailable('pushed');
    await world.whenAvailable('pulled');
    await client
      .resource(managedClusterSetBindings)
      .create({ metadata: { name: 'global', namespace: 'default' }, spec: { clusterSet: 'global' } });
    await client.resource(placements).create({ metadata: { name: 'all', namespace: 'default' }, spec: {} });
    const decided = async () =>
      (await client.resource(placementDecisions).list({ namespace: 'default' })).items.flatMap(({ status }) =>
        (status?.decisions ?? []).map(({ clusterName }) => clusterName),
      );
    await expect.poll(async () => (await decided()).sort(), pollOptions).toEqual(['pulled', 'pushed']);
    await client.resource(manifestWorkReplicaSets).create({
      metadata: { name: 'shop', namespace: 'default' },
      spec: {
        placementRefs: [{ name: 'all', rolloutStrategy: { type: 'All' } }],
        cascadeDeletionPolicy: 'Background',
        manifestWorkTemplate: { workload: { manifests: [manifest('shop', 'green')] } },
      },
    });
    await expect.poll(() => colour(pushed, 'shop'), pollOptions).toBe('green');
    await expect.poll(() => colour(pulled, 'shop'), pollOptions).toBe('green');
    const summary = async () =>
      (await client.resource(manifestWorkReplicaSets).get('default/shop')).status?.summary?.available;
    await expect.poll(summary, pollOptions).toBe(2);
  });

  it('get one add-on, whose agent on the pushed one reaches the hub by a token', async () => {
    const { client } = world.hub;
    await client.resource(addOnTemplates).create({
      metadata: { name: 'hello' },
      spec: {
        addonName: 'hello',
        agentSpec: { workload: { manifests: [agentDeployment] } },
        registration: [{ type: 'KubeClient' }],
      },
    });
    await client.resource(clusterManagementAddOns).create({
      metadata: { name: 'hello' },
      spec: {
        defaultConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello' }],
        installStrategy: { type: 'Placements', placements: [{ namespace: 'default', name: 'all' }] },
      },
    });
    const credentials = (member: BareServer) =>
      member.client.resource(secrets).find('open-cluster-management-agent-addon/hello-hub-kubeconfig');
    for (const member of [pushed, pulled]) {
      await expect.poll(async () => (await credentials(member))?.data?.kubeconfig, pollOptions).toBeDefined();
    }
    const data = of((await credentials(pushed))?.data);
    const access = secretAccess({ data, origin: 'the credentials of the add-on' });
    await using addon = createKubeClient({ access });
    expect((await access.current()).server).toBe(world.hub.access.server);
    // It is known to the hub, as itself: without a role it may do nothing yet.
    await expect(addon.resource(managedClusterAddOns).get('pushed/hello')).rejects.toThrow(
      /system:serviceaccount:pushed:hello-agent/,
    );
  });

  it('can change places without an object being created anew', async () => {
    const { client } = world.hub;
    const works = client.resource(manifestWorks);
    const write = async (value: string) => {
      const spec = { workload: { manifests: [manifest('moving', value)] } };
      const found = await works.find('pushed/moving');
      if (found) await works.patch('pushed/moving', { type: 'merge', body: { spec } });
      else await works.create({ metadata: { name: 'moving', namespace: 'pushed' }, spec });
      await expect.poll(() => colour(pushed, 'moving'), pollOptions).toBe(value);
    };
    const uids = async () => ({
      object: (await pushed.client.resource(configMaps).get('default/moving')).metadata?.uid,
      shop: (await pushed.client.resource(configMaps).get('default/shop')).metadata?.uid,
      records: (await pushed.client.resource(appliedManifestWorks).list()).items
        .map(({ metadata }) => metadata?.uid)
        .sort(),
    });
    await write('by push');
    const before = await uids();

    const agent = await pull('pushed', pushed);
    await expect.poll(() => mode('pushed'), pollOptions).toBeUndefined();
    await expect.poll(() => client.resource(secrets).find('pushed/member-access'), pollOptions).toBeUndefined();
    await write('by pull');
    expect(await uids()).toEqual(before);

    await push('pushed', pushed);
    await agent.ended;
    expect(await mode('pushed')).toBe('Push');
    await write('by push again');
    expect(await mode('pushed')).toBe('Push');
    expect(await uids()).toEqual(before);
    await world.whenAvailable('pushed');
  });
});
