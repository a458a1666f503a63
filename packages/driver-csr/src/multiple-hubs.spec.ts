import { managedClusters } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { certificateUser, startTestFleet, type TestFleet, type TestHubSide } from '@flotilla/registration-core/testing';
import { describe, expect, it } from 'vitest';
import { csrFleet } from './fixtures/fleet.ts';
import { decideAll } from './fixtures/hub.ts';

const featureGates = { MultipleHubs: true };
const secondServer = 'https://second.example:6443';

async function startTwoHubs(more: Partial<typeof csrFleet> = {}) {
  const fleet = await startTestFleet({ ...csrFleet, authenticate: certificateUser, ...more });
  const second = await fleet.startHub(secondServer);
  const startAgent = (options = {}) =>
    fleet.startAgent({ featureGates, hubConnectionTimeoutSeconds: 30, ...options }, [fleet, second]);
  return { fleet, second, startAgent };
}

/** Does what the administrator of a hub does until the cluster runs there. */
async function joins(fleet: TestFleet, side: TestHubSide): Promise<void> {
  await fleet.eventually(async () => {
    if (!(await side.admin.cluster('c1'))) throw new Error('the cluster has not asked to join');
  });
  await side.admin.accept('c1');
  await fleet.eventually(async () => {
    await decideAll(side.hub.client, 'Approved', fleet.clock.now());
    const conditions = (await side.admin.cluster('c1'))?.status?.conditions ?? [];
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'ManagedClusterJoined', status: 'True' }));
  });
}

describe('an agent with several hubs', () => {
  it('[registration-agent 19.11-120] moves to the next hub when the first sends it away, with its names and without a restart', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const { agent } = startAgent();
    await joins(fleet, fleet);
    const first = await fleet.stored();
    expect(await second.admin.cluster('c1')).toBeUndefined();
    await fleet.admin.deny('c1');
    await joins(fleet, second);
    const switched = await fleet.stored();
    expect(switched?.kubeconfig).toContain(secondServer);
    expect([switched?.['cluster-name'], switched?.['agent-name']]).toEqual([
      first?.['cluster-name'],
      first?.['agent-name'],
    ]);
    expect(agent.health()).toEqual({ ready: true });
  });

  it('[registration-agent 19.11-121, 19.11-125] moves when the hub is gone for the timeout, and stays there when it is back', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const running = startAgent();
    await joins(fleet, fleet);
    fleet.network.setConnected(false);
    await fleet.clock.advance(20_000);
    expect(running.state.phase).toBe('running');
    await joins(fleet, second);
    fleet.network.setConnected(true);
    await fleet.clock.advance(5 * 60_000);
    expect(running.state.phase).toBe('running');
    expect((await fleet.stored())?.kubeconfig).toContain(secondServer);
    await running.stop();
    // The hub of the stored credentials comes first, also after a restart.
    const { state$ } = startAgent().agent;
    const phases: string[] = [];
    state$.subscribe(({ phase }) => phases.push(phase));
    await fleet.eventually(() => expect(phases.at(-1)).toBe('running'));
    expect(phases).not.toContain('bootstrapping');
  });

  it('stays on its hub over a restart when the bootstrap tokens of all hubs have ended', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const running = startAgent();
    await joins(fleet, fleet);
    await running.stop();
    for (const { bootstrap } of [fleet, second]) bootstrap.set({ authorization: 'Bearer ended' });
    const restarted = startAgent();
    await fleet.eventually(() => expect(restarted.state.phase).toBe('running'));
    expect(restarted.history.map(({ state }) => state.phase)).toEqual(['starting', 'joining', 'running']);
    // A hub that is gone is left all the same.
    second.bootstrap.set({ authorization: 'Bearer bootstrapper' });
    fleet.network.setConnected(false);
    await joins(fleet, second);
  });

  it('stays on its hub over a restart although the bootstrap kubeconfig of that hub cannot be read', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const running = startAgent();
    await joins(fleet, fleet);
    await running.stop();
    fleet.bootstrap.current = async () => {
      throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
    };
    const restarted = startAgent();
    await fleet.pass(5 * 60_000);
    expect(restarted.state.phase).toBe('running');
    expect(await second.admin.cluster('c1')).toBeUndefined();
  });

  it('stays on its hub when the bootstrap kubeconfig of another one can be read again, and its own cannot', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    fleet.network.setConnected(false);
    const running = startAgent();
    await joins(fleet, second);
    await running.stop();
    fleet.network.setConnected(true);
    const readable = fleet.bootstrap.current;
    const unreadable = async () => {
      throw new KubeError('Config', 'bootstrap kubeconfig does not exist');
    };
    fleet.bootstrap.current = unreadable;
    second.bootstrap.current = unreadable;
    const restarted = startAgent();
    await fleet.eventually(() => expect(restarted.state.phase).toBe('running'));
    fleet.bootstrap.current = readable;
    fleet.bootstrap.set({});
    await fleet.pass(5 * 60_000);
    expect(restarted.state.phase).toBe('running');
    expect(await fleet.admin.cluster('c1')).toBeUndefined();
    expect((await fleet.stored())?.kubeconfig).toContain(secondServer);
  });

  it('[registration-agent 19.11-124] waits while no hub can be had, says so, and joins the first that comes back', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const running = startAgent();
    await joins(fleet, fleet);
    fleet.network.setConnected(false);
    second.network.setConnected(false);
    await fleet.clock.advance(5 * 60_000);
    expect(running.state.phase).toBe('starting');
    expect(running.agent.health()).toMatchObject({ ready: false, reason: 'NoHub' });
    second.network.setConnected(true);
    await joins(fleet, second);
    expect(running.agent.health()).toEqual({ ready: true });
  });

  it('says at its first start too that there is no hub', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    for (const { network } of [fleet, second]) network.setConnected(false);
    const { agent } = startAgent();
    const message = expect.stringMatching(
      /^Unavailable: no bootstrap kubeconfig in .* is available for managed cluster c1/,
    );
    await fleet.eventually(() => expect(agent.health()).toMatchObject({ ready: false, reason: 'NoHub', message }));
    second.network.setConnected(true);
    await joins(fleet, second);
    expect(agent.health()).toEqual({ ready: true });
  });

  it('keeps waiting for a hub without a decision yet, also after a restart', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    const running = startAgent();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined());
    await fleet.clock.advance(5 * 60_000);
    await running.stop();
    startAgent();
    await fleet.clock.advance(5 * 60_000);
    expect(await second.admin.cluster('c1')).toBeUndefined();
    await joins(fleet, fleet);
  });

  it('keeps waiting for a hub without a decision after its driver failed to start once', async () => {
    let failures = 0;
    const { fleet, second, startAgent } = await startTwoHubs({
      driver(flags) {
        const bound = csrFleet.driver(flags);
        return {
          ...bound,
          async agent(context) {
            const driver = await bound.agent?.(context);
            if (!driver) throw new Error('the driver has no agent');
            const start: typeof driver.start = (issuing) => {
              failures += 1;
              if (failures === 1) throw new KubeError('Unavailable', 'for a moment');
              return driver.start(issuing);
            };
            return { ...driver, start };
          },
        };
      },
    });
    await using _ = fleet;
    startAgent();
    await fleet.eventually(() => expect(failures).toBe(2));
    await fleet.pass(5 * 60_000);
    expect(await second.admin.cluster('c1')).toBeUndefined();
    await joins(fleet, fleet);
  });

  it('leaves a hub that goes away before it has accepted the cluster', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    startAgent();
    await fleet.eventually(async () => expect(await fleet.admin.cluster('c1')).toBeDefined());
    fleet.network.setConnected(false);
    await joins(fleet, second);
  });

  it('skips a hub whose bootstrap user lacks permissions to join', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    fleet.network.revoke(() => true);
    startAgent();
    await joins(fleet, second);
    expect(await fleet.admin.cluster('c1')).toBeUndefined();
  });

  it('marks the namespaces that the first hub managed as not managed any more', async () => {
    const { fleet, second, startAgent } = await startTwoHubs();
    await using _ = fleet;
    startAgent();
    await joins(fleet, fleet);
    const managedNamespaces = [{ clusterSet: 's', name: 'team' }];
    await fleet.hub.client
      .resource(managedClusters)
      .status.patch('c1', { type: 'merge', body: { status: { managedNamespaces } } });
    const labels = async () =>
      Object.entries((await fleet.spoke.client.resource(namespaces).find('team'))?.metadata?.labels ?? {}).filter(
        ([name]) => name.startsWith('clusterset.open-cluster-management.io/'),
      );
    await fleet.eventually(async () => expect((await labels()).map(([, value]) => value)).toEqual(['true']));
    await fleet.admin.deny('c1');
    await joins(fleet, second);
    expect((await labels()).map(([, value]) => value)).toEqual(['false']);
  });
});
