import { defineController, done, on } from '@flotilla/kube';
import { formatMicroTime } from '@flotilla/kube/meta';
import { of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub, testDriver } from './fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const names = Array.from({ length: 30 }, (_, index) => `c${index}`);

describe('the hub as a whole', () => {
  it('accepts thirty clusters that join at once, each exactly once and without a back-off', async () => {
    hub = await startHub({ gates: { ManagedClusterAutoApproval: true, ClusterProfile: true } });
    const { clusters, leases } = handlesOf(hub);
    await Promise.all(names.map((name) => clusters.create(newCluster(name))));
    await hub.quiet();
    const accepted = (await clusters.list()).items.filter(({ status }) =>
      status?.conditions?.some(({ type, status: said }) => type === 'HubAcceptedManagedCluster' && said === 'True'),
    );
    expect(accepted).toHaveLength(names.length);
    expect((await leases.list()).items).toHaveLength(names.length);
    const writes = hub.takeWrites();
    for (const name of names) {
      expect(writes.filter((write) => write === `POST namespaces/${name}/rolebindings`)).toHaveLength(2);
      expect(writes.filter((write) => write === `POST namespaces/${name}/leases`)).toHaveLength(1);
    }

    // A heartbeat of each costs the hub one write at most, the first about the clock, and then none.
    await hub.pass(60_000);
    const beat = async () => {
      const renewTime = formatMicroTime(hub.clock.now());
      const patch = { type: 'merge', body: { spec: { renewTime } } } as const;
      await Promise.all(names.map((name) => leases.patch(`${name}/managed-cluster-lease`, patch)));
      await hub.quiet();
    };
    await beat();
    hub.takeWrites();
    await hub.pass(60_000);
    await beat();
    expect(hub.takeWrites()).toEqual([]);

    // And nothing is written for what is as it should be when the hub starts again.
    await hub.restart();
    expect(hub.takeWrites()).toEqual([]);

    await Promise.all(names.map((name) => clusters.delete(name)));
    await hub.quiet();
    expect((await clusters.list()).items).toEqual([]);
  });

  it('runs the controllers of its drivers beside its own', async () => {
    const woken: string[] = [];
    const controller = defineController({
      name: 'of-a-driver',
      watches: [on(of('key'))],
      reconcile(key) {
        woken.push(key);
        return done;
      },
    });
    hub = await startHub({ drivers: [testDriver({ controllers: [controller] })] });
    expect(woken).toEqual(['key']);
  });
});
