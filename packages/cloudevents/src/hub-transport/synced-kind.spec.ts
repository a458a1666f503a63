import type { ManagedCluster } from '@flotilla/api-types';
import { KubeError, silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { CloudEventsClient } from '../client/client.ts';
import type { SubscriptionHandlers } from '../client/subscription.ts';
import { createHeartbeat } from '../event/create-event.ts';
import { dataTypes } from '../event/data-type.ts';
import { createHubTransport } from './hub-transport.ts';
import { SyncedKind } from './synced-kind.ts';

/** A hub whose stream is open and whose answers to resyncs are these, one after the other; it takes any later one. */
function hubThat(...answers: readonly (KubeError | 'hangs')[]) {
  const clock = new FakeClock();
  let handlers: SubscriptionHandlers | undefined;
  let asked = 0;
  const client: CloudEventsClient = {
    subscribe(_request, given) {
      handlers = given;
      queueMicrotask(() => given.onSubscribed());
      return () => {};
    },
    async publish(event) {
      const answer = answers[asked];
      asked += 1;
      if (answer === 'hangs') await new Promise(() => {});
      if (answer instanceof KubeError) throw answer;
      handlers?.onHeartbeat?.(createHeartbeat(event.id));
    },
    forward: () => Promise.reject(new Error('nothing is forwarded here')),
    tunnel: () => Promise.reject(new Error('nothing is forwarded here')),
    accessChanged: NEVER,
    close: async () => {},
  };
  return { clock, client, asked: () => asked, handlers: () => handlers };
}

const busy = new KubeError('TooManyRequests', 'cluster c1 has used up its limit', { status: 429 });

function kindOf({ client, clock }: ReturnType<typeof hubThat>) {
  const context = { client, clock, log: silentLogger, random: () => 0 };
  const cluster = { clusterName: 'c1', source: 'c1', dataType: dataTypes.managedClusters };
  return new SyncedKind<ManagedCluster>({ ...context, ...cluster, apply() {} });
}

describe('a kind whose resync failed while its stream stays open', () => {
  it('is asked for again, and can be read', async () => {
    const hub = hubThat(busy, busy);
    const kind = kindOf(hub);
    await expect(kind.ready(undefined, 30_000)).rejects.toMatchObject({ code: 'TooManyRequests' });
    expect(kind.outOfStep?.message).toContain('used up its limit');
    await hub.clock.advance(500);
    const ready = kind.ready(undefined, 30_000);
    await hub.clock.advance(1000);
    await ready;
    expect(kind.outOfStep).toBeUndefined();
    expect(hub.asked()).toBe(3);
    kind.close();
  });

  it('is asked for less and less often while the hub refuses', async () => {
    const hub = hubThat(...Array<KubeError>(50).fill(busy));
    const kind = kindOf(hub);
    await hub.clock.advance(0);
    for (let minute = 0; minute < 10; minute += 1) await hub.clock.advance(60_000);
    // 0.5, 1, 2, … 30 s apart without the part that is left to chance.
    expect(hub.asked()).toBeGreaterThan(20);
    expect(hub.asked()).toBeLessThan(30);
    kind.close();
  });

  it('names the reason to readers that wait until their deadline', async () => {
    const hub = hubThat(busy, 'hangs');
    const kind = kindOf(hub);
    await hub.clock.advance(1000);
    const ready = expect(kind.ready(undefined, 5000)).rejects.toThrow(/in time.*used up its limit/);
    await hub.clock.advance(5000);
    await ready;
    kind.close();
  });

  it('is asked for again when events were lost and that resync failed', async () => {
    const hub = hubThat();
    const kind = kindOf(hub);
    await kind.ready(undefined, 1000);
    const asked = hub.asked();
    hub.handlers()?.onHeartbeat?.({ ...createHeartbeat(), extensions: { sent: '7' } });
    await hub.clock.advance(0);
    expect(hub.asked()).toBe(asked + 1);
    kind.close();
  });

  it('makes /readyz of the transport fail, although the hub answers the probe', async () => {
    const failing = hubThat(busy, 'hangs');
    const { client, clock } = failing;
    const random = () => 0;
    const transport = createHubTransport({ client, clusterName: 'c1', clock, random });
    const probe = () => transport.request({ method: 'GET', path: '/readyz' });
    const listed = transport.request({
      method: 'GET',
      path: '/apis/cluster.open-cluster-management.io/v1/managedclusters',
    });
    await expect(listed).rejects.toMatchObject({ code: 'TooManyRequests' });
    await clock.advance(500);
    await expect(probe()).rejects.toMatchObject({ code: 'Unavailable' });
    await transport.close();
  });
});
