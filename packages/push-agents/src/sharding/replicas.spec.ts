import { startControlPlane } from '@flotilla/control-plane';
import { createKubeClient, KubeError, silentLogger } from '@flotilla/kube';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import type { Transport } from '@flotilla/kube/transport';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultReplicaTimes } from './replicas.policy.ts';
import { aloneAs, joinReplicas, replicaLabel } from './replicas.ts';

const namespace = 'open-cluster-management-hub';

type Plane = Awaited<ReturnType<typeof startControlPlane>>;
let plane: Plane;
const running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  plane = await startControlPlane({ listen: false });
  await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await plane.stop();
});

/** A replica with a clock of its own. */
function startReplica(identity: string, clock = new FakeClock(), client = plane.client) {
  const replicas = joinReplicas({ client, namespace, identity, clock, log: silentLogger });
  const abort = new AbortController();
  let live: readonly string[] = [];
  replicas.live$.subscribe((names) => {
    live = names;
  });
  const ended = replicas.run(abort.signal);
  const replica = {
    live: () => live,
    /** Lets time pass, and the API server answer. */
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 500) {
        await clock.advance(Math.min(left, 500));
        await answers();
      }
    },
    async stop() {
      abort.abort();
      await clock.advance(0);
      await ended;
    },
  };
  running.push(replica);
  return replica;
}

/** Requests to the plane in this process take a few turns of the event loop. */
const answers = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('replicas of push-agents', () => {
  it('see one another, and one that ends is gone at once', async () => {
    const a = startReplica('a');
    const b = startReplica('b');
    await expect
      .poll(async () => {
        await a.pass(500);
        await b.pass(500);
        return [a.live(), b.live()];
      })
      .toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
    await b.stop();
    await expect
      .poll(async () => {
        await a.pass(500);
        return a.live();
      })
      .toEqual(['a']);
    const { items } = await plane.client.resource(leases).list({ namespace, labelSelector: replicaLabel });
    expect(items.map(({ spec }) => spec?.holderIdentity)).toEqual(['a']);
  });

  it('count one out that does not renew, by their own clocks', async () => {
    const a = startReplica('a');
    const b = startReplica('b');
    await expect
      .poll(async () => {
        await a.pass(500);
        await b.pass(500);
        return a.live();
      })
      .toEqual(['a', 'b']);
    // The clock of b stands still: it is as dead.
    await a.pass(10_000);
    expect(a.live()).toEqual(['a']);
    // Its lease is deleted later, so that killed replicas leave nothing behind.
    await a.pass(100_000);
    const { items } = await plane.client.resource(leases).list({ namespace, labelSelector: replicaLabel });
    expect(items.map(({ spec }) => spec?.holderIdentity)).toEqual(['a']);
  });

  it.each([0, 300, 700, 1100, 1500, 1900])(
    'never run a cluster twice when one of them loses the hub, %i ms apart',
    async (phase) => {
      const clock = new FakeClock();
      let isCut = false;
      const { transport } = plane.client;
      const cut: Transport = {
        ...transport,
        async request(request) {
          if (!isCut) return transport.request(request);
          await clock.sleep(request.deadlineMs ?? 30_000, request.signal);
          throw new KubeError('Timeout', 'no answer');
        },
      };
      const a = startReplica('a', clock, createKubeClient({ transport: cut, clock }));
      await a.pass(phase);
      const b = startReplica('b', clock);
      await b.pass(20_000);
      expect([a.live(), b.live()]).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
      isCut = true;
      let aEndedAt = Number.POSITIVE_INFINITY;
      let bTookOverAt = Number.POSITIVE_INFINITY;
      for (let ms = 0; ms < 15_000; ms += 100) {
        await clock.advance(100);
        await answers();
        if (a.live().length === 0) aEndedAt = Math.min(aEndedAt, ms);
        if (!b.live().includes('a')) bTookOverAt = Math.min(bTookOverAt, ms);
      }
      expect(bTookOverAt - aEndedAt).toBeGreaterThanOrEqual(defaultReplicaTimes.drainMs);
      expect(bTookOverAt).toBeLessThanOrEqual(defaultReplicaTimes.expireMs);
    },
  );

  it('are one where there is no lease', () => {
    let live: readonly string[] = [];
    aloneAs('only').live$.subscribe((names) => {
      live = names;
    });
    expect(live).toEqual(['only']);
  });
});
