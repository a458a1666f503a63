import assert from 'node:assert/strict';
import { createInformers, createKubeClient, isConditionTrue, silentLogger, staticAccess } from '@flotilla/kube';
import { type RunningAgent, startTestFleet, type TestFleet, type TestFleetOptions } from './test-fleet.ts';

/** What the suite needs to know about a driver. */
export interface ConformanceOptions extends TestFleetOptions {
  /** Lets the hub grant what the driver of the cluster asks for: approve its requests, if there are any. Safe to repeat. */
  readonly grant: (fleet: TestFleet, clusterName: string) => Promise<void>;
  /** Refuses it, if the auth type can. */
  readonly refuse?: (fleet: TestFleet, clusterName: string) => Promise<void>;
  /** How far to go for credentials to need renewal; absent if they do not. */
  readonly renewalAfterMs?: number;
}

/** One thing that every driver must do. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/**
 * The suite that every driver must pass, on a hub and a managed cluster in memory. In a test file:
 * `for (const { name, run } of driverConformance(options)) it(name, run);`
 */
export function driverConformance(options: ConformanceOptions): ConformanceCase[] {
  const scenario = (name: string, play: (fleet: TestFleet) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      await using fleet = await startTestFleet(options);
      await play(fleet);
    },
  });
  const isJoined = async (fleet: TestFleet, name = 'c1'): Promise<boolean> =>
    isConditionTrue((await fleet.admin.cluster(name))?.status?.conditions, 'ManagedClusterJoined');
  const hasBootstrapped = ({ history }: Pick<RunningAgent, 'history'>): boolean =>
    history.some(({ state }) => state.phase === 'bootstrapping');
  const asks = (fleet: TestFleet, name = 'c1') =>
    fleet.eventually(async () => assert.ok(await fleet.admin.cluster(name), 'the cluster asks to join'));
  const granted = (fleet: TestFleet) =>
    fleet.eventually(async () => {
      await options.grant(fleet, 'c1');
      assert.ok((await fleet.stored())?.kubeconfig, 'credentials are stored');
    });
  const join = async (fleet: TestFleet) => {
    const agent = fleet.startAgent();
    await asks(fleet);
    await fleet.admin.accept('c1');
    await granted(fleet);
    await fleet.eventually(() => assert.equal(agent.state.phase, 'running'));
    await fleet.eventually(async () => assert.ok(await isJoined(fleet), 'joined'));
    return agent;
  };
  const { refuse, renewalAfterMs } = options;

  return [
    scenario('bootstraps: asks, is accepted, stores its credentials and joins, without a restart', async (fleet) => {
      await join(fleet);
      const stored = await fleet.stored();
      assert.equal(stored?.['cluster-name'], 'c1');
      assert.equal(stored['agent-name'], 'a1');
    }),
    scenario('does not use credentials of another cluster name', async (fleet) => {
      const first = await join(fleet);
      await first.stop();
      const second = fleet.startAgent({ clusterName: 'c2' });
      await asks(fleet, 'c2');
      assert.ok(hasBootstrapped(second), 'it asked for credentials of its own');
      await fleet.admin.accept('c2');
      await fleet.eventually(async () => {
        await options.grant(fleet, 'c2');
        assert.ok(await isJoined(fleet, 'c2'), 'joined under the new name');
      });
      assert.equal((await fleet.stored())?.['cluster-name'], 'c2');
    }),
    scenario('is denied, then accepted', async (fleet) => {
      const agent = fleet.startAgent();
      await asks(fleet);
      if (refuse) await fleet.eventually(() => refuse(fleet, 'c1'));
      await fleet.clock.advance(60_000);
      assert.equal(await isJoined(fleet), false);
      await fleet.admin.accept('c1');
      await granted(fleet);
      await fleet.eventually(() => assert.equal(agent.state.phase, 'running'), 5000);
    }),
    scenario('is accepted, then denied, then accepted again', async (fleet) => {
      const agent = await join(fleet);
      await fleet.admin.deny('c1');
      await fleet.eventually(() => assert.equal(agent.state.phase, 'joining'));
      await fleet.admin.accept('c1');
      await fleet.eventually(() => assert.equal(agent.state.phase, 'running'), 5000);
    }),
    ...(renewalAfterMs === undefined
      ? []
      : [
          scenario('renews its credentials, and no request fails meanwhile', async (fleet) => {
            const agent = await join(fleet);
            const before = await fleet.stored();
            fleet.wire.refusals.length = 0;
            await fleet.eventually(async () => {
              assert.notDeepEqual(await fleet.stored(), before);
            }, 60_000);
            await fleet.pass(renewalAfterMs);
            assert.equal(agent.state.phase, 'running');
            assert.deepEqual(fleet.wire.refusals, []);
          }),
        ]),
    scenario('gets new credentials when the hub refuses those that it has', async (fleet) => {
      const agent = await join(fleet);
      const revoked = JSON.stringify(await accessOf(fleet));
      fleet.wire.revoke((access) => JSON.stringify(access.clientCertificate ?? access.authorization) === revoked);
      const before = agent.history.length;
      const since = () => agent.history.slice(before);
      await fleet.eventually(() => assert.ok(hasBootstrapped({ history: since() }), 'it asked anew'), 5000);
      assert.ok(
        since().some(({ health }) => !health.usable),
        'the health endpoint said so',
      );
      await fleet.eventually(async () => {
        await options.grant(fleet, 'c1');
        assert.equal(agent.state.phase, 'running');
      });
      assert.notEqual(JSON.stringify(await accessOf(fleet)), revoked);
    }),
    scenario('survives a hub that goes away in the middle of a join', async (fleet) => {
      fleet.wire.setConnected(false);
      const agent = fleet.startAgent();
      await fleet.clock.advance(30_000);
      fleet.wire.setConnected(true);
      await asks(fleet);
      fleet.wire.setConnected(false);
      await fleet.admin.accept('c1');
      await fleet.clock.advance(30_000);
      fleet.wire.setConnected(true);
      await granted(fleet);
      await fleet.eventually(() => assert.equal(agent.state.phase, 'running'), 5000);
    }),
    scenario(
      'tells the truth about its connection: while it works, when it is cut, and when it is refused',
      async (fleet) => {
        await join(fleet);
        const driver = driverOf(fleet);
        const access = staticAccess({
          server: '',
          origin: 'the suite',
          ...driver.access((await fleet.stored()) ?? {}),
        });
        const client = createKubeClient({ transport: fleet.wire.connect(access), clock: fleet.clock });
        using informers = createInformers({ client, clock: fleet.clock });
        const { signal } = new AbortController();
        const check = () => driver.checkConnection({ hub: client, informers, signal, wake() {} });
        assert.deepEqual(await check(), { usable: true });
        fleet.wire.setConnected(false);
        assert.equal((await check()).usable, false);
        fleet.wire.setConnected(true);
        assert.deepEqual(await check(), { usable: true });
        fleet.wire.revoke(() => true);
        const refused = await check();
        assert.ok(!refused.usable);
        assert.equal(refused.reason, 'Unauthorized');
      },
    ),
    {
      name: 'cleans up twice as well as once, and for clusters that are not its own',
      async run() {
        await using fleet = await startTestFleet(options);
        await join(fleet);
        const cluster = await fleet.admin.cluster('c1');
        const hubDriver = options.hubDriver;
        if (!hubDriver || !cluster) return;
        using informers = createInformers({ client: fleet.hub.client, clock: fleet.clock });
        const context = { client: fleet.hub.client, informers, clock: fleet.clock, log: silentLogger, gates: {} };
        const driver = hubDriver(context);
        await driver.createPermissions(cluster);
        await driver.createPermissions(cluster);
        await driver.cleanUp(cluster);
        await driver.cleanUp(cluster);
        await driver.cleanUp({ ...cluster, metadata: { name: 'stranger' } });
        assert.equal(typeof driver.accepts({ ...cluster, metadata: { name: 'stranger' } }), 'boolean');
      },
    },
  ];

  /** A driver as the agent has one, for questions that need no connection. */
  function driverOf(fleet: TestFleet) {
    const identity = { clusterName: 'c1', agentName: 'a1' };
    return options.agentDriver({ identity, clock: fleet.clock, log: silentLogger, random: () => 0 });
  }

  /** The credentials that the agent uses now, in the form that a wire sees. */
  async function accessOf(fleet: TestFleet): Promise<unknown> {
    const access = driverOf(fleet).access((await fleet.stored()) ?? {});
    return access.clientCertificate ?? access.authorization;
  }
}
