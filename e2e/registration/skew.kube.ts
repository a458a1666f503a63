import { managedClusters } from '@flotilla/api-types';
import { findCondition, leases } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from './fleet.ts';
import { serverKinds, startServer } from './servers.ts';

const minuteMs = 60_000;

/** A program whose clock is wrong: loaded before it, this moves what it takes for the time of day. Timers go as they should. */
const clockOff = (byMs: number) => {
  const source = `
    const Right = Date;
    globalThis.Date = class Date extends Right {
      constructor(...parts) { if (parts.length > 0) super(...parts); else super(Right.now() + ${byMs}); }
      static now() { return Right.now() + ${byMs}; }
    };`;
  return { nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(source)}`] };
};

describe.each(serverKinds)('on %s, clocks are ten minutes off', (kind) => {
  let fleet: Fleet;
  let isWrong = false;
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet.logs());
    await fleet?.[Symbol.asyncDispose]();
  });

  /** Lets a cluster in that beats every two seconds, so that there is something to judge. */
  const admit = async (name: string) => {
    await fleet.admin.admit(name);
    const body = { spec: { leaseDurationSeconds: 2 } };
    await fleet.hub.client.resource(managedClusters).patch(name, { type: 'merge', body });
    await fleet.admin.joined(name);
  };
  /** When the hub has got some more heartbeats of a cluster. */
  const beats = async (name: string, count: number) => {
    const times = new Set<string>();
    await fleet.admin.seen.until(leases, `${count} heartbeats of ${name}`, ({ metadata, spec }) => {
      if (metadata?.namespace === name && spec?.renewTime) times.add(spec.renewTime);
      return times.size > count;
    });
  };
  const isOutOfSync = async (name: string) => {
    const { status } = await fleet.admin.condition(name, 'ManagedClusterConditionClockSynced', 'False');
    expect(findCondition(status?.conditions, 'ManagedClusterConditionClockSynced')?.message).toMatch(/clock/);
  };
  /** Through this many heartbeats and longer than the grace for silence, nothing but True was said of availability. */
  const staysAvailable = async (name: string) => {
    using clusters = await fleet.admin.seen.record(managedClusters, ({ metadata }) => metadata?.name === name);
    await beats(name, 5);
    const said = clusters.changes.map(
      ({ object }) => findCondition(object.status?.conditions, 'ManagedClusterConditionAvailable')?.status,
    );
    expect(said.filter((status) => status !== 'True')).toEqual([]);
    await fleet.admin.joined(name);
  };

  it('of an agent: it joins, stays available, and the hub says what is wrong until the clock is right', async () => {
    await using _hub = fleet.startHub();
    const late = await fleet.newCluster();
    const early = await fleet.newCluster();
    const wrong = late.startAgent('behind', clockOff(-10 * minuteMs));
    await using _early = early.startAgent('ahead', clockOff(10 * minuteMs));
    await Promise.all(
      ['behind', 'ahead'].map(async (name) => {
        await admit(name);
        await isOutOfSync(name);
        await staysAvailable(name);
      }),
    );
    await wrong.end();
    await using _right = late.startAgent('behind');
    await fleet.admin.condition('behind', 'ManagedClusterConditionClockSynced', 'True');
  });

  it('of the hub: clusters join and stay available, whichever way it is off', async () => {
    for (const [name, byMs] of [
      ['under-early-hub', 10 * minuteMs],
      ['under-late-hub', -10 * minuteMs],
    ] as const) {
      await using _hub = fleet.startHub([], clockOff(byMs));
      const cluster = await fleet.newCluster();
      await using agent = cluster.startAgent(name);
      await admit(name);
      await isOutOfSync(name);
      await staysAvailable(name);
      expect(agent.running).toBe(true);
    }
  });
});
