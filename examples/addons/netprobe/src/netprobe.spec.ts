import {
  addOnDeploymentConfigs,
  addOnPlacementScores,
  managedClusterAddOns,
  managedClusterSetBindings,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { type Fleet, startFleet } from '@flotilla/fleet';
import { findCondition, KubeError, realClock, silentLogger } from '@flotilla/kube';
import { deployments } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { netprobe } from './addon.ts';
import { runProbe } from './agent/run-probe.ts';

/** How fast each cluster reaches the address, in milliseconds. */
const latencies: Readonly<Record<string, number>> = { far: 700, near: 10 };
const namespace = 'open-cluster-management-agent-addon';
const config = { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', namespace: 'default' };

let fleet: Fleet;
const end = new AsyncDisposableStack();
beforeAll(async () => {
  fleet = end.use(await startFleet({ clusters: Object.keys(latencies), addons: [netprobe] }));
  for (const [name, value] of Object.entries({ targets: 'example.com:443', broken: 'nowhere' })) {
    const spec = { customizedVariables: [{ name: 'TARGETS', value }] };
    await fleet.hub.resource(addOnDeploymentConfigs).create({ metadata: { namespace: 'default', name }, spec });
  }
});
afterAll(() => end.disposeAsync());

describe('netprobe', () => {
  it('deploys an agent that mounts its credentials, and says what is wrong with a configuration', async () => {
    await fleet.enable('netprobe', { clusters: ['near'], configs: [{ ...config, name: 'targets' }] });
    const agent = await fleet.until(fleet.managed('near').resource(deployments), `${namespace}/netprobe-agent`);
    const { containers = [], volumes } = agent.spec?.template.spec ?? {};
    expect(containers[0]?.env).toContainEqual({ name: 'TARGETS', value: 'example.com:443' });
    expect(volumes).toMatchObject([{ secret: { secretName: 'netprobe-hub-kubeconfig' } }]);
    const addOns = fleet.hub.resource(managedClusterAddOns);
    const configs = [{ ...config, name: 'broken' }];
    await addOns.create({ metadata: { namespace: 'far', name: 'netprobe' }, spec: { configs } });
    const failed = await fleet.until(
      addOns,
      'far/netprobe',
      ({ status }) => findCondition(status?.conditions, 'ManifestApplied')?.status === 'False',
    );
    expect(findCondition(failed.status?.conditions, 'ManifestApplied')?.message).toContain(
      'variable TARGETS: "nowhere"',
    );
    await addOns.patch('far/netprobe', {
      type: 'merge',
      body: { spec: { configs: [{ ...config, name: 'targets' }] } },
    });
    await fleet.until(fleet.managed('far').resource(deployments), `${namespace}/netprobe-agent`);
  });

  it('reports a score by which a placement prefers the cluster that is near', async () => {
    for (const [cluster, latency] of Object.entries(latencies)) {
      const stop = new AbortController();
      const targets = [{ host: 'example.com', port: 443 }];
      const measure = async () => latency;
      const running = runProbe({
        hub: await fleet.agentHub('netprobe', cluster),
        cluster,
        targets,
        clock: realClock,
        log: silentLogger,
        signal: stop.signal,
        measure,
      });
      end.defer(async () => {
        stop.abort();
        await running;
      });
      const scores = fleet.hub.resource(addOnPlacementScores);
      const { status } = await fleet.until(scores, `${cluster}/netprobe`, (score) => score.status !== undefined);
      expect(status?.scores).toEqual([{ name: 'latency', value: cluster === 'near' ? 98 : -40 }]);
    }
    await fleet.whenAvailable('netprobe');
    await fleet.hub
      .resource(managedClusterSetBindings)
      .create({ metadata: { namespace: 'default', name: 'global' }, spec: { clusterSet: 'global' } });
    const addOn = { resourceName: 'netprobe', scoreName: 'latency' };
    await fleet.hub.resource(placements).create({
      metadata: { namespace: 'default', name: 'nearest' },
      spec: {
        numberOfClusters: 1,
        prioritizerPolicy: {
          mode: 'Exact',
          configurations: [{ scoreCoordinate: { type: 'AddOn', addOn }, weight: 1 }],
        },
      },
    });
    const decisions = fleet.hub.resource(placementDecisions);
    const decided = await fleet.until(
      decisions,
      'default/nearest-decision-1',
      ({ status }) => (status?.decisions?.length ?? 0) > 0,
    );
    expect(decided.status?.decisions).toMatchObject([{ clusterName: 'near' }]);
  });

  it('allows an agent to report on its own cluster, and on no other', async () => {
    const hub = await fleet.agentHub('netprobe', 'far');
    const foreign = hub.resource(addOnPlacementScores).get('near/netprobe');
    await expect(foreign).rejects.toSatisfy((error: unknown) => KubeError.is(error, 'Forbidden'));
  });
});
