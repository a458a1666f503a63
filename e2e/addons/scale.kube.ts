import {
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  manifestWorks,
  placements,
} from '@flotilla/api-types';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '../registration/fleet.ts';
import { serverKinds, startServer } from '../registration/servers.ts';
import { type Watching, watching } from '../registration/watching.ts';
import { addClusters, ref } from './addon-world.ts';
import { startWorkAgents } from './work-agents.ts';

/** How many clusters: two cores are slow to serve 1,000 works by kube-apiserver and etcd beside other suites. */
const sizes = { embedded: 200, 'kube-apiserver': 50 } as const;
const addOns = ['one', 'two', 'three', 'four', 'five'];
const kind = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' } as const;
/** Only ends what hangs, also on a machine that is busy elsewhere: on a quiet one a step takes less than half a minute. */
const timeout = 900_000;

describe.each(serverKinds)('on %s, five add-ons on many clusters', (server) => {
  const size = sizes[server];
  const clusters = Array.from({ length: size }, (_, index) => `c${String(index).padStart(3, '0')}`);
  let fleet: Fleet;
  let seen: Watching;
  const cleanup = new AsyncDisposableStack();
  beforeAll(async () => {
    fleet = cleanup.use(await startFleet(await startServer(server)));
    const { client } = fleet.hub;
    fleet.startHub();
    await addClusters(fleet, Object.fromEntries(clusters.map((name) => [name, {}])));
    await client.resource(placements).create({ metadata: { namespace: 'team', name: 'all' }, spec: {} });
    cleanup.use(startWorkAgents(client));
    seen = cleanup.use(watching(client));
  }, timeout);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet?.logs());
  });
  afterAll(() => cleanup.disposeAsync());

  const createTemplate = (addonName: string, version: string) => {
    const metadata = { namespace: 'default', name: addonName };
    const manifests = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { version, cluster: '{{CLUSTER_NAME}}' } },
    ];
    const spec = { addonName, agentSpec: { workload: { manifests } } };
    return fleet.hub.client.resource(addOnTemplates).create({ metadata: { name: `${addonName}-${version}` }, spec });
  };
  const strategy = (addOn: string, version: string) => ({
    type: 'Placements' as const,
    placements: [
      ref('all', {
        configs: [{ ...kind, name: `${addOn}-${version}` }],
        // One of them has to wait for its clusters, a quarter of the fleet at a time.
        ...(addOn === 'one' && { rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: '25%' } } }),
      }),
    ],
  });
  const completed = (version: string) =>
    Promise.all(
      addOns.map((name) =>
        seen.until(
          clusterManagementAddOns,
          `the rollout of ${name} ${version}`,
          ({ metadata, status }) => {
            const [progression] = status?.installProgressions ?? [];
            const applied = progression?.configReferences?.[0]?.lastAppliedConfig?.name;
            const message = progression?.conditions?.[0]?.message ?? '';
            return (
              metadata?.name === name &&
              applied === `${name}-${version}` &&
              message.includes(`${size}/${size} completed`)
            );
          },
          timeout,
        ),
      ),
    );
  /** How many works have each version, and the uids of all. */
  const deployed = async () => {
    const { items } = await fleet.hub.client.resource(manifestWorks).list();
    const versions: Record<string, number> = {};
    for (const { metadata, spec } of items) {
      const [manifest] = spec?.workload?.manifests ?? [];
      const data = (manifest as { data?: { version?: string; cluster?: string } } | undefined)?.data;
      const version = data?.cluster === metadata?.namespace ? `${data?.version}` : 'of another cluster';
      versions[version] = (versions[version] ?? 0) + 1;
    }
    return { versions, uids: new Set(items.map(({ metadata }) => metadata?.uid)) };
  };

  it('are installed', { timeout }, async () => {
    const offers = fleet.hub.client.resource(clusterManagementAddOns);
    await Promise.all(
      addOns.map(async (name) => {
        await createTemplate(name, 'v1');
        const defaultConfigs = [{ ...kind, name: '__reserved_no_default__' }];
        await offers.create({ metadata: { name }, spec: { defaultConfigs, installStrategy: strategy(name, 'v1') } });
      }),
    );
    await completed('v1');
    expect((await deployed()).versions).toEqual({ v1: size * addOns.length });
    const { items } = await fleet.hub.client.resource(managedClusterAddOns).list();
    expect(items).toHaveLength(size * addOns.length);
  });

  it('are upgraded, one of them in steps, and no work is made anew', { timeout }, async () => {
    const { uids } = await deployed();
    await Promise.all(
      addOns.map(async (name) => {
        await createTemplate(name, 'v2');
        const body = { spec: { installStrategy: strategy(name, 'v2') } };
        await fleet.hub.client.resource(clusterManagementAddOns).patch(name, { type: 'merge', body });
      }),
    );
    await completed('v2');
    const after = await deployed();
    expect(after.versions).toEqual({ v2: size * addOns.length });
    expect(after.uids).toEqual(uids);
  });
});
