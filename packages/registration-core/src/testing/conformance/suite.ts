import assert from 'node:assert/strict';
import { isConditionTrue, silentLogger } from '@flotilla/kube';
import type { AgentDriver } from '../../contract/index.ts';
import { type RunningAgent, startTestFleet, type TestFleet, type TestFleetOptions } from '../test-fleet.ts';

/** What the suite needs to know about a driver. */
export interface ConformanceOptions extends TestFleetOptions {
  /** Lets the hub grant what clusters and add-ons ask for: approve their requests, if there are any. Safe to repeat. */
  readonly grant: (fleet: TestFleet, clusterName: string) => Promise<void>;
  /** Refuses it, if the auth type can. */
  readonly refuse?: (fleet: TestFleet, clusterName: string) => Promise<void>;
  /** How far to go for credentials to need renewal; absent if they do not. */
  readonly renewalAfterMs?: number;
  /** Whether a 401 makes the driver refresh its credentials without the hub, as for tokens of a cloud. */
  readonly refreshes?: boolean;
}

/** One thing that every driver must do. */
export interface ConformanceCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What the cases share: scenarios on a fleet of their own, and the steps of a join. */
export type Suite = ReturnType<typeof suiteOf>;

/** Makes it. */
export function suiteOf(options: ConformanceOptions) {
  const scenario = (
    name: string,
    play: (fleet: TestFleet) => Promise<void>,
    changed: Partial<ConformanceOptions> = {},
  ): ConformanceCase => ({
    name,
    async run() {
      await using fleet = await startTestFleet({ ...options, ...changed });
      await play(fleet);
    },
  });
  const isJoined = async (fleet: TestFleet, name = 'c1'): Promise<boolean> =>
    isConditionTrue((await fleet.admin.cluster(name))?.status?.conditions, 'ManagedClusterJoined');
  const hasBootstrapped = ({ history }: Pick<RunningAgent, 'history'>): boolean =>
    history.some(({ state }) => state.phase === 'bootstrapping');
  const asks = (fleet: TestFleet, name = 'c1') =>
    fleet.eventually(async () => assert.ok(await fleet.admin.cluster(name), 'the cluster asks to join'));
  const driver = (fleet: TestFleet): Promise<AgentDriver> => driverOf(options, fleet);
  const granted = (fleet: TestFleet) =>
    fleet.eventually(async () => {
      await options.grant(fleet, 'c1');
      const { evaluate } = await driver(fleet);
      assert.ok(evaluate((await fleet.stored()) ?? {}).usable, 'usable credentials are stored');
    });
  const runs = (fleet: TestFleet, agent: RunningAgent, stepMs?: number) =>
    fleet.eventually(async () => {
      await options.grant(fleet, 'c1');
      assert.equal(agent.state.phase, 'running');
    }, stepMs);
  const join = async (fleet: TestFleet) => {
    const agent = fleet.startAgent();
    await asks(fleet);
    await fleet.admin.accept('c1');
    await granted(fleet);
    await runs(fleet, agent);
    await fleet.eventually(async () => assert.ok(await isJoined(fleet), 'joined'));
    return agent;
  };
  return { options, scenario, isJoined, hasBootstrapped, asks, driver, granted, runs, join };
}

/** A driver as the agent has one, for questions that need no connection. */
async function driverOf(options: ConformanceOptions, fleet: TestFleet): Promise<AgentDriver> {
  const flags = { bootstrapKubeconfig: 'bootstrap-0', bootstrapKubeconfigs: ['bootstrap-0'] };
  const driver = await options.driver(flags).agent?.({
    identity: { clusterName: 'c1', agentName: 'a1' },
    gates: {},
    files: fleet.files,
    connect: (access) => fleet.network.connect(access),
    secret: () => ({ read: async () => undefined, write: async () => {} }),
    clock: fleet.clock,
    log: silentLogger,
    random: () => 0,
  });
  assert.ok(driver, 'clusters can register by the driver');
  return driver;
}
