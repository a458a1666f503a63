import { type CloudEventsClient, dataTypes } from '@flotilla/cloudevents';
import { realClock } from '@flotilla/kube';
import { clusterRoleBindings } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { startServer } from '../registration/servers.ts';
import { startBalancer } from './balancer.ts';
import { startServerFleet } from './server-fleet.ts';

const count = 500;
const outageMs = 5000;
const names = Array.from({ length: count }, (_, index) => `agent-${index}`);
const apiGroup = 'rbac.authorization.k8s.io';

it(`${count} agents come back after a restart of the server, not all at once`, { timeout: 300_000 }, async () => {
  const hub = await startServer('embedded');
  await using fleet = await startServerFleet(hub);
  await using balancer = await startBalancer();
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'crowd' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: names.map((name) => ({ apiGroup, kind: 'Group', name: `system:open-cluster-management:${name}` })),
  });
  const first = await fleet.startServer();
  balancer.targets = [first.port];
  /** When each stream was opened last. */
  const openedAt = new Map<string, number>();
  let losses = 0;
  const subscribe = (client: CloudEventsClient, clusterName: string) =>
    client.subscribe(
      { clusterName, dataType: dataTypes.leases },
      {
        onSubscribed: () => openedAt.set(clusterName, realClock.monotonic()),
        onEvent() {},
        onError() {
          openedAt.delete(clusterName);
          losses += 1;
        },
      },
    );
  for (const name of names) subscribe(await fleet.connect(name, balancer.port), name);
  await expect.poll(() => openedAt.size, { timeout: 120_000 }).toBe(count);

  balancer.targets = [];
  const lostAt = realClock.monotonic();
  await first.program.end('SIGKILL');
  const next = await fleet.startServer();
  await realClock.sleep(Math.max(0, outageMs - (realClock.monotonic() - lostAt)));
  const triedMeanwhile = losses;
  balancer.targets = [next.port];
  const backAt = realClock.monotonic();
  await expect.poll(() => openedAt.size, { timeout: 120_000 }).toBe(count);

  const delays = [...openedAt.values()].map((at) => at - backAt).toSorted((a, b) => a - b);
  const inBusiestHalfSecond = Math.max(
    ...delays.map((from) => delays.filter((delay) => delay >= from && delay < from + 500).length),
  );
  // The second wait lasts up to four seconds: a crowd that waited together would be back in one half second.
  expect(inBusiestHalfSecond).toBeLessThan(count / 2);
  const attempts = triedMeanwhile / count;
  // The wait doubles from two seconds, so that a server that is away is left alone.
  expect(attempts).toBeLessThan(2 + (realClock.monotonic() - lostAt) / 1000);
  expect(next.program.running).toBe(true);
});
