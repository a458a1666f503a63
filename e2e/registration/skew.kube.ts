import { managedClusters } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { type Fleet, inFleet } from './fleet.ts';
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

/** Accepts a cluster with heartbeats every two seconds, so that its availability can be checked. */
async function admit({ admin, hub }: Fleet, name: string): Promise<void> {
  await admin.admit(name);
  const body = { spec: { leaseDurationSeconds: 2 } };
  await hub.client.resource(managedClusters).patch(name, { type: 'merge', body });
  await admin.joined(name);
}

/** Through this many heartbeats nothing but True is said of availability, and the hub says that the clock is wrong. */
async function staysAvailable({ admin }: Fleet, name: string, beats: number): Promise<void> {
  using clusters = await admin.seen.record(managedClusters, ({ metadata }) => metadata?.name === name);
  const times = new Set<string>();
  await admin.seen.until(leases, `${beats} heartbeats of ${name}`, ({ metadata, spec }) => {
    if (metadata?.namespace === name && spec?.renewTime) times.add(spec.renewTime);
    return times.size > beats;
  });
  const said = clusters.changes.map(
    ({ object }) => findCondition(object.status?.conditions, 'ManagedClusterConditionAvailable')?.status,
  );
  expect(said.filter((status) => status !== 'True')).toEqual([]);
  await admin.joined(name);
  const { status } = await admin.condition(name, 'ManagedClusterConditionClockSynced', 'False');
  expect(findCondition(status?.conditions, 'ManagedClusterConditionClockSynced')?.message).toMatch(/clock/);
}

it.concurrent.each(serverKinds)(
  'on %s, clocks of agents or of the hub are ten minutes off: clusters join, stay available, and the hub says what is wrong',
  {
    timeout: 300_000,
  },
  (kind) =>
    inFleet(startServer(kind), async (fleet) => {
      const hub = fleet.startHub();
      const late = await fleet.newCluster();
      const early = await fleet.newCluster();
      const wrong = late.startAgent('behind', clockOff(-10 * minuteMs));
      early.startAgent('ahead', clockOff(10 * minuteMs));
      await Promise.all(
        ['behind', 'ahead'].map(async (name) => {
          await admit(fleet, name);
          // Five times two seconds of silence and the hub would take it for lost.
          await staysAvailable(fleet, name, 6);
        }),
      );
      await wrong.end();
      late.startAgent('behind');
      await fleet.admin.condition('behind', 'ManagedClusterConditionClockSynced', 'True');
      await hub.end();

      for (const [name, byMs] of [
        ['under-early-hub', 10 * minuteMs],
        ['under-late-hub', -10 * minuteMs],
      ] as const) {
        await using _hub = fleet.startHub([], clockOff(byMs));
        const cluster = await fleet.newCluster();
        await using agent = cluster.startAgent(name);
        await admit(fleet, name);
        await staysAvailable(fleet, name, 2);
        expect(agent.running).toBe(true);
      }
    }),
);
